"""The scripts in ``examples/scripts``, each with the play beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reboard_sim.cli import main

SCRIPTS = sorted((Path(__file__).parents[2] / "examples" / "scripts").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_passes_its_play(script: Path) -> None:
    assert main(["script", str(script), "--play", str(script.with_suffix(".play")), "--seed", "1"]) == 0
