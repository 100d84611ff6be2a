from __future__ import annotations

from pathlib import Path

import pytest

from tests.reboard.doctor.made_up import MadeUpMachine, good_pi_4


@pytest.fixture
def pi(tmp_path: Path) -> MadeUpMachine:
    """A Pi 4 on which everything is as it should be."""
    return good_pi_4(tmp_path)
