"""The speed of a table in virtual time: one hour of an evening, and one hour with a card in a slot.

``python benchmarks/virtual_time.py [--minutes 60]``
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import print_table
from reboard_sim.plays.play_command import play_file

A_ROUND = """
insert left {left}
key GO
type 1.5M
remove left
insert right {right}
type 260K
remove right
press block
wait 8
key DEAL
wait until deal.ended
pull lever
release lever
wait 15
wait {pause}
"""
ROUND_MINUTES = 2
PAUSE_S = 63


def evening(minutes: int) -> str:
    """Return a play of six people who use everything in turn."""
    rounds = range(-(-minutes // ROUND_MINUTES))
    return "".join(A_ROUND.format(left=n % 6 + 1, right=(n + 3) % 6 + 1, pause=PAUSE_S) for n in rounds)


def card_left_lying(minutes: int) -> str:
    """Return a play with a reader that sends the same card fifteen times a second."""
    return f"insert left 1\nwait {60 * minutes}\n"


def measured(name: str, play: str, directory: Path) -> list[str]:
    """Return a row: the play's name, its virtual time, its real time, and their ratio."""
    file = directory / "measured.play"
    file.write_text(play, encoding="utf-8")
    printed = io.StringIO()
    started = time.monotonic()
    with contextlib.redirect_stdout(printed):
        status = play_file(file, seed=1)
    wall_s = time.monotonic() - started
    if status:
        raise SystemExit(f"the play {name!r} did not hold")
    table_s = float(printed.getvalue().split(" s at the table")[0].split()[-1])
    return [name, f"{table_s:.0f} s", f"{wall_s:.2f} s", f"{table_s / wall_s:.0f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="How much faster than life a table runs.")
    parser.add_argument("--minutes", type=int, default=60)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory() as directory:
        rows = [
            measured(f"{minutes} minutes of an evening, three accessories", evening(minutes), Path(directory)),
            measured(f"{minutes} minutes with a card in a slot", card_left_lying(minutes), Path(directory)),
        ]
    print_table("Virtual time", ["play", "at the table", "on the wall", "times as fast as life"], rows)


if __name__ == "__main__":
    main()
