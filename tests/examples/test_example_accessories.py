"""The example accessories play their plays, are short, and can be wired as their configs say."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from reboard.commands.check import electrical_findings
from reboard.finding import Level
from reboard.table_config import load_config
from reboard_sim.plays.play_command import PASSED, play_file
from tests.plugged_in import installed

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "accessories").glob("*/pyproject.toml"))
MOST_LINES = 120


@pytest.mark.parametrize("project", EXAMPLES, ids=lambda path: str(path.parent.name))
def test_an_example_plays_its_play_and_can_be_wired(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", [str(project.parent), *sys.path])
    entries = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["entry-points"]["reboard.accessories"]
    [(name, entry)] = entries.items()
    module, _, attribute = entry.partition(":")
    accessory = getattr(import_module(module), attribute)
    assert accessory.name == name
    table = project.with_name("table.toml")
    with installed(accessory):
        plays = sorted(project.parent.glob("*.play"))
        assert plays
        for play in plays:
            assert play_file(play, config=table) == PASSED, capsys.readouterr().err
        assert not [finding for finding in electrical_findings(load_config(table)) if finding.level is Level.WRONG]


@pytest.mark.parametrize("project", EXAMPLES, ids=lambda path: str(path.parent.name))
def test_an_example_is_short(project: Path) -> None:
    code = (path.read_text(encoding="utf-8") for path in project.parent.rglob("*.py"))
    assert sum(len(text.splitlines()) for text in code) <= MOST_LINES
