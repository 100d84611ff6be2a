"""Tables of figures, for a terminal or a document."""

from __future__ import annotations

from collections.abc import Sequence


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print *rows* under *head*, the first column to the left and the others to the right."""
    widths = [max(len(line[i]) for line in (head, *rows)) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
        return f"| {' | '.join([cells[0].ljust(widths[0]), *padded[1:]])} |"

    rule = "|".join("-" * (width + 2) if i == 0 else "-" * (width + 1) + ":" for i, width in enumerate(widths))
    print(f"\n{title}\n", line(head), f"|{rule}|", *map(line, rows), sep="\n")


def at(part: float, values: Sequence[float]) -> float:
    """Return the quantile *part* (0 to 1) of *values*."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def ms(seconds: float) -> str:
    """Return milliseconds with two decimals."""
    return f"{1000 * seconds:.2f}"
