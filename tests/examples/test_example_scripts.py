"""The scripts in ``examples/scripts``, each with the play beside it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from reboard_sim.cli import main

FOLDER = Path(__file__).parents[2] / "examples" / "scripts"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("test_"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_passes_its_play(script: Path) -> None:
    assert main(["script", str(script), "--play", str(script.with_suffix(".play")), "--seed", "1"]) == 0


def test_the_test_of_the_traffic_light_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    runpy.run_path("test_traffic_light.py")["test_the_traffic_light"]()
