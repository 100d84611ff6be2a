"""A checkout whose installed metadata is older than its code, and plug-ins that cannot be loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S

OURS = "[reboard.accessories]\nblock = reboard.accessories.question_block.accessory:QUESTION_BLOCK\n"
SIMULATED = "[reboard_sim.accessories]\nblock = reboard_sim.accessories.question_block.acts:QUESTION_BLOCK\n"


def run(directory: Path, module: str, *arguments: str, entry_points: str) -> subprocess.CompletedProcess[str]:
    """Run a command that finds these entry points of reboard, and no others."""
    metadata = directory / "reboard-0.dist-info"
    metadata.mkdir()
    metadata.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: reboard\nVersion: 0\n")
    metadata.joinpath("entry_points.txt").write_text(entry_points)
    root = Path(__file__).parents[1]
    path = os.pathsep.join(map(str, (directory, root / "firmware", root / "sim")))
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.mark.parametrize(
    ("module", "arguments", "entry_points"),
    [
        ("reboard", ["check", "-c", "table.toml"], ""),
        ("reboard_sim.cli", ["--headless", "--port", "0"], ""),
        ("reboard_sim.cli", ["--headless", "--port", "0"], OURS),
        ("reboard_sim.cli", ["play", "some.play"], ""),
    ],
)
def test_a_stale_install_says_what_to_do(tmp_path: Path, module: str, arguments: list[str], entry_points: str) -> None:
    (tmp_path / "table.toml").write_text("[block]\nbutton = 17\n")
    (tmp_path / "some.play").write_text("press block\n")
    ended = run(tmp_path, module, *arguments, entry_points=entry_points)
    assert ended.returncode in (1, 2)
    assert "make run" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not ended.stdout


def test_a_plug_in_that_cannot_be_loaded_is_left_out_of_plays(tmp_path: Path) -> None:
    broken = "extra = no_such_module:EXTRA\n"
    (tmp_path / "some.play").write_text("press block\nexpect event block.outcome\n")
    (tmp_path / "table.toml").write_text("[block]\nbutton = 17\n")
    ended = run(
        tmp_path,
        "reboard_sim.cli",
        "play",
        "-c",
        "table.toml",
        "some.play",
        entry_points=OURS + broken + SIMULATED + broken,
    )
    assert ended.returncode == 0, ended.stderr
    assert "extra" in ended.stderr
