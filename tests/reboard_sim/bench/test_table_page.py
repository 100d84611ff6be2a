"""The table page of the virtual table: the page that ships, behind the door that ships."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from reboard_sim.bench.app import PIN, TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.reboard_sim.bench.conftest import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    (tmp_path / "state").mkdir()
    scene = Scene.load(None, tmp_path / "state")
    with closing(TableThread(scene, seed=1, socket=tmp_path / "table.sock")) as table:
        yield table


@pytest.fixture
def phone(table: TableThread, tmp_path: Path) -> Iterator[httpx.Client]:
    with (
        closing(TablePage(tmp_path / "table.sock", port=0)) as page,
        httpx.Client(base_url=page.url, trust_env=False, timeout=PATIENCE_S) as phone,
    ):
        yield phone


def shows(phone: httpx.Client, number: int, balance: str) -> bool:
    """Whether the page has a table at which the card has so much."""
    answer = phone.get("/api/table")
    cards = answer.json().get("cards", [])
    return answer.is_success and {card["number"]: card["shown"] for card in cards}.get(number) == balance


def test_a_phone_shows_what_the_user_does_on_the_bench(phone: httpx.Client, table: TableThread) -> None:
    table.do(["insert left 3", "type 1.5M"]).result(PATIENCE_S)
    eventually(lambda: shows(phone, 3, "16.5M"))


def test_a_phone_finds_the_table_again_after_a_power_cut(phone: httpx.Client, table: TableThread) -> None:
    table.do(["insert left 3", "type 1.5M", "power off"]).result(PATIENCE_S)
    eventually(lambda: phone.get("/api/table").status_code == 503)
    table.do(["power on"]).result(PATIENCE_S)
    eventually(lambda: shows(phone, 3, "16.5M"))


def test_the_host_on_a_phone_takes_back_what_was_booked_on_the_bench(phone: httpx.Client, table: TableThread) -> None:
    table.do(["insert left 3", "type 1.5M"]).result(PATIENCE_S)
    eventually(lambda: shows(phone, 3, "16.5M"))
    assert phone.post("/api/host/session", json={"pin": PIN}).status_code == 204
    last = phone.get("/api/table").json()["transfers"][0]["id"]
    assert phone.post("/api/host/do", json={"do": "undo", "transfer": last}).json()["ok"]["undoes"] == last
    eventually(lambda: shows(phone, 3, "15M"))
