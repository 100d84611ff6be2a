"""The example scripts pass their plays, whatever the seed, and are short."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from reboard_sim.cli import main

FOLDER = Path(__file__).parents[2] / "examples" / "scripts"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("test_"))
MOST_LINES = 40

pytestmark = pytest.mark.filterwarnings("default")  # a program prints warnings, and no more


@pytest.mark.parametrize("seed", ["1", "2"])
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.stem))
def test_a_script_passes_its_play(script: Path, seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    play = script.with_suffix(".play")
    assert main(["script", str(script), "--play", str(play), "--seed", seed]) == 0, capsys.readouterr().err


def test_a_script_is_short() -> None:
    assert all(len(script.read_text(encoding="utf-8").splitlines()) <= MOST_LINES for script in SCRIPTS)


def test_the_test_of_the_traffic_light_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    runpy.run_path("test_traffic_light.py")["test_the_traffic_light"]()
