"""The page of a whole table: real control socket, real firmware, virtual Pi."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from reboard_sim.plays.play import Player
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from tests.reboard.web.app_client import served


async def test_a_game_is_shown_drawn_and_changed_by_its_host(tmp_path: Path) -> None:
    socket = tmp_path / "table.sock"
    virtual = VirtualTable(Scene.load(None, tmp_path / "state"), seed=1, socket=socket)

    async def act(*lines: str) -> None:
        await Player(virtual).perform(parse_play("\n".join(lines)))

    await virtual.power_on()
    async with served(socket) as client:
        browser = client()
        browser.base_url = "http://localhost/api/"

        async def now() -> Any:
            await asyncio.sleep(1)
            return (await browser.get("table")).json()

        async def send(do: str, **args: object) -> Any:
            answer = await browser.post("host/do", json={"do": do, **args})
            assert answer.status_code == 200, answer.text
            return answer.json()["ok"]

        await asyncio.sleep(2)
        assert (await browser.get("chart/odds.svg")).status_code == 404
        await act("insert left 1", "insert right 2", "type 1.5M", "type 1M", "wait 2", "press block", "wait 5")
        await act("pull lever", "release lever", "wait 1")
        table = await now()
        assert [card["shown"] for card in table["cards"]] == ["17.5M", "12.5M"]
        assert table["apple"]["running"]
        for chart in ("balances", "odds"):
            assert (await browser.get(f"chart/{chart}.svg")).status_code == 200

        assert (await browser.post("host/session", json={"pin": "4711"})).status_code == 204
        await send("name", card=1, name="Anna")
        assert (await send("undo", transfer=table["transfers"][0]["id"]))["undoes"] == table["transfers"][0]["id"]
        ranking = (await send("end_game", game=table["game"], worths={"2": 5_000_000}))["ranking"]
        assert [player["number"] for player in ranking] == [2, 1]
        table = await now()
        assert (table["cards"][0]["name"], table["cards"][0]["shown"]) == ("Anna", "16.5M")
        assert table["ended"]["ranking"] == ranking
        drawn = (await browser.get("chart/balances.svg")).text
        assert "Anna" in drawn
        assert (await browser.post("host/do", json={"do": "undo", "transfer": 999})).status_code == 409

        await act("power off", "wait 3")
        for path in ("table", "chart/balances.svg"):
            assert (await browser.get(path)).status_code == 503
        await act("power on", "wait 5")
        assert (await browser.get("chart/balances.svg")).text == drawn
        await act("remove left", "remove right")
        await send("new_game", game=table["game"], edition="classic-de/speed-die")
        table = await now()
        assert (table["edition"], table["ended"]) == ("classic-de/speed-die", None)
        assert table["cards"] == [], "each card joins when it is inserted"
        assert table["titles"]["de"].endswith("mit dem Tempo-Würfel")
        await send("volume", level=0)
        await send("quiet", on=True)
        table = await now()
        assert (table["volume"], table["block"]["quiet"]) == (0, True)
    await virtual.close()
