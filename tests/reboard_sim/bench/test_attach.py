"""A real table on the bench: the table of another process shows the same here, and nothing here acts on it.

The real table is a virtual one with its table page: the same drivers, the same tap, the same HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from reboard.errors import ReboardError
from reboard.web.rate_limit import GUESSES, Limits
from reboard_sim.attach.attached_table import AttachedTable
from reboard_sim.attach.table_page_client import AttachError, TablePageClient
from reboard_sim.bench.bench_acts import Listener
from reboard_sim.bench.servers import PIN, TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.cli import main
from reboard_sim.scene import Scene
from tests.reboard_sim.bench.conftest import served
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

HIGH, LOW = "rgb(5, 104, 58)", "rgb(138, 148, 160)"

Bench = TableThread | AttachedTable


@pytest.fixture
def real(tmp_path: Path) -> Iterator[TableThread]:
    with closing(TableThread(Scene.load(None, tmp_path), seed=1, socket=tmp_path / "table.sock")) as table:
        yield table


@contextmanager
def table_page(folder: Path, port: int = 0) -> Iterator[int]:
    with closing(TablePage(folder / "table.sock", port=port)) as page:
        yield page.link.listens_at.port


@pytest.fixture
def port(real: TableThread, tmp_path: Path) -> Iterator[int]:
    with table_page(tmp_path) as port:
        yield port


@pytest.fixture
def attached(port: int) -> Iterator[AttachedTable]:
    with closing(AttachedTable(TablePageClient("127.0.0.1", port, PIN))) as table:
        yield table


class Seen:
    """What a page with Inside sees of a bench from now on."""

    def __init__(self, bench: Bench) -> None:
        self._poll = bench.open_inside_view()
        self.edges: dict[str, list[tuple[float, Any]]] = {}
        self.serial: list[tuple[str, str]] = []
        self.display: list[str] = []
        self._poll()

    def look(self) -> None:
        news = self._poll() or {}
        for name, edges in news.get("edges", {}).items():
            self.edges.setdefault(name, []).extend(edges)
        self.serial += [(piece["written"], piece["means"]) for row in news.get("serial", []) for piece in row["pieces"]]
        self.display += [row["means"] for row in news.get("display", [])]


def test_both_benches_show_the_same(real: TableThread, attached: AttachedTable) -> None:
    events: list[dict[str, Any]] = []
    attached.listeners.append(Listener(events.append))
    here, there = Seen(real), Seen(attached)
    lines = ["press block", "insert left 3", "pull lever", "release lever", "hold 7", "wait 0.3", "remove left"]
    real.do([*lines, "wait 0.5"]).result(PATIENCE_S)
    eventually(lambda: any(event["event"] == "card.removed" for event in events), "no event of the removed card")
    eventually(lambda: attached.hardware()["devices"]["bank.keypad"] == ["7"], "the held key is not shown")
    here.look()

    def all_came() -> bool:
        there.look()
        return len(there.serial) >= 5 and {*there.serial} == {*here.serial}

    eventually(all_came, "other bytes on the serial lines")
    # the drivers do not read the keypad's rows and columns all the time, so they see only a part of their edges
    read = [name for name in here.edges if not name.startswith("key")]
    assert {"block_button", "block_lamp", "apple_lever", "apple_motor"} <= {*read}
    for name in read:
        pairs = list(zip(here.edges[name], there.edges[name], strict=False))
        assert [here_is for (_, here_is), _ in pairs] == [there_is for _, (_, there_is) in pairs], name
        assert [t for (t, _), _ in pairs] == pytest.approx([t for _, (t, _) in pairs], abs=1e-5), name
    assert there.display == here.display[: len(there.display)]
    assert any("write" in means for means in there.display)

    real.do(["release 7", "insert left 3", "type 1"]).result(PATIENCE_S)
    expected = real.hardware()["devices"]["bank.display"]
    eventually(lambda: attached.hardware()["devices"]["bank.display"] == expected, "another display")
    eventually(lambda: attached.table()["slots"] == real.table()["slots"] == {"left": 3, "right": None})
    eventually(lambda: attached.hardware()["slots"]["left"] == 3, "the card is not in its slot")
    columns, rows = real.ledger()["columns"], real.ledger()["rows"]
    assert attached.ledger() == {"columns": columns[:-1], "rows": [row[:-1] for row in rows], "problem": None}
    assert attached.wiring() == real.wiring()
    vcd = BytesIO()
    attached.export("pins.vcd", vcd)
    assert b"apple_motor_duty" in vcd.getvalue()


def test_nothing_here_acts_on_the_real_table(real: TableThread, attached: AttachedTable) -> None:
    before = real.hardware()["recorded"]
    for refused in (attached.do(["press block"]), attached.step(), attached.choose_pace(0)):
        with pytest.raises(ReboardError, match="read-only"):
            refused.result(PATIENCE_S)
    with pytest.raises(ReboardError):
        attached.export("session.play", BytesIO())
    assert real.hardware()["recorded"] == before


def test_it_connects_again_and_says_why_not(
    tmp_path: Path, real: TableThread, caplog: pytest.LogCaptureFixture
) -> None:
    with table_page(tmp_path) as port:
        attached = AttachedTable(TablePageClient("127.0.0.1", port, PIN))
    with closing(attached):
        eventually(lambda: not attached.hardware()["powered"], "the lost connection is not shown")
        assert str(port) in attached.hardware()["attached"]["problem"]
        with table_page(tmp_path, port):
            eventually(lambda: attached.hardware()["powered"], "it did not connect again")
            assert attached.hardware()["attached"]["problem"] is None
            real.do(["power off"]).result(PATIENCE_S)
            eventually(lambda: not attached.hardware()["powered"], "the pulled plug is not shown")
            real.do(["power on"]).result(PATIENCE_S)
            eventually(lambda: attached.hardware()["powered"], "it did not connect to the restarted table")
    assert "Traceback" not in caplog.text


def test_what_prevents_attaching_is_an_error_for_people(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(pin: str, where: str) -> str:
        monkeypatch.setenv("REBOARD_PIN", pin)
        assert main(["attach", where, "--port", "0", "--headless"]) == 1
        return capsys.readouterr().err

    where = f"127.0.0.1:{port}"
    monkeypatch.setattr(Limits, "pause_s", lambda _, wrong: 99.0 * (wrong >= GUESSES.free))
    assert "PIN" in fails("word", where)
    assert "127.0.0.1" in fails(PIN, "127.0.0.1:1")
    wrong = [fails("9999", where) for _ in range(GUESSES.free + 1)]
    assert "try again in" in wrong[-1]
    assert "try again in" not in wrong[0]
    assert "9999" not in "".join(wrong)
    with pytest.raises(SystemExit, match="2"):
        main(["attach", "http://x/y"])


def test_at_a_bench_the_error_names_its_table_page(real: TableThread, tmp_path: Path) -> None:
    with closing(TablePage(tmp_path / "table.sock", port=0)) as page, served(real, table_page=page) as url:
        client = TablePageClient("127.0.0.1", int(url.rpartition(":")[2].strip("/")), PIN)
        with pytest.raises(AttachError, match=page.link.url):
            AttachedTable(client)


def test_a_newer_firmware_is_named(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    signals = TablePageClient.signals

    def newer(self: TablePageClient) -> Iterator[dict[str, Any]]:
        for message in signals(self):
            yield {**message, "version": "99.1", "config": {**message["config"], "dragon": 3}}

    monkeypatch.setattr(TablePageClient, "signals", newer)
    with pytest.raises(AttachError, match=r"99\.1"):
        AttachedTable(TablePageClient("127.0.0.1", port, PIN))


def test_a_maker_debugs_a_real_table(real: TableThread, attached: AttachedTable, browser: Browser) -> None:
    with served(attached) as url, closing(browser.new_context(viewport={"width": 1440, "height": 900})) as context:
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{url}?inside=pins")
        expect(page.locator("#attached-why")).to_contain_text("read-only")
        real.do(["insert left 2", "type 5"]).result(PATIENCE_S)
        expect(page.locator("#display-text")).to_contain_text("15M")
        for control in ("#power", "#setup-open", "#step", "#save-play"):
            expect(page.locator(control)).to_be_hidden()
        page.locator("#unit").focus()
        page.keyboard.press("7")
        expect(page.locator("#refusal")).to_be_visible()
        page.get_by_role("button", name="Wiring").click()
        net = page.locator('.wiring [stroke^="var(--GPIO17,"]').first
        expect(net).to_have_css("stroke", HIGH)
        real.do(["hold block"]).result(PATIENCE_S)
        expect(net).to_have_css("stroke", LOW)
        real.do(["release block"]).result(PATIENCE_S)
        expect(net).to_have_css("stroke", HIGH)
        assert problems == []
