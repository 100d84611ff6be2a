"""How much the display shows: said here for who writes on it and for who drives it."""

from __future__ import annotations

ROWS = 2
COLUMNS = 16
