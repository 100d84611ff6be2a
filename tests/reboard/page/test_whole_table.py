"""The page of a whole table: real door, real firmware, virtual Pi."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx

from reboard.host_pin import HostPin
from reboard.page.app import make_app
from reboard.web.event_stream import EventStreams
from reboard_sim.hands import Hands
from reboard_sim.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run
from tests.reboard.page.described import Described

PIN = HostPin.of("4711")

Acts = Callable[[str], Awaitable[None]]
Story = Callable[[httpx.AsyncClient, Acts], Awaitable[None]]


def at_home(tmp_path: Path, story: Story) -> None:
    async def main() -> None:
        door = tmp_path / "table.sock"
        table = VirtualTable(Scene.load(None, tmp_path / "state"), seed=1, door=door)
        hands = Hands(table)

        async def acts(text: str) -> None:
            for line in parse_play(text):
                await hands.do(line)

        app = make_app(door, EventStreams(), names={"localhost"}, pin=PIN)
        transport = Described(httpx.ASGITransport(app=app))
        try:
            await table.power_on()
            async with (
                app.router.lifespan_context(app),
                httpx.AsyncClient(transport=transport, base_url="http://localhost/api/") as browser,
            ):
                await asyncio.sleep(3)
                await story(browser, acts)
        finally:
            await table.close()
        await asyncio.sleep(1)

    run(main)


async def now(browser: httpx.AsyncClient) -> Any:
    await asyncio.sleep(1)
    return (await browser.get("table")).json()


def test_a_game_is_told_drawn_and_put_right_by_its_host(tmp_path: Path) -> None:
    async def story(browser: httpx.AsyncClient, acts: Acts) -> None:
        async def asks(do: str, **args: object) -> Any:
            answer = await browser.post("host/do", json={"do": do, **args})
            assert answer.status_code == 200, answer.text
            return answer.json()["ok"]

        assert (await browser.get("chart/odds.svg")).status_code == 404
        await acts(
            "insert left 1\ninsert right 2\ntype 1.5M\nwait 2\npress block\nwait 5\npull lever\nrelease lever\nwait 1"
        )
        table = await now(browser)
        assert [card["shown"] for card in table["cards"]] == ["16.5M", "13.5M"]
        assert table["apple"]["running"]
        for chart in ("balances", "odds"):
            assert (await browser.get(f"chart/{chart}.svg")).status_code == 200

        assert (await browser.post("host/session", json={"pin": "4711"})).status_code == 204
        await asks("name", card=1, name="Anna")
        assert (await asks("undo", transfer=table["transfers"][0]["id"]))["undoes"] == table["transfers"][0]["id"]
        ranking = (await asks("end_game", game=table["game"], worths={"2": 500_000}))["ranking"]
        assert [player["number"] for player in ranking] == [2, 1]
        table = await now(browser)
        assert table["cards"][0] | {"balance": 0} == table["cards"][0] | {"name": "Anna", "shown": "15M", "balance": 0}
        assert table["ended"]["ranking"] == ranking
        assert "Anna" in (await browser.get("chart/balances.svg")).text
        refused = await browser.post("host/do", json={"do": "undo", "transfer": 999})
        assert refused.status_code == 409
        await acts("remove left\nremove right")
        await asks("new_game", game=table["game"], edition="classic-de/speed-die")
        table = await now(browser)
        assert (table["edition"], table["ended"]) == ("classic-de/speed-die", None)
        assert [card["shown"] for card in table["cards"]] == ["2500", "2500"]
        assert table["titles"]["de"].endswith("mit dem Tempowürfel")
        await asks("volume", level=0)
        await asks("quiet", on=True)
        table = await now(browser)
        assert (table["volume"], table["block"]["quiet"]) == (0, True)

    at_home(tmp_path, story)


def test_a_table_whose_plug_was_pulled_is_found_again_with_its_past(tmp_path: Path) -> None:
    async def story(browser: httpx.AsyncClient, acts: Acts) -> None:
        await acts("insert left 1\ntype 1.5M\nwait 2")
        drawn = (await browser.get("chart/balances.svg")).content
        await acts("power off\nwait 3")
        assert (await browser.get("table")).status_code == 503
        assert (await browser.get("chart/balances.svg")).status_code == 503
        await acts("power on\nwait 5")
        assert (await now(browser))["cards"][0]["shown"] == "16.5M"
        assert (await browser.get("chart/balances.svg")).content == drawn

    at_home(tmp_path, story)
