"""``python -m hardware.making parts``: generate files, and print their names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hardware.making import checklist, drawings, harness, parts_files, perfboard_sheet, sounds
from hardware.making.board import build as board
from hardware.making.board.design import DesignError
from hardware.making.board.kicad import KicadError
from hardware.making.cables import LayoutError
from hardware.making.housings.pieces import check_measures
from hardware.making.rendering import MissingProgramError
from hardware.making.spice import figures
from hardware.making.spice.ngspice import SimulationError
from reboard.errors import ConfigError


def _housings() -> list[Path]:
    check_measures()
    # build123d takes seconds to load, and is only in the virtual environment of `make housings`
    from hardware.making.cad import build

    return build.write()


MAKERS: Mapping[str, Sequence[Callable[[], list[Path]]]] = {
    "parts": (parts_files.write, checklist.write, board.write_lists),
    "drawings": (drawings.write, perfboard_sheet.write, harness.write_files),
    "harness": (harness.draw,),
    "housings": (_housings,),
    "board": (board.write,),
    "sounds": (sounds.write,),
    "spice": (figures.write,),
}
"""What each target of the Makefile generates."""


def main(arguments: list[str]) -> int:
    """Generate what *arguments* name, and return the exit code."""
    if not arguments or not set(arguments) <= MAKERS.keys():
        print(f"usage: python -m hardware.making {'|'.join(MAKERS)}", file=sys.stderr)
        return 2
    try:
        for file in (file for name in arguments for write in MAKERS[name] for file in write()):
            print(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)
    except (DesignError, KicadError, LayoutError, ConfigError, MissingProgramError, SimulationError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
