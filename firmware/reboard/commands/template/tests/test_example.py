"""The tests of the accessory: each play in this folder, and the wiring."""

from pathlib import Path

import pytest

from reboard.cli import main
from reboard_sim.plays.play_command import PASSED, play_file

HERE = Path(__file__).parent
TABLE = HERE.parent / "table.toml"


@pytest.mark.parametrize("play", sorted(HERE.glob("*.play")), ids=lambda play: play.stem)
def test_play(play: Path) -> None:
    """Each ``expect`` in the play holds on a virtual table."""
    assert play_file(play, config=TABLE) == PASSED


def test_wiring() -> None:
    """The wiring in table.toml can work."""
    assert main(["-c", str(TABLE), "check", "--electrical"]) == 0
