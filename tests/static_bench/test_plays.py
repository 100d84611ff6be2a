"""Every play has the same events, sound and signals in the static bench's Python as in this one."""

import json
import re
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from reboard_sim.plays.play_command import play_file
from tests.documents.quotations import TREE
from tests.static_bench.conftest import BUILT

PLAYS = sorted((TREE / "tests" / "plays").glob("*.play"))
SEED = 7
DIRECTORY = re.compile(r"(/\w+)*/reboard-\w{8}/")
"""A temporary directory, which has another name each time."""


@pytest.fixture(scope="module")
def in_the_browser(request: pytest.FixtureRequest) -> Iterator[Iterator[dict[str, Any]]]:
    """Yield what each of the chosen plays did there, in their order, as soon as it is done."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    chosen = [test.callspec.params["play"] for test in tests if "in_the_browser" in test.fixturenames]
    command = ["node", *map(str, (Path(__file__).with_name("plays.mjs"), BUILT, SEED, *chosen))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdout
        yield map(json.loads, node.stdout)
        node.terminate()


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: str(play.stem))
def test_the_play_is_the_same(
    play: Path,
    in_the_browser: Iterator[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    there = next(each for each in in_the_browser if each["play"] == play.name)
    monkeypatch.chdir(play.parent)
    recordings = tmp_path / "sound.wav", tmp_path / "pins.vcd"
    code = play_file(Path(play.name), seed=SEED, as_json=True, wav=recordings[0], vcd=recordings[1])
    here = capsys.readouterr()
    assert there["code"] == code, there["problems"]
    events = [DIRECTORY.sub("", text).splitlines() for text in (there["events"], here.out)]
    assert events[0] == events[1]
    assert there["recordings"] == [sha256(each.read_bytes()).hexdigest() for each in recordings]
