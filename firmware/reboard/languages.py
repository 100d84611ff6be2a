"""The languages that the table's display speaks."""

from __future__ import annotations

from pathlib import Path

LOCALE = Path(__file__).parent / "locale"
LANGUAGES = ("en", "de")
"""English is in the code; each of the others is a folder of `LOCALE`."""
