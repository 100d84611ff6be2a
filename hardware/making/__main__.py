"""``python -m hardware.making parts``: generate files, and print their names."""

from __future__ import annotations

import sys
from pathlib import Path

from hardware.making import checklist, drawings, guides, parts_list, sounds
from hardware.making.housings import build
from hardware.making.housings.measures import MeasureError

MAKERS = {
    "parts": parts_list.write,
    "guides": guides.write,
    "checklists": checklist.write,
    "drawings": drawings.write,
    "housings": build.write,
    "sounds": sounds.write,
}


def main(arguments: list[str]) -> int:
    """Generate what *arguments* name, and return the exit code."""
    if not arguments or not set(arguments) <= MAKERS.keys():
        print(f"usage: python -m hardware.making {'|'.join(MAKERS)}", file=sys.stderr)
        return 2
    try:
        for name in arguments:
            for file in MAKERS[name]():
                print(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)
    except MeasureError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
