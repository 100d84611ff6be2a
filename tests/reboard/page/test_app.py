from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from reboard.page.app import STATIC, make_app
from reboard.web.event_stream import EventStreams
from reboard_sim.virtual_time import run
from tests.reboard.page.described import Described
from tests.reboard.page.fake_table import SNAPSHOT, FakeTable, but_its_time

Story = Callable[[httpx.AsyncClient, FakeTable], Awaitable[None]]


def browsing(tmp_path: Path, story: Story, *, names: frozenset[str] = frozenset({"localhost", "table.local"})) -> None:
    async def main() -> None:
        table = FakeTable(tmp_path / "table.sock")
        app = make_app(tmp_path / "table.sock", EventStreams(), names=names)
        transport = Described(httpx.ASGITransport(app=app))
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as browser,
        ):
            await story(browser, table)
        await table.door.close()

    run(main)


def test_the_table_is_told_as_json(tmp_path: Path) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        await table.open()
        await asyncio.sleep(3)
        answer = await browser.get("/api/table")
        assert (answer.status_code, but_its_time(answer.json())) == (200, SNAPSHOT)
        assert answer.headers["cache-control"] == "no-store"

    browsing(tmp_path, story)


def test_while_the_table_is_away_that_is_told_with_what_was_known_last(tmp_path: Path) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        await asyncio.sleep(3)
        answer = await browser.get("/api/table")
        assert answer.status_code == 503
        assert "reboard run" in answer.json()["error"]
        assert answer.json()["last"] is None
        await table.open()
        await asyncio.sleep(3)
        await table.door.close()
        await asyncio.sleep(3)
        assert but_its_time((await browser.get("/api/table")).json()["last"]) == SNAPSHOT

    browsing(tmp_path, story)


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8080", "TABLE.local", "127.0.0.1:8080", "[::1]:8080", "10.1.2.3"]
)
def test_the_page_answers_under_its_names_and_under_numbers(tmp_path: Path, host: str) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        assert (await browser.get("/", headers={"host": host})).status_code == 200

    browsing(tmp_path, story)


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "", "1"])
def test_the_page_does_not_answer_under_a_name_that_is_not_its_own(tmp_path: Path, host: str) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        for path in ("/", "/api/table", "/api/events", "/static/page.js"):
            assert (await browser.get(path, headers={"host": host})).status_code == 400

    browsing(tmp_path, story)


@pytest.mark.parametrize("path", ["/", "/api/table", "/static/page.js", "/nothing"])
def test_every_answer_is_fenced_in(tmp_path: Path, path: str) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        headers = (await browser.get(path)).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"

    browsing(tmp_path, story)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_changed(tmp_path: Path, method: str) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        for path in ("/", "/api/table", "/api/events"):
            assert (await browser.request(method, path)).status_code == 405

    browsing(tmp_path, story)


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd"])
def test_no_other_file_is_served(tmp_path: Path, path: str) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        assert (await browser.get(path)).status_code == 404

    browsing(tmp_path, story)


def test_the_page_needs_nothing_from_elsewhere_and_puts_nothing_in_as_markup() -> None:
    for file in STATIC.iterdir():
        text = file.read_text().replace('xmlns="http://www.w3.org/2000/svg"', "")
        for forbidden in (
            "http:",
            "https:",
            "innerHTML",
            "insertAdjacentHTML",
            "outerHTML",
            "eval(",
            "onclick",
            "style=",
        ):
            assert forbidden not in text, (file.name, forbidden)
