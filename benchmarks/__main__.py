"""All figures, one table after the other: ``make bench``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
IN_ORDER = ("press_to_sound", "sinks", "start", "virtual_time", "ledger", "key_to_display", "pages", "spectators")


def main() -> int:
    """Run each benchmark in a process of its own; the worst exit status counts."""
    worst = 0
    for name in IN_ORDER:
        worst = max(worst, subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
