"""The types of fields that several events and requests of the banker unit have."""

from __future__ import annotations

from typing import Annotated

from reboard.editions.edition import MOST_PLAYERS
from reboard.vocabulary.limits import LARGEST_WHOLE, Between, Length

Row = Annotated[int, Between(1, LARGEST_WHOLE), "its number in the ledger"]
Card = Annotated[int, Between(1, MOST_PLAYERS)]
Money = Annotated[int, "in the currency's ones: 15M is 15000000"]
Moved = Annotated[Money, Between(1, None)]
Shown = Annotated[str, "the amount as displayed, such as 16.5M"]
Amount = Annotated[str, Length(1, 16), "as on the display, such as 1.5M"]
PaymentId = Annotated[str, Length(8, 64), "an id, which its sender chooses"]
