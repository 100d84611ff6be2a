from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from reboard.errors import ReboardError
from reboard.page import charts
from reboard.page.app import make_app
from reboard.web.event_stream import EventStreams
from reboard_sim.virtual_time import run
from tests.reboard.page.described import Described
from tests.reboard.page.fake_table import SNAPSHOT, FakeTable
from tests.reboard.page.games import any_game

Story = Callable[[httpx.AsyncClient, FakeTable], Awaitable[None]]
ROWS = any_game(40)


def playing(rows: list[dict[str, Any]], **changes: object) -> dict[str, Any]:
    return {**SNAPSHOT, "transfers": rows[-20:][::-1], **changes}


def looking(tmp_path: Path, story: Story) -> None:
    async def main() -> None:
        table = FakeTable(tmp_path / "table.sock")
        table.now = playing(ROWS)
        table.past = {"game": 3, "before": {}, "transfers": ROWS}
        await table.open()
        app = make_app(tmp_path / "table.sock", EventStreams(), names={"localhost"})
        transport = Described(httpx.ASGITransport(app=app))
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost/api/chart/") as browser,
        ):
            await asyncio.sleep(1)
            try:
                await story(browser, table)
            finally:
                await table.door.close()
        await asyncio.sleep(1)

    run(main)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was drawn, and in which thread."""
    done: list[str] = []
    for name in ("balances", "outcomes"):

        def note(*args: Any, name: str = name, draw: Any = getattr(charts, name)) -> Any:  # noqa: B008
            done.append(
                f"{name} {'on the loop' if threading.current_thread() is threading.main_thread() else 'off it'}"
            )
            return draw(*args)

        monkeypatch.setattr(charts, name, note)
    return done


def test_charts_are_pictures(tmp_path: Path) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        for chart, word in (("balances.svg", b"Anna"), ("odds.svg", b"power-up")):
            answer = await browser.get(chart)
            assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
            assert word in answer.content
            assert "style-src 'sha256-" in answer.headers["content-security-policy"]
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cache-control"] == "no-store"

    looking(tmp_path, story)


def test_a_chart_is_drawn_once_for_all_who_look_and_not_on_the_loop(tmp_path: Path, drawn: list[str]) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        asked = [browser.get(chart) for chart in ("balances.svg", "odds.svg") for _ in range(200)]
        assert {answer.status_code for answer in await asyncio.gather(*asked)} == {200}
        assert sorted(drawn) == ["balances off it", "outcomes off it"]
        assert table.looks_back == 1

    looking(tmp_path, story)


def test_a_chart_is_drawn_anew_only_when_it_shows_something_else(tmp_path: Path, drawn: list[str]) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        async def happens(event: str, **fields: object) -> None:
            table.events.emit(event, **fields)
            await asyncio.sleep(1)
            await browser.get("balances.svg")

        await happens("deal.tick")
        table.now = playing(ROWS, volume=1, display=["", ""])
        await happens("volume", level=1)
        assert len(drawn) == 1
        table.now = playing(any_game(41))
        await happens("deal.tick")
        assert len(drawn) == 2
        table.now = playing(any_game(41), cards=[{"number": 1, "balance": 0, "shown": "0", "name": "Zoe"}])
        await happens("deal.tick")
        assert len(drawn) == 3
        assert table.looks_back == 1

    looking(tmp_path, story)


def test_what_is_asked_of_a_look_is_drawn(tmp_path: Path, drawn: list[str]) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        german = await browser.get("balances.svg?lang=de&theme=dark&width=360&v=7")
        assert "Karte 2" in german.text
        assert 'width="360"' in german.text
        assert "prefers-color-scheme" not in german.text
        assert len(drawn) == 1

    looking(tmp_path, story)


@pytest.mark.parametrize("query", ["width=361", "width=0720", "width=", "theme=blue", "theme=", "lang=fr", "lang=EN"])
def test_looks_that_there_are_not_are_refused(tmp_path: Path, drawn: list[str], query: str) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        for chart in ("balances.svg", "odds.svg"):
            answer = await browser.get(f"{chart}?{query}")
            assert answer.status_code == 400
            assert f"{query.partition('=')[0]} must be one of" in answer.json()["error"]
        assert drawn == []

    looking(tmp_path, story)


def test_there_is_nothing_to_draw_before_anything_happened(tmp_path: Path) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        untouched = {"coins": [0] * 6, "laugh": 0, "power_up": 0, "game_over": 0}
        block = {**SNAPSHOT["block"], "tally": untouched}
        table.past = {"game": 3, "before": {}, "transfers": []}
        unplayed: dict[str, Any] = {"block": block, "transfers": []}
        unplugged: dict[str, Any] = {"block": None, "game": None, "cards": []}
        for changes in (unplayed, unplugged):
            table.now = {**SNAPSHOT, **changes}
            table.events.emit("deal.tick")
            await asyncio.sleep(1)
            for chart in ("balances.svg", "odds.svg"):
                answer = await browser.get(chart)
                assert answer.status_code == 404
                assert answer.json()["error"]
        assert table.looks_back == 1, "without a game nobody asks"

    looking(tmp_path, story)


def test_a_book_that_cannot_be_read_and_a_table_that_is_away_are_told(tmp_path: Path) -> None:
    async def story(browser: httpx.AsyncClient, table: FakeTable) -> None:
        table.refusal = ReboardError("the ledger cannot be read")
        answer = await browser.get("balances.svg")
        assert (answer.status_code, answer.json()) == (503, {"error": "the ledger cannot be read"})
        assert (await browser.get("odds.svg")).status_code == 200
        await table.door.close()
        await asyncio.sleep(1)
        for chart in ("balances.svg", "odds.svg"):
            assert (await browser.get(chart)).status_code == 503

    looking(tmp_path, story)
