"""The page of a whole table: real control socket, real firmware, virtual Pi."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from reboard_sim.plays.acts import Acts
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run
from tests.reboard.web.app_client import Client, served

Act = Callable[[str], Awaitable[None]]


def with_table(tmp_path: Path, scenario: Callable[[Client, Act], Awaitable[None]]) -> None:
    async def main() -> None:
        socket = tmp_path / "table.sock"
        table = VirtualTable(Scene.load(None, tmp_path / "state"), seed=1, socket=socket)
        user = Acts(table)

        async def act(text: str) -> None:
            for line in parse_play(text):
                await user.do(line)

        try:
            await table.power_on()
            async with served(socket) as client:
                browser = client()
                browser.base_url = "http://localhost/api/"
                await asyncio.sleep(2)
                await scenario(browser, act)
        finally:
            await table.close()
        await asyncio.sleep(1)

    run(main)


async def now(browser: Client) -> Any:
    await asyncio.sleep(1)
    return (await browser.get("table")).json()


def test_a_game_is_shown_drawn_and_changed_by_its_host(tmp_path: Path) -> None:
    async def scenario(browser: Client, act: Act) -> None:
        async def send(do: str, **args: object) -> Any:
            answer = await browser.post("host/do", json={"do": do, **args})
            assert answer.status_code == 200, answer.text
            return answer.json()["ok"]

        assert (await browser.get("chart/odds.svg")).status_code == 404
        await act(
            "insert left 1\ninsert right 2\ntype 1.5M\nwait 2\npress block\nwait 5\npull lever\nrelease lever\nwait 1"
        )
        table = await now(browser)
        assert [card["shown"] for card in table["cards"]] == ["16.5M", "13.5M"]
        assert table["apple"]["running"]
        for chart in ("balances", "odds"):
            assert (await browser.get(f"chart/{chart}.svg")).status_code == 200

        assert (await browser.post("host/session", json={"pin": "4711"})).status_code == 204
        await send("name", card=1, name="Anna")
        assert (await send("undo", transfer=table["transfers"][0]["id"]))["undoes"] == table["transfers"][0]["id"]
        ranking = (await send("end_game", game=table["game"], worths={"2": 500_000}))["ranking"]
        assert [player["number"] for player in ranking] == [2, 1]
        table = await now(browser)
        assert table["cards"][0] | {"balance": 0} == table["cards"][0] | {"name": "Anna", "shown": "15M", "balance": 0}
        assert table["ended"]["ranking"] == ranking
        assert "Anna" in (await browser.get("chart/balances.svg")).text
        refused = await browser.post("host/do", json={"do": "undo", "transfer": 999})
        assert refused.status_code == 409
        await act("remove left\nremove right")
        await send("new_game", game=table["game"], edition="classic-de/speed-die")
        table = await now(browser)
        assert (table["edition"], table["ended"]) == ("classic-de/speed-die", None)
        assert [card["shown"] for card in table["cards"]] == ["2500", "2500"]
        assert table["titles"]["de"].endswith("mit dem Tempowürfel")
        await send("volume", level=0)
        await send("quiet", on=True)
        table = await now(browser)
        assert (table["volume"], table["block"]["quiet"]) == (0, True)

    with_table(tmp_path, scenario)


def test_a_table_is_found_again_with_its_history_after_a_power_cut(tmp_path: Path) -> None:
    async def scenario(browser: Client, act: Act) -> None:
        await act("insert left 1\ntype 1.5M\nwait 2")
        drawn = (await browser.get("chart/balances.svg")).content
        await act("power off\nwait 3")
        assert (await browser.get("table")).status_code == 503
        assert (await browser.get("chart/balances.svg")).status_code == 503
        await act("power on\nwait 5")
        assert (await now(browser))["cards"][0]["shown"] == "16.5M"
        assert (await browser.get("chart/balances.svg")).content == drawn

    with_table(tmp_path, scenario)
