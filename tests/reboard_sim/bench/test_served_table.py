"""The bench and the table page over HTTP, with a real virtual table behind them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from unittest.mock import ANY

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reboard.control.protocol import SOCKET_NAME
from reboard.web import invitation
from reboard_sim.bench.servers import PIN, BenchServer, TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.cli import main
from reboard_sim.scene import Scene
from tests.reboard_sim.bench.conftest import served
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

API = ["table", "bench/do", "bench/time", "bench/scene", "bench/ledger", "bench/export/pins.vcd"]
PATHS = [*(f"/api/{name}" for name in API), "/static/main.js", "/static/../app.py", "/"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
REQUESTS = st.one_of(
    JSON,
    st.builds(lambda lines: {"lines": lines}, st.lists(JSON, max_size=4)),
    st.dictionaries(st.sampled_from(["edition", "wiring", "left", "right", "seed", "lines"]), JSON, max_size=4),
    st.builds(lambda pace: {"pace": pace, "step": pace}, JSON),
)
BODIES = st.binary(max_size=200) | REQUESTS.map(lambda value: json.dumps(value).encode())
PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30)
HEADERS = st.dictionaries(
    st.sampled_from(["Content-Type", "Origin", "Accept", "Last-Event-ID", "X-Forwarded-For", "Expect", "Range"]),
    PRINTABLE | st.just("application/json"),
    max_size=3,
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    scene = Scene.load(None, tmp_path_factory.mktemp("state"))
    with closing(TableThread(scene, seed=1)) as table, served(table) as url:
        yield url.split("/")[2]


def send(address: str, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    """Send a request without any check of the path and the headers."""
    with closing(HTTPConnection(address, timeout=PATIENCE_S)) as connection:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


@settings(max_examples=100, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(["GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]),
    path=st.sampled_from(PATHS) | PRINTABLE,
    body=BODIES,
    headers=HEADERS | HEADERS.map(lambda headers: headers | {"Content-Type": "application/json"}),
)
def test_any_request_gets_an_answer_and_the_bench_keeps_running(
    address: str, method: str, path: str, body: bytes, headers: dict[str, str]
) -> None:
    status, text = send(address, method, f"/{path.lstrip('/')}", body, **headers)
    assert status < 500, text
    assert b"Traceback" not in text
    assert send(address, "GET", "/api/table")[0] == 200


def test_the_table_page_follows_the_bench_and_its_host_corrects_the_game(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    scene = Scene.load(None, tmp_path / "state")
    with (
        closing(TableThread(scene, seed=1, socket=tmp_path / "table.sock")) as table,
        closing(TablePage(tmp_path / "table.sock", port=0)) as page,
        httpx.Client(base_url=page.link.url, trust_env=False, timeout=PATIENCE_S) as phone,
    ):

        def shows(balance: str) -> bool:
            answer = phone.get("/api/table")
            return answer.is_success and [card["shown"] for card in answer.json()["cards"]] == [balance]

        table.do(["insert left 3", "type 1.5M"]).result(PATIENCE_S)
        eventually(lambda: shows("16.5M"))
        assert phone.post("/api/host/session", json={"pin": PIN}).status_code == 204
        last = phone.get("/api/table").json()["transfers"][0]["id"]
        assert phone.post("/api/host/do", json={"do": "undo", "transfer": last}).json()["ok"]["undoes"] == last
        eventually(lambda: shows("15M"))
        table.do(["power off"]).result(PATIENCE_S)
        eventually(lambda: phone.get("/api/table").status_code == 503)
        table.do(["power on"]).result(PATIENCE_S)
        eventually(lambda: shows("15M"))


def test_another_process_finds_the_table_in_the_folder_that_both_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[bool] = []

    def looks(server: BenchServer) -> None:
        found.append((tmp_path / "sockets" / SOCKET_NAME).is_socket())
        server._socket.close()

    monkeypatch.setenv("REBOARD_SOCKET_DIR", str(tmp_path / "sockets"))
    monkeypatch.setattr(BenchServer, "run", looks)
    assert main(["--headless", "--port", "0"]) == 0
    assert found == [True]


def test_a_table_that_is_only_phones_prints_its_address_and_the_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    statuses: list[object] = []

    def looks(server: BenchServer) -> None:
        printed = capsys.readouterr().out
        page = next(word for word in printed.split() if word.startswith("http") and word.endswith("/."))[:-1]
        code = re.search(r"The code to join is (\d{4})\.", printed)
        assert code
        assert "PIN" not in printed
        assert "http://192.168.1.7:" in printed
        with httpx.Client(base_url=page, trust_env=False, timeout=PATIENCE_S) as phone:
            joined = phone.post("/api/ask", json={"do": "join", "card": 1, "code": code[1]})
            statuses.append(joined.json())
            eventually(lambda: phone.get("/api/host").json()["enabled"], "the phone may host")
        server._socket.close()

    monkeypatch.setattr(invitation, "_own_name_and_number", lambda: ("", "192.168.1.7"))
    monkeypatch.setattr(BenchServer, "run", looks)
    assert main(["--phones", "--headless", "--port", "0", "--edition", "classic-de"]) == 0
    assert statuses == [{"ok": {"pay": "free", "cards": {"1": ANY}}}]


def test_the_phones_have_a_config_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--phones", "-c", "table.toml"])
    assert "--phones" in capsys.readouterr().err
