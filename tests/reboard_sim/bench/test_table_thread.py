"""A real virtual table in its thread, as the bench works it: one list of lines after the other."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.play_language import PlayError
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
        ("hold C 500", lambda looks: looks["keys"]),
        ("hold block\nwait 500", lambda looks: looks["button"]),
        ("press block 500", lambda looks: looks["button"]),
        ("pull lever\nwait 500", lambda looks: looks["lever"] == "back"),
    ],
)
def test_lines_that_are_called_off_let_go_of_what_they_hold(
    table: TableThread, line: str, held: Callable[[dict[str, Any]], object]
) -> None:
    doing = table.do(line.splitlines())
    eventually(lambda: held(table.hardware()))
    doing.cancel()
    with pytest.raises(CancelledError):
        doing.result()
    eventually(lambda: not held(table.hardware()))


def test_what_is_held_over_several_requests_stays_held(table: TableThread) -> None:
    do(table, "hold block")
    do(table, "wait 1")
    assert table.hardware()["button"]
    do(table, "release block")
    assert not table.hardware()["button"]


def test_wait_until_looks_back_to_the_last_act_of_the_request_before(table: TableThread) -> None:
    do(table, "press block")
    do(table, "wait until block.outcome within 1")
    with pytest.raises(PlayError, match=r"expected block\.outcome within 1 s"):
        do(table, "wait until block.outcome within 1")
    do(table, "press block")
    do(table, "wait 5")
    with pytest.raises(PlayError, match=r"expected block\.pressed within 1 s"):
        do(table, "wait until block.pressed within 1")


def test_checks_look_back_to_the_acts_of_the_requests_before(table: TableThread) -> None:
    do(table, "press block")
    do(table, "wait 1")
    do(table, "expect event block.outcome")
    do(table, "wait 1")
    do(table, "expect not event block.outcome")


def test_events_and_the_table_have_the_same_time_after_a_power_cycle(table: TableThread) -> None:
    do(table, "wait 30", "power off", "power on")
    times: list[float] = []
    heard = threading.Event()

    def listen(event: dict[str, Any]) -> None:
        times.append(event["t"])
        heard.set()

    stop = table.subscribe_events(listen)
    before = table.table()["t"]
    do(table, "press block")
    assert heard.wait(PATIENCE_S)
    stop()
    assert before <= times[0] <= table.table()["t"] < 30


def test_a_table_whose_state_was_deleted_meanwhile_is_put_away_in_peace(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = TableThread(Scene.load(None, tmp_path / "state"), seed=1, pace=10)
    do(table, "insert left 1")
    shutil.rmtree(tmp_path / "state")
    do(table, "type 1M", "power off", "power on")
    shutil.rmtree(tmp_path / "state")
    table.close()
    assert [record for record in caplog.records if record.exc_info] == []


def test_every_key_of_the_table_stands_in_the_document(table: TableThread) -> None:
    document = (Path(__file__).parents[3] / "docs" / "http.md").read_text(encoding="utf-8")
    told = {
        key
        for row in document.splitlines()
        if row.startswith("| `")
        for key in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    assert told >= table.table().keys() - {"powered", "pins"}
