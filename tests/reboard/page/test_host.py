"""Who is the host, and what the host can do."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from reboard.errors import ReboardError
from reboard.host_pin import HostPin
from reboard.page import host
from reboard.page.app import make_app
from reboard.page.guesses import FORGOTTEN_S, FREE, MOST_IN_ALL
from reboard.page.sessions import LONGEST_S
from reboard.web.event_stream import EventStreams
from reboard_sim.virtual_time import run
from tests.reboard.page.described import Described
from tests.reboard.page.fake_table import FakeTable
from tests.reboard.page.served_page import ServedPage

PIN = HostPin.of("4711")
JSON = {"content-type": "application/json"}

Browser = httpx.AsyncClient
Story = Callable[[Callable[..., Browser], FakeTable], Awaitable[None]]


def at_home(tmp_path: Path, story: Story, *, pin: HostPin | None = PIN) -> None:
    """*story* is given what makes a browser at an address, and a table that is there."""

    async def main() -> None:
        table = FakeTable(tmp_path / "table.sock")
        await table.open()
        app = make_app(tmp_path / "table.sock", EventStreams(), names={"localhost"}, pin=pin)

        def browser(address: str = "192.168.1.7") -> Browser:
            transport = Described(httpx.ASGITransport(app=app, client=(address, 50000)))
            return httpx.AsyncClient(transport=transport, base_url="http://localhost")

        try:
            await story(browser, table)
        finally:
            await table.door.close()

    run(main)


async def sign_in(browser: Browser, pin: str = "4711") -> httpx.Response:
    return await browser.post("/api/host/session", json={"pin": pin})


async def who(browser: Browser) -> Any:
    return (await browser.get("/api/host")).json()


def test_a_table_without_a_pin_has_no_host(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        assert await who(phone) == {"enabled": False, "host": False}
        answer = await sign_in(phone)
        assert answer.status_code == 404
        assert "no PIN is set" in answer.json()["error"]
        assert (await phone.post("/api/host/do", json={"do": "volume", "level": 0})).status_code == 401
        assert (await phone.delete("/api/host/session")).status_code == 204
        assert table.asked == []

    at_home(tmp_path, story, pin=None)


def test_who_knows_the_pin_is_the_host_and_nobody_else(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone, other = browser(), browser()
        assert await who(phone) == {"enabled": True, "host": False}
        assert (await sign_in(phone)).status_code == 204
        assert await who(phone) == {"enabled": True, "host": True}
        assert await who(other) == {"enabled": True, "host": False}

    at_home(tmp_path, story)


def test_the_cookie_is_for_this_page_alone(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        cookie = (await sign_in(browser())).headers["set-cookie"].split("; ")
        assert cookie[0].startswith("reboard_host=")
        assert {part.lower() for part in cookie[1:]} == {"httponly", "samesite=strict", "path=/", "max-age=43200"}

    at_home(tmp_path, story)


def test_a_wrong_pin_is_told_and_makes_nobody_the_host(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        answer = await sign_in(phone, "4712")
        assert (answer.status_code, answer.json()) == (403, {"error": "this is not the PIN"})
        assert "set-cookie" not in answer.headers
        assert (await who(phone))["host"] is False
        assert "a wrong PIN came from 192.168.1.7" in caplog.text
        assert "4712" not in caplog.text

    at_home(tmp_path, story)


def test_who_guesses_often_has_to_wait_even_with_the_right_pin(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        for _ in range(FREE):
            assert (await sign_in(phone, "0000")).status_code == 403
        answer = await sign_in(phone)
        assert answer.status_code == 429
        assert answer.json() == {"error": "too many wrong PINs: wait 5 s", "retry_after_s": 5}
        assert answer.headers["retry-after"] == "5"
        assert (await sign_in(browser("192.168.1.8"))).status_code == 204
        await asyncio.sleep(5)
        assert (await sign_in(phone)).status_code == 204

    at_home(tmp_path, story)


def test_guesses_that_come_at_once_count_each_for_itself_and_are_compared_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparing = most = 0

    def is_opened_by(_: HostPin, guess: str) -> bool:
        nonlocal comparing, most
        comparing += 1
        most = max(most, comparing)
        threading.Event().wait(0.002)  # another one would come in here
        comparing -= 1
        return False

    monkeypatch.setattr(HostPin, "is_opened_by", is_opened_by)

    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        answers = await asyncio.gather(*(sign_in(browser(f"10.0.{n // 200}.{n % 200}")) for n in range(500)))
        assert [answer.status_code for answer in answers].count(403) == MOST_IN_ALL
        assert [answer.status_code for answer in answers].count(429) == 500 - MOST_IN_ALL
        assert most == 1
        await asyncio.sleep(FORGOTTEN_S)
        assert (await sign_in(browser("10.0.0.0"))).status_code == 403

    at_home(tmp_path, story)


@pytest.mark.realtime
def test_nobody_guesses_for_another_address(tmp_path: Path) -> None:
    with ServedPage(tmp_path, pin=PIN) as page, httpx.Client(base_url=f"http://{page.address}") as phone:

        def guess(n: int) -> int:
            disguise = {"x-forwarded-for": f"10.0.0.{n}", "forwarded": f"for=10.0.0.{n}"}
            return phone.post("/api/host/session", json={"pin": "0000"}, headers=disguise).status_code

        assert [guess(n) for n in range(FREE + 1)] == [403] * FREE + [429]


def test_a_session_ends_when_the_host_says_so_or_after_twelve_hours(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone, laptop = browser(), browser()
        await sign_in(phone)
        await sign_in(laptop)
        stolen = dict(phone.cookies)
        assert (await phone.delete("/api/host/session")).status_code == 204
        assert (await who(phone))["host"] is False
        phone.cookies.update(stolen)
        assert (await who(phone))["host"] is False, "the browser forgets it, and so does the page"
        kept = dict(laptop.cookies)
        await asyncio.sleep(LONGEST_S)
        laptop.cookies.update(kept)
        assert (await who(laptop))["host"] is False
        assert (await laptop.post("/api/host/do", json={"do": "volume", "level": 0})).status_code == 401

    at_home(tmp_path, story)


def test_a_new_session_takes_the_place_of_the_browsers_old_one(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone, thief = browser(), browser()
        await sign_in(phone)
        thief.cookies.update(phone.cookies)
        await sign_in(phone)
        assert (await who(phone))["host"] is True
        assert (await who(thief))["host"] is False

    at_home(tmp_path, story)


def test_what_the_host_asks_is_carried_out_in_the_name_of_the_page(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser("::ffff:192.168.1.7")
        await sign_in(phone)
        table.answer = {"id": 10, "undoes": 9}
        answer = await phone.post("/api/host/do", json={"do": "undo", "transfer": 9})
        assert (answer.status_code, answer.json()) == (200, {"ok": table.answer})
        assert table.asked == [("undo", {"transfer": 9, "by": "the page at 192.168.1.7"})]

    at_home(tmp_path, story)


def test_who_is_not_the_host_changes_nothing(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        phone.cookies.set("reboard_host", "x" * 43)
        answer = await phone.post("/api/host/do", json={"do": "undo", "transfer": 9})
        assert answer.status_code == 401
        assert "the PIN first" in answer.json()["error"]
        assert table.asked == []

    at_home(tmp_path, story)


def test_the_tables_refusal_is_told_in_its_own_words(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        await sign_in(phone)
        table.refusal = ReboardError("nothing to undo")
        answer = await phone.post("/api/host/do", json={"do": "undo", "transfer": 9})
        assert (answer.status_code, answer.json()) == (409, {"error": "nothing to undo"})

    at_home(tmp_path, story)


def test_a_table_that_is_away_is_told(tmp_path: Path) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        await sign_in(phone)
        await table.door.close()
        answer = await phone.post("/api/host/do", json={"do": "undo", "transfer": 9})
        assert answer.status_code == 503
        assert "no table is at work" in answer.json()["error"]

    at_home(tmp_path, story)


def test_no_more_requests_than_a_few_wait_for_a_table_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(_: FakeTable, do: str, **args: object) -> None:
        await asyncio.sleep(3600)

    monkeypatch.setattr(FakeTable, "request", hangs)

    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        await sign_in(phone)
        for _ in range(2):
            asked = [phone.post("/api/host/do", json={"do": "volume", "level": 1}) for _ in range(20)]
            errors = [answer.json()["error"] for answer in await asyncio.gather(*asked)]
            assert sum("still busy" in error for error in errors) == 20 - host.MOST_AT_ONCE
            assert sum("did not answer" in error for error in errors) == host.MOST_AT_ONCE

    at_home(tmp_path, story)


@pytest.mark.parametrize(
    ("path", "body", "complaint"),
    [
        ("do", b"", "no JSON"),
        ("do", b"[" * 4000, "no JSON"),
        ("do", b'{"do": "volume", "level": ' + b"9" * 4000 + b"}", '"level" must be a whole number'),
        ("do", b"\xff", "no JSON"),
        ("do", b"[]", "an object"),
        ("do", {}, '"do" must be one of'),
        ("do", {"do": ["undo"]}, '"do" must be one of'),
        ("do", {"do": "\ud800"}, "no JSON"),
        ("do", {"do": "snapshot"}, "changes nothing"),
        ("do", {"do": "events"}, "changes nothing"),
        ("do", {"do": "undo"}, '"transfer" must be a whole number'),
        ("do", {"do": "volume", "level": 1.0}, '"level" must be a whole number'),
        ("do", b'{"do": "volume", "level": NaN}', '"level" must be a whole number'),
        ("do", b'{"do": "volume", "level": 1e999}', '"level" must be a whole number'),
        ("do", {"do": "volume", "level": 1, "id": 7}, "'id' is for the page to say"),
        ("do", {"do": "volume", "level": 1, "by": "nobody"}, "'by' is for the page to say"),
        ("do", {"do": "volume", "level": 1, "\ud800": 1}, "no JSON"),
        ("session", {}, "4 to 12 digits"),
        ("session", {"pin": 4711}, "4 to 12 digits"),
        ("session", {"pin": "471"}, "4 to 12 digits"),
        ("session", {"pin": "4" * 13}, "4 to 12 digits"),
        ("session", ["4711"], "an object"),
        ("session", b"pin=4711", "no JSON"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(tmp_path: Path, path: str, body: object, complaint: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        await sign_in(phone)
        answer = await phone.post(f"/api/host/{path}", content=content, headers=JSON)
        assert answer.status_code == 400
        assert complaint in answer.json()["error"]
        assert table.asked == []

    at_home(tmp_path, story)


@pytest.mark.parametrize("path", ["/api/host/do", "/api/host/session"])
def test_only_json_is_taken_and_not_too_much_of_it(tmp_path: Path, path: str) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        await sign_in(phone)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
            assert (await phone.post(path, content=b"{}", headers={"content-type": kind})).status_code == 415
        assert (await phone.post(path, content=b"{}", headers={"content-type": "x"})).status_code == 415
        long = b" " * (host.MOST_BYTES + 1)
        assert (await phone.post(path, content=long, headers=JSON)).status_code == 413

    at_home(tmp_path, story)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost", "http://localhost:8080", ""])
def test_another_sites_page_can_do_nothing(tmp_path: Path, origin: str) -> None:
    async def story(browser: Callable[..., Browser], table: FakeTable) -> None:
        phone = browser()
        await sign_in(phone)
        from_there = {"origin": origin}
        asked = {"do": "undo", "transfer": 9}
        assert (await phone.post("/api/host/do", json=asked, headers=from_there)).status_code == 403
        assert (await phone.post("/api/host/session", json={"pin": "0000"}, headers=from_there)).status_code == 403
        assert (await phone.delete("/api/host/session", headers=from_there)).status_code == 403
        assert (await who(phone))["host"] is True
        assert table.asked == []
        ours = {"origin": "http://localhost"}
        assert (await phone.post("/api/host/do", json=asked, headers=ours)).status_code == 200

    at_home(tmp_path, story)
