"""The banker unit, for a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from reboard.script.callbacks import Fields, When
from reboard.script.scripted import ScriptedAccessory
from reboard.volume import USUAL_VOLUME

SCRIPT = "a script"


class BankerUnit(ScriptedAccessory):
    """The banker unit: RDM6300 readers on the serial ports *left* and *right*.

    *keypad* is ``{"rows": [4 pins], "columns": [4 pins]}``, *display* the address of its backpack on I²C bus 1.
    The ledger is kept in the directory *state*; without it, it is gone afterwards.

    - ``when_card_inserted``, ``when_card_removed``: with ``slot`` (``left``, ``right``) and ``number``
    - ``when_transfer``: with ``from``, ``to`` (0 is the bank), ``amount``, ``reason`` …
    - ``when_refused``: with ``why``
    - ``when_deal_started``, ``when_deal_ended``
    """

    PART = "bank"
    SHOWN = ("edition", "game", "display")

    when_card_inserted = When("card.inserted")
    when_card_removed = When("card.removed")
    when_transfer = When("transfer")
    when_refused = When("refused")
    when_deal_started = When("deal.started")
    when_deal_ended = When("deal.ended")

    def __init__(
        self,
        left: str | None = None,
        right: str | None = None,
        *,
        keypad: Mapping[str, Sequence[int]] | None = None,
        display: int | None = None,
        edition: str = "world",
        cards: Sequence[str] = (),
        state: str | Path | None = None,
        volume: int = USUAL_VOLUME,
    ) -> None:
        bank = {
            "left": _rdm6300(left),
            "right": _rdm6300(right),
            "keypad": keypad,
            "display": None if display is None else {"driver": "hd44780-i2c", "address": display},
            "cards": list(cards),
        }
        with ExitStack() as gone:
            directory = Path(state or gone.enter_context(TemporaryDirectory(prefix="reboard-"))).absolute()
            settings = {"edition": edition, "bank": bank, "speaker": {"volume": volume}}
            super().__init__({**settings, "state": {"directory": str(directory)}})
            self._gone = gone.pop_all()

    @property
    def balances(self) -> dict[int, int]:
        """What each card holds, by its number, in whole currency."""
        return {card["number"]: card["balance"] for card in self._snapshot()["cards"]}

    def new_game(self) -> None:
        """Put every card back to the starting balance. The old game stays in the ledger."""
        self._ask(self._table.request("new_game", by=SCRIPT))

    def undo(self) -> None:
        """Take back the last transfer. Raises `Refusal` when there is none to take back."""
        self._ask(self._table.request("undo", by=SCRIPT))

    def close(self) -> None:
        """Put it away. May be called twice."""
        with self._gone:
            super().close()

    def _state(self) -> Fields:
        return self._snapshot()


def _rdm6300(port: str | None) -> dict[str, str] | None:
    return None if port is None else {"reader": "rdm6300", "port": port}
