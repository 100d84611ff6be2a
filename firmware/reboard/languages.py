"""The languages that the table's display speaks."""

from __future__ import annotations

import re
from pathlib import Path

LOCALE = Path(__file__).parent / "locale"
LANGUAGES = ("en", "de")
"""English is in the code; each of the others is a folder of `LOCALE`."""
ACCOUNT = re.compile(r"bank|pot|topf|(card|karte)\s*[0-9]+", re.IGNORECASE)
"""What the bank, the Free Parking pot and the cards are called in any of them: a player of that name
would be taken for one of these."""
