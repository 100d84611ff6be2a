"""A real virtual table in its thread, as the bench works it: one list of lines after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.plays.play_language import PlayError
from reboard_sim.scene import Scene
from tests.reboard_sim.bench.conftest import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    table = TableThread(Scene.load(None, tmp_path), seed=1, pace=10)
    yield table
    table.close()


def do(table: TableThread, *lines: str) -> None:
    table.do(list(lines)).result(PATIENCE_S)


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("hold C 500", lambda looks: looks["devices"]["bank.keypad"]),
        ("hold block\nwait 500", lambda looks: looks["devices"]["block.button"]),
        ("press block 500", lambda looks: looks["devices"]["block.button"]),
        ("pull lever\nwait 500", lambda looks: looks["devices"]["apple.lever"]),
    ],
)
def test_cancelled_lines_release_what_they_hold(
    table: TableThread, line: str, held: Callable[[dict[str, Any]], object]
) -> None:
    doing = table.do(line.splitlines())
    eventually(lambda: held(table.hardware()))
    doing.cancel()
    with pytest.raises(CancelledError):
        doing.result()
    eventually(lambda: not held(table.hardware()))


def test_wait_until_looks_back_to_the_last_act_of_the_request_before(table: TableThread) -> None:
    do(table, "press block")
    do(table, "wait until block.outcome within 1")
    with pytest.raises(PlayError, match=r"expected block\.outcome within 1 s"):
        do(table, "wait until block.outcome within 1")
    do(table, "press block")
    do(table, "wait 5")
    with pytest.raises(PlayError, match=r"expected block\.pressed within 1 s"):
        do(table, "wait until block.pressed within 1")


def test_every_key_of_the_snapshot_is_documented(table: TableThread) -> None:
    document = (Path(__file__).parents[3] / "docs" / "http.md").read_text(encoding="utf-8")
    told = {
        key
        for row in document.splitlines()
        if row.startswith("| `")
        for key in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    assert told >= table.table().keys() - {"powered", "pins"}
