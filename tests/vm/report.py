"""What a file of tests has measured, as a table that is kept beside the other artefacts of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

PLACE = Path(__file__).resolve().parents[2] / "artefacts" / "on-a-real-kernel"


class Report:
    """Figures in the order they come; they are written under *name*."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows: list[tuple[str, str]] = []

    def tell(self, what: str, figure: str) -> None:
        """Add one figure."""
        self._rows.append((what, figure))

    def write(self) -> None:
        """Write the table, if anything was measured."""
        if not self._rows:
            return
        lines = ["| | |", "|---|--:|", *(f"| {what} | {figure} |" for what, figure in self._rows)]
        PLACE.mkdir(parents=True, exist_ok=True)
        (PLACE / f"{self._name}.md").write_text("\n".join(lines) + "\n")
        print("", *lines, sep="\n")


def spread_ms(seconds: Sequence[float]) -> str:
    """The median and the worst of many, in milliseconds."""
    ordered = sorted(seconds)
    return f"{1000 * ordered[len(ordered) // 2]:.1f} ms, at most {1000 * ordered[-1]:.1f} ms"
