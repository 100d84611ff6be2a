"""The table page of the virtual table: the page that ships, behind the door that ships."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from reboard.web.server import ListenError, listening
from reboard_sim.bench.table_page import HOST, PIN, TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    (tmp_path / "state").mkdir()
    scene = Scene.load(None, tmp_path / "state")
    with closing(TableThread(scene, seed=1, door=tmp_path / "table.sock")) as table:
        yield table


@pytest.fixture
def phone(table: TableThread, tmp_path: Path) -> Iterator[httpx.Client]:
    with (
        closing(TablePage(tmp_path / "table.sock", port=0)) as page,
        httpx.Client(base_url=page.url, trust_env=False, timeout=PATIENCE_S) as phone,
    ):
        yield phone


def eventually(phone: httpx.Client, holds: Callable[[Any], object]) -> None:
    """Look until the page's table is so."""
    end = time.monotonic() + PATIENCE_S
    while not ((answer := phone.get("/api/table")) and holds(answer)):
        assert time.monotonic() < end, answer.text
        time.sleep(0.02)


def holds(number: int, shown: str) -> Callable[[httpx.Response], bool]:
    def is_shown(answer: httpx.Response) -> bool:
        cards = answer.json().get("cards", [])
        return answer.is_success and {card["number"]: card["shown"] for card in cards}.get(number) == shown

    return is_shown


def test_a_phone_sees_what_hands_do_on_the_bench(phone: httpx.Client, table: TableThread) -> None:
    table.do(["insert left 3", "type 1.5M"]).result(PATIENCE_S)
    eventually(phone, holds(3, "16.5M"))


def test_a_phone_finds_the_table_again_after_a_power_cut(phone: httpx.Client, table: TableThread) -> None:
    table.do(["insert left 3", "type 1.5M", "power off"]).result(PATIENCE_S)
    eventually(phone, lambda answer: answer.status_code == 503)
    table.do(["power on"]).result(PATIENCE_S)
    eventually(phone, holds(3, "16.5M"))


def test_the_host_on_a_phone_takes_back_what_was_booked_on_the_bench(phone: httpx.Client, table: TableThread) -> None:
    table.do(["insert left 3", "type 1.5M"]).result(PATIENCE_S)
    eventually(phone, holds(3, "16.5M"))
    assert phone.post("/api/host/session", json={"pin": PIN}).status_code == 204
    last = phone.get("/api/table").json()["transfers"][0]["id"]
    assert phone.post("/api/host/do", json={"do": "undo", "transfer": last}).json()["ok"]["undoes"] == last
    eventually(phone, holds(3, "15M"))


def test_the_page_is_on_the_port_after_the_benchs_or_on_any_other_when_that_is_taken(tmp_path: Path) -> None:
    with listening(HOST, 0, option="--port") as taken:
        port = taken.getsockname()[1]
        with closing(TablePage(tmp_path / "table.sock", port=None, beside=port - 1)) as page:
            assert page.url != f"http://{HOST}:{port}/"
            assert httpx.get(page.url, trust_env=False).is_success
        with pytest.raises(ListenError, match="--page-port"):
            TablePage(tmp_path / "table.sock", port=port)
    with closing(TablePage(tmp_path / "table.sock", port=None, beside=port - 1)) as page:
        assert page.url == f"http://{HOST}:{port}/"
