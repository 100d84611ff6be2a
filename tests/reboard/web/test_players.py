"""Requests of players, who need no PIN."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.errors import Rejection
from reboard.web import players
from reboard.web.players import LIMITS
from tests.reboard.web.app_client import Client, with_page
from tests.reboard.web.fake_table import FakeTable
from tests.virtual import happened

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
        table.rejection = Rejection(BankWhy.ASKED_ALREADY)
        answer = await phone.post("/api/ask", json=ASK)
        assert (answer.status_code, answer.json()["why"]) == (409, "asked already")

    with_page(tmp_path, scenario, players_ask=True)


def entry(payment: str, card: int = 1) -> dict[str, object]:
    return {"payment": payment, "game": 3, "from": card, "to": 0, "amount": 1, "shown": "1", "reason": "paid"}


def test_one_address_has_one_request_that_waits(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        stranger, player = client("192.168.1.66"), client("192.168.1.7")
        table.answer = {"state": "asked"}
        ids = [f"{number:016x}" for number in range(4)]
        asked = await asyncio.gather(
            *(
                stranger.post("/api/ask", json={**ASK, "payment": payment, "from": 1 + n})
                for n, payment in enumerate(ids)
            )
        )
        assert sorted(answer.status_code for answer in asked) == [200, 409, 409, 409]
        assert {answer.json()["why"] for answer in asked[1:]} == {"asked already"}
        assert [args["payment"] for _, args in table.requests] == ids[:1]
        table.now["payments"] = [entry(ids[0])]
        table.events.emit(happened("payment.asked"))
        await asyncio.sleep(30)
        assert (await stranger.post("/api/ask", json={**ASK, "payment": ids[0]})).status_code == 200, "it is the same"
        assert (await stranger.post("/api/ask", json={**ASK, "payment": ids[1]})).status_code == 409
        assert (await player.post("/api/ask", json={**ASK, "payment": ids[2]})).status_code == 200
        table.now["payments"] = []
        table.events.emit(happened("payment.ended"))
        await asyncio.sleep(1)
        table.rejection = Rejection(BankWhy.NO_FUNDS)
        assert (await stranger.post("/api/ask", json={**ASK, "payment": ids[1]})).json()["why"] == "no funds"
        table.rejection = None
        assert (await stranger.post("/api/ask", json={**ASK, "payment": ids[3]})).status_code == 200, "none waits"

    with_page(tmp_path, scenario, players_ask=True)


def test_a_rejected_request_with_the_id_of_one_that_waits_does_not_end_it(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        stranger, other, host = client("192.168.1.66"), client("192.168.1.67"), client("192.168.1.2")
        table.answer = {"state": "asked"}
        await stranger.post("/api/ask", json=ASK)
        table.now["payments"] = [entry(str(ASK["payment"]))]
        table.events.emit(happened("payment.asked"))
        await asyncio.sleep(5)
        table.rejection = Rejection(BankWhy.ID_USED)
        for phone in (stranger, other):
            answer = await phone.post("/api/ask", json={**ASK, "amount": "2M"})
            assert (answer.status_code, answer.json()["why"]) == (409, "id used")
        table.rejection = None
        await host.post("/api/host/session", json={"pin": "4711"})
        assert (await host.get("/api/host/phones")).json()["waiting"] == {ASK["payment"]: "192.168.1.66"}
        second = await stranger.post("/api/ask", json={**ASK, "payment": "e" * 16, "from": 2})
        assert (second.status_code, second.json()["why"]) == (409, "asked already")

    with_page(tmp_path, scenario, players_ask=True)


def test_a_request_that_a_slow_table_has_not_answered_waits_too(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        stranger = client("192.168.1.66")
        table.answer, table.answer_s = {"state": "asked"}, 5.0
        first = asyncio.create_task(stranger.post("/api/ask", json=ASK))
        await asyncio.sleep(2)
        second = await stranger.post("/api/ask", json={**ASK, "payment": "e" * 16, "from": 2})
        assert (second.status_code, second.json()["why"]) == (409, "asked already")
        assert (await first).status_code == 200

    with_page(tmp_path, scenario, players_ask=True)


def test_the_host_blocks_an_address_and_allows_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "MOST_BLOCKED", 2)

    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        stranger, player, host = client("::ffff:192.168.1.66"), client("192.168.1.7"), client("192.168.1.2")

        async def block(address: object, blocked: object = True) -> int:
            return (await host.post("/api/host/phones", json={"address": address, "blocked": blocked})).status_code

        table.answer = {"state": "asked"}
        await stranger.post("/api/ask", json=ASK)
        table.now["payments"] = [entry(str(ASK["payment"])), entry("f" * 16, 2)]
        table.events.emit(happened("payment.asked"))
        await asyncio.sleep(5)
        assert (await host.get("/api/host/phones")).status_code == await block("192.168.1.66") == 401
        await host.post("/api/host/session", json={"pin": "4711"})
        phones = (await host.get("/api/host/phones")).json()
        assert phones == {"waiting": {ASK["payment"]: "192.168.1.66"}, "blocked": []}
        assert [await block(*bad) for bad in (("here",), (7,), (None,), ("192.168.1.66", 1))] == [400] * 4
        assert await block("192.168.1.2") == 409, "the host would block itself"
        table.requests.clear()
        assert await block("::ffff:192.168.1.66") == 204
        assert table.requests == [("reject_payment", {"payment": ASK["payment"], "by": "the page at 192.168.1.2"})]
        refused = await stranger.post("/api/ask", json={**ASK, "payment": "e" * 16})
        assert (refused.status_code, refused.json()["why"]) == (403, "blocked")
        assert (await stranger.get("/api/table")).status_code == 200
        assert (await player.post("/api/ask", json={**ASK, "payment": "d" * 16})).status_code == 200
        for address in ("10.0.0.1", "10.0.0.2"):
            await block(address)
        assert (await host.get("/api/host/phones")).json()["blocked"] == ["10.0.0.1", "10.0.0.2"]
        assert await block("10.0.0.2", False) == await block("10.0.0.9", False) == 204
        assert (await host.get("/api/host/phones")).json()["blocked"] == ["10.0.0.1"]
        table.now["payments"] = []
        table.events.emit(happened("payment.ended"))
        await asyncio.sleep(30)
        assert (await stranger.post("/api/ask", json={**ASK, "payment": "c" * 16})).status_code == 200

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
