from __future__ import annotations

from pathlib import Path

import pytest

from reboard.config import reading
from tests.reboard.doctor.made_up import MadeUpMachine, good_pi_4


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeUpMachine:
    """A Pi 4 on which everything is as it should be. The last good config of this machine is not its own."""
    monkeypatch.setattr(reading, "DEFAULT_STATE_DIRECTORY", tmp_path / "default")
    return good_pi_4(tmp_path)
