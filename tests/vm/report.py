"""What the tests measure, as a table that is kept beside their other artefacts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

PLACE = Path(__file__).resolve().parents[2] / "artefacts" / "on-a-real-kernel.md"


class Report:
    """Figures in the order they come, from whichever process."""

    @staticmethod
    def begin() -> None:
        """Forget those of before."""
        PLACE.parent.mkdir(exist_ok=True)
        PLACE.write_text("| | |\n|---|--:|\n")

    @staticmethod
    def tell(what: str, figure: str) -> None:
        """Add one figure."""
        row = f"| {what} | {figure} |\n"
        print(row, end="")
        with PLACE.open("a") as table:
            table.write(row)


def spread_ms(seconds: Sequence[float]) -> str:
    """The median and the worst of many, in milliseconds."""
    ordered = sorted(seconds)
    return f"{1000 * ordered[len(ordered) // 2]:.1f} ms, at most {1000 * ordered[-1]:.1f} ms"
