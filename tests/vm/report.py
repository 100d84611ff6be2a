"""The figures that the tests measure, as a table beside the other artefacts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "artefacts" / "on-a-real-kernel.md"


def begin_report() -> None:
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("| | |\n|---|--:|\n")


def report(what: str, figure: str) -> None:
    row = f"| {what} | {figure} |\n"
    print(row, end="")
    with TABLE.open("a") as table:
        table.write(row)


def spread_ms(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    return f"{1000 * ordered[len(ordered) // 2]:.1f} ms, at most {1000 * ordered[-1]:.1f} ms"
