"""The table of the keys in the documents is the one that the unit works by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reboard.accessories.banker_unit.step import KEYS, Mode

PAGE = Path(__file__).parents[4] / "docs" / "banker.md"
LABELS = {
    "digit": "`0` to `9`",
    ".": "`.`",
    "enter": "`K`, `M`",
    "zeros": "`K` without units",
    "GO": "`GO`",
    "C": "`C`",
    "DEAL": "`DEAL`",
}


def rows() -> Iterator[str]:
    """Yield the rows of the table: of a phone's question, only what it changes."""
    yield from ("| while | key | what it does |", "|---|---|---|")
    modes: dict[tuple[tuple[str, str], ...], list[Mode]] = {}
    for mode, row in KEYS.items():
        does = {kind: (handler.__doc__ or "").splitlines()[0] for kind, handler in row.items()}
        usual = KEYS[Mode.CARDS] if mode == Mode.QUESTION else {}
        changed = tuple((kind, words) for kind, words in does.items() if row[kind] is not usual.get(kind))
        modes.setdefault(changed, []).append(mode)
    for changed, alike in modes.items():
        title = " or ".join(alike)
        for words in dict.fromkeys(words for _, words in changed):
            keys = ", ".join(LABELS[kind] for kind, other in changed if other == words)
            yield f"| {title} | {keys} | {words} |"
            title = ""


def test_the_document_has_the_table_of_the_keys() -> None:
    begin, table, end = "<!-- keys -->\n", "\n".join(rows()), "\n<!-- end of keys -->"
    assert begin + table + end in PAGE.read_text(encoding="utf-8"), f"put this into docs/banker.md:\n{table}"
