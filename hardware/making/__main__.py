"""``python -m hardware.making parts``: generate, and name what was written."""

from __future__ import annotations

import sys
from pathlib import Path

from hardware.making import drawings, guides, parts_list
from hardware.making.housings import build
from hardware.making.housings.measures import MeasureError

WHATS = {"parts": parts_list.write, "guides": guides.write, "drawings": drawings.write, "housings": build.write}


def main(arguments: list[str]) -> int:
    """Make what *arguments* name."""
    if not arguments or not set(arguments) <= WHATS.keys():
        print(f"usage: python -m hardware.making {'|'.join(WHATS)}", file=sys.stderr)
        return 2
    try:
        for what in arguments:
            for file in WHATS[what]():
                print(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)
    except MeasureError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
