"""Requests of players, who need no PIN."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from reboard.errors import Rejection
from reboard.web.players import LIMITS
from tests.reboard.web.app_client import Client, with_page
from tests.reboard.web.fake_table import FakeTable

ASK = {"do": "ask_payment", "payment": "0123456789abcdef", "game": 3, "from": 1, "to": 0, "amount": "1.5M"}


def test_players_ask_only_where_the_config_allows_it(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        assert (await phone.post("/api/ask", json=ASK)).status_code == 404
        assert not any(panel["asks"] for panel in (await phone.get("/api/panels")).json())
        assert table.requests == []

    with_page(tmp_path, scenario)


def test_a_player_asks_and_can_do_nothing_else(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        table.answer = {"state": "asked"}
        assert (await phone.post("/api/ask", json=ASK)).json() == {"ok": {"state": "asked"}}
        asked = {name: value for name, value in ASK.items() if name != "do"}
        assert table.requests == [("ask_payment", {**asked, "by": "a phone at 192.168.1.7"})]
        for bad in (
            {"do": "undo", "transfer": 9},
            {"do": "confirm_payment", "payment": ASK["payment"]},
            {"do": ["ask_payment"]},
            {**ASK, "by": "the host"},
            {**ASK, "from": 9},
        ):
            assert (await phone.post("/api/ask", json=bad)).status_code == 400, bad
        foreign = await phone.post("/api/ask", json=ASK, headers={"origin": "http://evil.example"})
        assert foreign.status_code == 403
        assert len(table.requests) == 1
        table.rejection = Rejection("asked already")
        answer = await phone.post("/api/ask", json=ASK)
        assert (answer.status_code, answer.json()["why"]) == (409, "asked already")

    with_page(tmp_path, scenario, players_ask=True)


def test_one_phone_cannot_ask_all_the_time(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        table.answer = {"state": "asked"}
        answers = [await phone.post("/api/ask", json=ASK) for _ in range(LIMITS.free + 1)]
        assert [answer.status_code for answer in answers] == [200] * LIMITS.free + [429]
        assert answers[-1].headers["retry-after"] == "2"
        assert (await client("192.168.1.8").post("/api/ask", json=ASK)).status_code == 200
        await asyncio.sleep(LIMITS.forgotten_s)
        assert (await phone.post("/api/ask", json=ASK)).status_code == 200

    with_page(tmp_path, scenario, players_ask=True)
