"""The table of the keys of the banker unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from docs.tables.markdown import table
from reboard.accessories.banker_unit.keys import KEYS, Mode

LABELS = {
    "digit": "`0` to `9`",
    ".": "`.`",
    "enter": "`K`, `M`",
    "zeros": "`K` without units",
    "GO": "`GO`",
    "C": "`C`",
    "DEAL": "`DEAL`",
}


def keys() -> str:
    """Return the table of what each key does, in each mode of the unit."""
    return table("while | key | what it does", _rows())


def _rows() -> Iterator[Sequence[str]]:
    """Yield the rows of the table: of a phone's question, only what it changes."""
    modes: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for mode, row in KEYS.items():
        does = {kind: (handler.__doc__ or "").splitlines()[0] for kind, handler in row.items()}
        usual = KEYS[Mode.CARDS] if mode == Mode.QUESTION else {}
        changed = tuple((kind, words) for kind, words in does.items() if row[kind] is not usual.get(kind))
        modes.setdefault(changed, []).append(mode)
    for changed, alike in modes.items():
        title = " or ".join(alike)
        for words in dict.fromkeys(words for _, words in changed):
            yield title, ", ".join(LABELS[kind] for kind, other in changed if other == words), words
            title = ""


TABLES: Mapping[str, Callable[..., str]] = {"keys": keys}
