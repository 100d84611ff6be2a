"""Carry out every play of the tests: the package's own code, on the virtual Pi."""

import sys
from pathlib import Path

from reboard_sim.plays.play_command import play_file

failed = [str(play) for play in sorted(Path("tests/plays").glob("*.play")) if play_file(play, seed=1)]
sys.exit(f"These plays failed: {', '.join(failed)}" if failed else 0)
