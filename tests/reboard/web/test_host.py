"""The host's requests over HTTP."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.config.host_pin import HostPin
from reboard.control.backup_pieces import PIECE_BYTES
from reboard.control.client import ControlClient
from reboard.control.table_requests import MOST_BYTES
from reboard.devices.signal_tap import MOST_WATCHES
from reboard.devices.speaker import VolumeSet
from reboard.errors import ReboardError, Rejection
from reboard.web import host
from reboard.web.rate_limit import GUESSES, Limits
from tests.reboard.web.app_client import PIN, Client, with_page
from tests.reboard.web.fake_table import FakeTable
from tests.reboard.web.served_page import FakePower, ServedPage
from tests.virtual import happened
from tests.waiting import PATIENCE_S

JSON = {"content-type": "application/json"}
UNDO = {"do": "undo", "transfer": 9}


async def sign_in(client: Client, pin: str = "4711") -> httpx.Response:
    return await client.post("/api/host/session", json={"pin": pin})


async def do(client: Client, **request: object) -> httpx.Response:
    return await client.post("/api/host/do", json=request)


async def is_host(client: Client) -> bool:
    return bool((await client.get("/api/host")).json()["host"])


def test_without_a_pin_there_is_no_host(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        status = {"enabled": False, "needs_pin": False, "host": False, "power": []}
        assert (await phone.get("/api/host")).json() == status
        assert (await sign_in(phone)).status_code == 404
        assert (await do(phone, **UNDO)).status_code == 401
        assert (await phone.delete("/api/host/session")).status_code == 204
        assert table.requests == []

    with_page(tmp_path, scenario, pin=None)


def test_without_a_pin_a_phone_with_a_card_is_the_host_where_phones_need_no_go(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        async def set_phones(pay: str, cards: list[int]) -> None:
            table.now["phones"] = {"pay": pay, "cards": cards}
            table.events.emit(VolumeSet(3))
            await asyncio.sleep(1)

        async def may_host() -> bool:
            enabled = bool((await phone.get("/api/host")).json()["enabled"])
            assert enabled == ((await phone.post("/api/host/session", json={})).status_code == 204)
            return enabled

        phone = client()
        await set_phones("free", [1])
        assert not await may_host()  # it has no token
        phone.cookies.set("reboard_phone", "x" * 43)
        table.rejection = Rejection(BankWhy.NO_PHONE)
        assert not await may_host()
        table.rejection = None
        for pay, cards in (("free", []), ("ask", [1]), ("off", [1])):
            await set_phones(pay, cards)
            assert not await may_host(), pay
        assert table.requests == []

        await set_phones("free", [1])
        assert await may_host()
        assert (await do(phone, **UNDO)).status_code == 200
        assert (await phone.get("/api/host")).json()["power"] == []
        assert (await phone.post("/api/host/power", json={"do": "power_off"})).status_code == 404
        table.rejection = Rejection(BankWhy.NO_PHONE)
        table.requests.clear()
        assert (await do(phone, **UNDO)).json()["why"] == "no phone", "it has lost its card"
        assert table.requests == []
        table.rejection = None
        await set_phones("ask", [1])
        assert (await do(phone, **UNDO)).status_code == 401
        table.now["fitted"] = []  # no keypad, so only a host can confirm
        await set_phones("ask", [1])
        assert (await do(phone, **UNDO)).status_code == 200
        await set_phones("off", [1])
        assert (await do(phone, **UNDO)).status_code == 401

    with_page(tmp_path, scenario, pin=None, power=FakePower())


def test_a_phone_with_a_card_needs_the_pin_if_there_is_one(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        table.now["phones"] = {"pay": "free", "cards": {"1": "1f83d9ab"}}
        table.events.emit(VolumeSet(3))
        await asyncio.sleep(1)
        phone = client()
        phone.cookies.set("reboard_phone", "x" * 43)
        assert (await phone.get("/api/host")).json()["needs_pin"]
        assert (await phone.post("/api/host/session", json={})).status_code == 400
        assert table.requests == []

    with_page(tmp_path, scenario)


def test_the_pin_makes_one_browser_the_host(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone, other = client("::ffff:192.168.1.7"), client("192.168.1.8")
        wrong = await sign_in(phone, "4712")
        assert wrong.status_code == 403
        assert "set-cookie" not in wrong.headers
        assert "wrong PIN" in caplog.text
        assert "192.168.1.7" not in caplog.text
        with caplog.at_level("DEBUG"):
            await sign_in(phone, "4713")
        assert "192.168.1.7" in caplog.text
        assert "4712" not in caplog.text
        assert not await is_host(phone)
        cookie = (await sign_in(phone)).headers["set-cookie"].split("; ")
        assert {part.lower() for part in cookie[1:]} == {"httponly", "samesite=strict", "path=/", "max-age=43200"}
        assert len(cookie[0].removeprefix("reboard_host=")) >= 43
        assert await is_host(phone)
        assert not await is_host(other)
        other.cookies.set("reboard_host", "x" * 43)
        assert (await do(other, **UNDO)).status_code == 401
        assert table.requests == []
        table.answer = {"id": 10, "undoes": 9}
        assert (await do(phone, **UNDO)).json() == {"ok": table.answer}
        assert table.requests == [("undo", {"transfer": 9, "by": "the host"})]

    with_page(tmp_path, scenario)


def test_a_session_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "MOST_SESSIONS", 3)
    monkeypatch.setattr(host, "LONGEST_SESSION_S", 600)

    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone, thief, laptop = client(), client(), client()
        await sign_in(phone)
        thief.cookies.update(phone.cookies)
        await sign_in(phone)
        assert not await is_host(thief), "signing in again ends the browser's old session"
        thief.cookies.update(phone.cookies)
        await phone.delete("/api/host/session")
        assert not await is_host(phone)
        assert not await is_host(thief)

        await sign_in(laptop)
        kept = dict(laptop.cookies)
        await asyncio.sleep(599)
        assert await is_host(laptop)
        await asyncio.sleep(1)
        laptop.cookies.update(kept)
        assert not await is_host(laptop)

        await sign_in(phone)
        for _ in range(3):
            assert await is_host(phone)
            await sign_in(client())
        assert not await is_host(phone), "the oldest of too many sessions ends"

    with_page(tmp_path, scenario)


def test_wrong_pins_cost_a_pause_even_before_the_right_one(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        for _ in range(GUESSES.free):
            assert (await sign_in(phone, "0000")).status_code == 403
        answer = await sign_in(phone)
        assert (answer.status_code, answer.json()["retry_after_s"], answer.headers["retry-after"]) == (429, 5, "5")
        assert (await sign_in(client("192.168.1.8"))).status_code == 204
        await asyncio.sleep(5)
        assert (await sign_in(phone)).status_code == 204

    with_page(tmp_path, scenario)


def test_a_pin_that_could_not_be_compared_is_no_guess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: HostPin, guess: str) -> bool:
        raise MemoryError

    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        for _ in range(GUESSES.free - 1):
            await sign_in(phone, "0000")
        with monkeypatch.context() as broken:
            broken.setattr(HostPin, "is_opened_by", fail)
            answers = [await sign_in(phone, guess) for guess in ("4711", "0000") * GUESSES.most_in_all]
        assert {answer.status_code for answer in answers} == {503}
        assert "try again" in answers[0].json()["error"]
        assert (await sign_in(phone, "0000")).status_code == 403
        assert (await sign_in(phone)).status_code == 429, "only the wrong PINs counted"
        await asyncio.sleep(5)
        assert (await sign_in(phone)).status_code == 204

    with_page(tmp_path, scenario)


def test_guesses_at_the_same_time_count_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comparing = most = 0

    def is_opened_by(_: HostPin, guess: str) -> bool:
        nonlocal comparing, most
        comparing += 1
        most = max(most, comparing)
        threading.Event().wait(0.002)  # another comparison would begin here
        comparing -= 1
        return False

    monkeypatch.setattr(HostPin, "is_opened_by", is_opened_by)

    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        answers = await asyncio.gather(*(sign_in(client(f"10.0.0.{n}")) for n in range(200)))
        assert [answer.status_code for answer in answers].count(403) == GUESSES.most_in_all
        assert most == 1
        await asyncio.sleep(GUESSES.forgotten_s)
        assert (await sign_in(client("10.0.0.0"))).status_code == 403

    with_page(tmp_path, scenario)


@pytest.mark.realtime
def test_a_proxy_header_does_not_change_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "pause_s", lambda _, wrong: 99.0 * (wrong >= GUESSES.free))
    with (
        ServedPage(tmp_path, pin=PIN) as page,
        httpx.Client(base_url=f"http://{page.address}", timeout=PATIENCE_S) as phone,
    ):

        def guess(n: int) -> int:
            headers = {"x-forwarded-for": f"10.0.0.{n}", "forwarded": f"for=10.0.0.{n}"}
            return phone.post("/api/host/session", json={"pin": "0000"}, headers=headers).status_code

        assert [guess(n) for n in range(GUESSES.free + 1)] == [403] * GUESSES.free + [429]


def test_the_page_passes_on_why_the_table_does_not_do_it(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        await sign_in(phone)
        table.rejection = ReboardError("there is no transfer 9")
        answer = await do(phone, **UNDO)
        assert (answer.status_code, answer.json()) == (409, {"error": "there is no transfer 9"})
        table.rejection = Rejection(BankWhy.NO_FUNDS)
        assert (await do(phone, **UNDO)).json()["why"] == "no funds"
        await table.socket.close()
        assert (await do(phone, **UNDO)).status_code == 503

    with_page(tmp_path, scenario)


def test_only_a_few_requests_wait_for_a_table_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = 0

    async def hang(_: FakeTable, do: str, **args: object) -> None:
        nonlocal hanging
        hanging += 1
        await asyncio.sleep(3600)

    monkeypatch.setattr(FakeTable, "request", hang)

    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        await sign_in(phone)
        for turn in (1, 2):
            answers = await asyncio.gather(*(do(phone, **UNDO) for _ in range(20)))
            assert {answer.status_code for answer in answers} == {503}
            assert hanging == turn * host.MOST_AT_ONCE

    with_page(tmp_path, scenario)


BAD_REQUESTS: list[tuple[str, object]] = [
    ("do", b""),
    ("do", b"[" * 4000),
    ("do", b"\xff"),
    ("do", {}),
    ("do", {"do": ["undo"]}),
    ("do", {"do": "snapshot"}),
    ("do", {"do": "undo"}),
    ("do", {"do": "volume", "level": 1.0}),
    ("do", b'{"do": "volume", "level": NaN}'),
    ("do", {"do": "volume", "level": 1, "id": 7}),
    ("do", {"do": "volume", "level": 1, "by": "me"}),
    ("session", {"pin": 4711}),
    ("session", {"pin": "471"}),
    ("session", {"pin": "4" * 13}),
]


def test_bad_requests_do_not_reach_the_table(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        await sign_in(phone)
        for path, body in BAD_REQUESTS:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            answer = await phone.post(f"/api/host/{path}", content=content, headers=JSON)
            assert (answer.status_code, bool(answer.json()["error"])) == (400, True), body
        for path in ("do", "session"):
            for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
                answer = await phone.post(f"/api/host/{path}", content=b"{}", headers={"content-type": kind})
                assert answer.status_code == 415
            answer = await phone.post(f"/api/host/{path}", content=b" " * (MOST_BYTES + 1), headers=JSON)
            assert answer.status_code == 413
        assert table.requests == []

    with_page(tmp_path, scenario)


def test_a_page_of_another_site_can_do_nothing(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone: Any = client()
        await sign_in(phone)
        for origin in ("http://evil.example", "null", "https://localhost:8443", "http://localhost:8080", ""):
            foreign = {"origin": origin}
            assert (await phone.post("/api/host/do", json=UNDO, headers=foreign)).status_code == 403
            assert (await phone.post("/api/host/session", json={"pin": "0000"}, headers=foreign)).status_code == 403
            assert (await phone.delete("/api/host/session", headers=foreign)).status_code == 403
        assert await is_host(phone)
        assert table.requests == []
        behind_proxies = (
            {"origin": "https://localhost"},
            {"origin": "https://localhost", "host": "localhost:443"},
            {"origin": "https://localhost:8443", "host": "localhost:8443"},
            {"origin": "https://table.example", "sec-fetch-site": "same-origin"},
        )
        for own in ({"origin": "http://localhost"}, *behind_proxies):
            assert (await phone.post("/api/host/do", json=UNDO, headers=own)).status_code == 200, own
        for site in ("same-site", "cross-site", "none"):
            foreign = {"origin": "https://table.example", "sec-fetch-site": site}
            assert (await phone.post("/api/host/do", json=UNDO, headers=foreign)).status_code == 403, site

    with_page(tmp_path, scenario)


def test_only_the_host_downloads_a_backup_and_one_is_made_at_a_time(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        guest, boss = client("192.168.1.8"), client()
        table.backup = random.Random(1).randbytes(2 * PIECE_BYTES + 5)
        assert (await guest.get("/api/host/backup")).status_code == 401
        await sign_in(boss)
        answer = await boss.get("/api/host/backup")
        assert answer.content == table.backup
        assert answer.headers["cache-control"] == "no-store"
        assert "attachment" in answer.headers["content-disposition"]
        async with await ControlClient.connect(tmp_path / "table.sock") as another:
            assert await another.request("backup")
            assert (await boss.get("/api/host/backup")).status_code == 409
        await asyncio.sleep(1)
        table.backup = ReboardError("the ledger is damaged")
        answer = await boss.get("/api/host/backup")
        assert (answer.status_code, answer.json()["error"]) == (409, "the ledger is damaged")
        table.backup = b"mended"
        assert (await boss.get("/api/host/backup")).content == b"mended"
        await table.socket.close()
        assert (await boss.get("/api/host/backup")).status_code == 503

    with_page(tmp_path, scenario)


def test_only_the_host_sees_the_signals(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        for path in ("/api/host/signals", "/api/host/read/history"):
            assert (await phone.get(path)).status_code == 401
        await sign_in(phone)
        assert (await phone.get("/api/host/read/history")).json() == {"ok": table.history}
        for name in ("undo", "snapshot", "dragon"):
            assert (await phone.get(f"/api/host/read/{name}")).status_code == 404

        watching = asyncio.create_task(phone.get("/api/host/signals"))
        await asyncio.sleep(0.5)
        table.tap.put("pin", 17, 0.0, False)
        table.events.emit(happened("lamp", on=True))
        await asyncio.sleep(0.5)
        await phone.delete("/api/host/session")
        lines = (await watching).text.split("\n\n")
        await asyncio.sleep(0.5)
        begin, *news = [json.loads(line.removeprefix("data: ")) for line in lines if line]
        assert begin["table"]["edition"] == "world"
        seen = [signal for each in news for signal in each["signals"]]
        assert [signal[0] for signal in seen] == ["pin", "event"]
        assert seen[0][2:] == [17, 0.0, False]
        assert not table.tap.is_watched, "the watch ends with the session"

        await sign_in(phone)
        for _ in range(MOST_WATCHES):
            table.tap.watch()
        assert (await phone.get("/api/host/signals")).status_code == 503

    with_page(tmp_path, scenario)
