"""The switches of the bench's setup act at the same table, in the same game."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from reboard.languages import Texts
from reboard_sim.bench.bench_acts import Setup
from reboard_sim.bench.servers import PIN, TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

ALL = {
    "block.linked": "true",
    "page.pay": "free",
    "speaker.volume": "0",
    "bank.language": "de",
    "bank.pot": "true",
    "bank.left": "pn532",
    "bank.right": "none",
}
"""Another value of each switch than at first."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    with closing(TableThread(Scene.load(None, tmp_path), seed=1)) as table:
        table.set_scene(Setup("super-mario"), 1, ["insert left 1"]).result(PATIENCE_S)
        yield table


def switches(table: TableThread, language: str = "en") -> dict[str, dict[str, Any]]:
    return {each["setting"]: each for each in table.switches(Texts(language))}


def choose(table: TableThread, setting: str, value: str) -> None:
    [line] = [each["line"] for each in switches(table)[setting]["values"] if each["value"] == value]
    table.do([line]).result(PATIENCE_S)


def test_each_switch_acts_at_once_and_the_game_continues(table: TableThread) -> None:
    cards, game = table.table()["cards"], table.table()["game"]
    assert switches(table).keys() == ALL.keys()
    for setting, value in ALL.items():
        assert not switches(table)[setting]["is_changed"], setting
        choose(table, setting, value)
        now = switches(table)[setting]
        assert (now["value"], now["is_changed"], now["why_not"]) == (value, True, ""), setting
        assert (table.table()["cards"], table.table()["game"], table.scene()["number"]) == (cards, game, 2), setting
    assert (table.table()["volume"], table.table()["pot"]["balance"]) == (0, 0)
    assert table.hardware()["changes"] > len(ALL)


def test_a_switch_is_only_offered_where_it_can_work(table: TableThread) -> None:
    choose(table, "block.linked", "true")
    table.set_scene(Setup("world"), 1, []).result(PATIENCE_S)
    assert "Super Mario" in switches(table)["block.linked"]["why_not"]
    assert switches(table, "de")["block.linked"]["why_not"] != switches(table)["block.linked"]["why_not"]
    table.set_scene(Setup(wiring="block.toml", text="[block]\nbutton = 17\n"), 1, []).result(PATIENCE_S)
    assert switches(table).keys() == {"block.linked"}


def test_phones_are_let_in_and_kept_out_without_a_restart(tmp_path: Path) -> None:
    with closing(TablePage(tmp_path / "table.sock", port=0)) as page:
        here = page.link
        assert (page.lets_in, here.pin) == (False, PIN)
        page.let_in(True)
        assert page.lets_in
        assert page.link.url == here.url
        assert page.link.pin != PIN
        page.let_in(True)
        page.let_in(False)
        assert page.link == here


def test_phones_are_not_let_in_if_another_program_has_the_port(tmp_path: Path) -> None:
    with closing(TablePage(tmp_path / "table.sock", port=0)) as page, socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.2", page.link.listens_at.port))
        other.listen()
        with pytest.raises(OSError, match="in use"):
            page.let_in(True)
        assert not page.lets_in
        assert httpx.get(page.link.url, trust_env=False, timeout=PATIENCE_S).status_code == 200
