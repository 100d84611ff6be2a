"""The wiring drawing of a table, if the library for drawings is installed."""

from __future__ import annotations

from collections.abc import Sequence

from reboard.errors import MissingExtraError
from reboard.table_config import TableConfig
from reboard.wiring.table_netlist import circuit_of

TITLE = "Wiring of this table"


def sheets_of_table(config: TableConfig, *, live: bool = False, warnings: Sequence[str] = ()) -> list[bytes]:
    """Return the wiring drawing of *config* as sheets of A4 in SVG, with the *warnings* below their titles.

    If *live* is true, it is one sheet, and a page can set the colour of each GPIO net with a CSS property such as
    ``--GPIO17``. Raises `ReboardError` if schemdraw is not installed.
    """
    try:
        from reboard.wiring.drawing import sheets_of
    except ModuleNotFoundError as missing:
        raise MissingExtraError("drawing", "drawings", missing) from None
    return sheets_of(circuit_of(config), TITLE, live=live, warnings=warnings)
