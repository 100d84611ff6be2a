"""All benchmarks, a table for each: ``make bench``, or ``python -m benchmarks [--moment]``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
A_MOMENT = {
    "press_to_sound": "--presses 1",
    "start": "--runs 1",
    "virtual_time": "--minutes 2",
    "ledger": "--transfers 20 --sizes 100 --rounds 2",
    "key_to_display": "--presses 2",
    "pages": "--runs 1 --only local",
    "moving_pages": "--seconds 1 --transfers 2 --phones 2",
    "many_tables": "--tables 2 --seconds 1 --every 0.2 --rows 100 --bridges 1",
    "press_beside_bridge": "--presses 1",
}
"""Every benchmark, in order, with the options of a short run."""


def main() -> int:
    """Run each benchmark in a separate process. Return the worst exit status."""
    parser = argparse.ArgumentParser(description="Measure, and print the figures as tables.")
    parser.add_argument("--moment", action="store_true", help="run each benchmark only for a moment")
    asked = parser.parse_args()
    worst = 0
    for name, sizes in A_MOMENT.items():
        command = [sys.executable, str(HERE / f"{name}.py"), *(sizes.split() if asked.moment else [])]
        worst = max(worst, subprocess.run(command, check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
