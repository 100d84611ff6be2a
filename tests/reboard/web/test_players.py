"""Requests of players, who need no PIN."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.errors import Rejection
from reboard.web import known_phones
from reboard.web.known_phones import LIMITS
from reboard.web.rate_limit import GUESSES
from tests.reboard.web.app_client import Client, with_page
from tests.reboard.web.fake_table import FakeTable
from tests.virtual import happened

ASK = {"do": "ask_payment", "payment": "0123456789abcdef", "game": 3, "from": 1, "to": 0, "amount": "1.5M"}
BOOKED = {"state": "booked", "by": 1, "take_back_s": 10.0}


def test_a_player_asks_and_can_do_nothing_else(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        table.answer = BOOKED
        assert (await phone.post("/api/ask", json=ASK)).json() == {"ok": BOOKED}
        asked = {name: value for name, value in ASK.items() if name != "do"}
        ((do, args),) = table.requests
        assert (do, args) == ("ask_payment", {**asked, "by": "a phone", "phone": args["phone"]})
        for bad in (
            {"do": "undo", "transfer": 9},
            {"do": "phones", "pay": "free"},
            {"do": ["ask_payment"]},
            {**ASK, "by": "the host"},
            {**ASK, "phone": "f" * 64},
            {**ASK, "from": 11},
        ):
            assert (await phone.post("/api/ask", json=bad)).status_code == 400, bad
        foreign = await phone.post("/api/ask", json=ASK, headers={"origin": "http://evil.example"})
        assert foreign.status_code == 403
        assert len(table.requests) == 1
        table.rejection = Rejection(BankWhy.ASKED_ALREADY)
        answer = await phone.post("/api/ask", json=ASK)
        assert (answer.status_code, answer.json()["why"]) == (409, "asked already")

    with_page(tmp_path, scenario)


def test_the_page_tells_the_table_which_phone_asks(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        one, other, host = client("192.168.1.7"), client("192.168.1.7"), client("192.168.1.2")
        table.answer = BOOKED
        first = await one.post("/api/ask", json=ASK)
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "set-cookie" not in (await one.post("/api/ask", json=ASK)).headers
        await other.post("/api/ask", json=ASK)
        other.cookies.set("reboard_phone", "guessed")
        await other.post("/api/ask", json=ASK)
        phones = [args["phone"] for _, args in table.requests]
        assert phones[0] == phones[1]
        assert len({*phones}) == 3
        assert str(phones[0]) not in cookie, "the table knows a hash only"
        await host.post("/api/host/session", json={"pin": "4711"})
        table.answer = None
        confirm = {"do": "confirm_payment", "payment": ASK["payment"]}
        assert (await host.post("/api/host/do", json={**confirm, "phone": phones[0]})).status_code == 400
        await host.post("/api/host/do", json=confirm)
        assert "phone" not in table.requests[-1][1]

    with_page(tmp_path, scenario)


def test_codes_cannot_be_guessed(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        join = {"do": "join", "card": 1}
        stranger, player = client("192.168.1.66"), client("192.168.1.7")
        table.rejection = Rejection(BankWhy.WRONG_CODE)
        answers = [await stranger.post("/api/ask", json={**join, "code": f"{code:04}"}) for code in range(5)]
        assert [answer.status_code for answer in answers] == [409] * GUESSES.free + [429] * 2
        assert answers[-1].json()["retry_after_s"] == GUESSES.first_pause_s
        table.rejection = Rejection(BankWhy.CODE_NEEDED)
        assert (await stranger.post("/api/ask", json=join)).json()["why"] == "code needed", "it is no guess"
        table.rejection, table.answer = None, {"pay": "ask", "cards": {"1": "1f83d9ab"}}
        for _ in range(GUESSES.free + 1):
            assert (await player.post("/api/ask", json={**join, "code": "4821"})).status_code == 200
        await asyncio.sleep(GUESSES.first_pause_s)
        assert (await stranger.post("/api/ask", json={**join, "code": "4821"})).status_code == 200

    with_page(tmp_path, scenario)


def entry(payment: str, card: int = 1) -> dict[str, object]:
    payment_of_card = {"payment": payment, "game": 3, "from": card, "to": 0, "amount": 1, "shown": "1", "by": card}
    return {**payment_of_card, "reason": "paid"}


def test_the_host_blocks_a_phone_and_allows_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_phones, "MOST_KNOWN", 2)

    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phones = [client("192.168.1.66") for _ in range(4)]
        stranger, player = phones[:2]
        host = client("192.168.1.2")

        async def block(phone: object, blocked: object = True) -> int:
            return (await host.post("/api/host/phones", json={"phone": phone, "blocked": blocked})).status_code

        table.answer = {"state": "asked", "by": 1, "take_back_s": 0}
        ids = [f"{number:016x}" for number in range(len(phones))]
        for phone, payment in zip(phones, ids, strict=True):
            await phone.post("/api/ask", json={**ASK, "payment": payment})
        table.now["payments"] = [entry(payment) for payment in ids]
        table.events.emit(happened("payment.asked"))
        await asyncio.sleep(5)
        assert (await host.get("/api/host/phones")).status_code == await block("1f83d9ab") == 401
        await host.post("/api/host/session", json={"pin": "4711"})
        seen = (await host.get("/api/host/phones")).json()
        assert seen["blocked"] == []
        assert [seen["waiting"][payment]["address"] for payment in ids] == ["192.168.1.66"] * 4
        names = [seen["waiting"][payment]["phone"] for payment in ids]
        assert [await block(*bad) for bad in ((7,), (None,), (names[0], 1))] == [400] * 3
        assert await block("1f83d9ab") == 404, "it is unknown"
        table.requests.clear()
        assert await block(names[0]) == 204
        assert table.requests == [("reject_payment", {"payment": ids[0], "by": "the host"})]
        refused = await stranger.post("/api/ask", json={**ASK, "payment": "e" * 16})
        assert (refused.status_code, refused.json()["why"]) == (403, "blocked")
        assert (await stranger.get("/api/table")).status_code == 200
        assert (await player.post("/api/ask", json={**ASK, "payment": "d" * 16})).status_code == 200
        for name in names[2:]:
            await block(name)
        seen = (await host.get("/api/host/phones")).json()
        assert seen["blocked"] == [{"phone": name, "address": "192.168.1.66"} for name in names[2:]]
        assert await block(names[3], False) == await block("1f83d9ab", False) == 204
        assert [each["phone"] for each in (await host.get("/api/host/phones")).json()["blocked"]] == names[2:3]
        await asyncio.sleep(30)
        assert (await stranger.post("/api/ask", json={**ASK, "payment": ids[0]})).status_code == 200
        host.cookies.set("reboard_phone", player.cookies["reboard_phone"])
        assert await block(names[1]) == 409, "the host would block itself"

    with_page(tmp_path, scenario)


def test_a_rejected_request_with_the_id_of_one_that_waits_does_not_end_it(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        stranger, other, host = client("192.168.1.66"), client("192.168.1.67"), client("192.168.1.2")
        table.answer, table.answer_s = {"state": "asked", "by": 1, "take_back_s": 0}, 5.0
        await host.post("/api/host/session", json={"pin": "4711"})
        first = asyncio.create_task(stranger.post("/api/ask", json=ASK))
        await asyncio.sleep(2)
        assert list((await host.get("/api/host/phones")).json()["waiting"]) == [ASK["payment"]], "the disk is slow"
        await first
        table.now["payments"] = [entry(str(ASK["payment"]))]
        table.events.emit(happened("payment.asked"))
        await asyncio.sleep(5)
        table.rejection = Rejection(BankWhy.ID_USED)
        for phone in (stranger, other):
            answer = await phone.post("/api/ask", json={**ASK, "amount": "2M"})
            assert (answer.status_code, answer.json()["why"]) == (409, "id used")
        waiting = (await host.get("/api/host/phones")).json()["waiting"]
        assert [phone["address"] for phone in waiting.values()] == ["192.168.1.66"]
        table.now["payments"] = []
        table.events.emit(happened("payment.ended"))
        await asyncio.sleep(1)
        assert (await host.get("/api/host/phones")).json()["waiting"] == {}

    with_page(tmp_path, scenario)


def test_one_phone_cannot_ask_all_the_time(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        phone = client()
        table.answer = BOOKED
        await phone.post("/api/ask", json=ASK)  # it counts for the address: the page does not know the phone yet
        answers = [await phone.post("/api/ask", json=ASK) for _ in range(LIMITS.free + 1)]
        assert [answer.status_code for answer in answers] == [200] * LIMITS.free + [429]
        assert answers[-1].headers["retry-after"] == "2"
        assert (await client("192.168.1.8").post("/api/ask", json=ASK)).status_code == 200
        await asyncio.sleep(LIMITS.forgotten_s)
        for _ in range(60):
            assert (await phone.post("/api/ask", json=ASK)).status_code == 200, "a busy player never waits"
            await asyncio.sleep(3)

    with_page(tmp_path, scenario)


@pytest.mark.parametrize("strangers", [["192.168.1.7"], ["192.168.1.66"], [f"192.168.1.{n}" for n in range(20, 90)]])
def test_strangers_do_not_lock_the_family_out(tmp_path: Path, strangers: list[str]) -> None:
    """Also at the same address, as behind a reverse proxy, or with many addresses."""

    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        family = [client("192.168.1.7") for _ in range(4)]
        table.answer = BOOKED
        for phone in family:
            assert (await phone.post("/api/ask", json=ASK)).status_code == 200
        table.rejection = Rejection(BankWhy.NO_PHONE)
        for address in strangers:
            for _ in range(LIMITS.free + 1):
                rejected = await client(address).post("/api/ask", json=ASK)
        assert rejected.status_code == 429
        table.rejection = None
        for _ in range(LIMITS.free):
            for phone in family:
                assert (await phone.post("/api/ask", json=ASK)).status_code == 200
        newcomer = await client("192.168.1.8").post("/api/ask", json=ASK)
        assert newcomer.status_code == (429 if len(strangers) > 9 else 200), "only all together are limited"

    with_page(tmp_path, scenario)


def test_a_blocked_phone_is_no_host_and_asking_whether_it_is_has_a_limit(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        host, child, stranger = client("192.168.1.2"), client("192.168.1.3"), client("192.168.1.66")
        table.now["phones"], table.now["payments"] = {"pay": "free", "cards": [1, 2]}, [entry(str(ASK["payment"]))]
        table.events.emit(happened("payment.asked"))
        await asyncio.sleep(1)
        for number, phone in enumerate((host, child, stranger)):
            phone.cookies.set("reboard_phone", str(number) * 43)
        table.answer = {"state": "asked", "by": 1, "take_back_s": 0}
        assert (await child.post("/api/ask", json=ASK)).status_code == 200
        for phone in (host, child):
            assert (await phone.post("/api/host/session", json={})).status_code == 204
        [name] = [each["phone"] for each in (await host.get("/api/host/phones")).json()["waiting"].values()]
        assert (await host.post("/api/host/phones", json={"phone": name, "blocked": True})).status_code == 204
        assert (await child.post("/api/host/do", json={"do": "undo", "transfer": 9})).status_code == 401
        assert (await child.post("/api/host/session", json={})).status_code == 404
        status = {"enabled": False, "needs_pin": False, "host": False, "power": []}
        assert (await child.get("/api/host")).json() == status
        assert (await host.post("/api/host/do", json={"do": "undo", "transfer": 9})).status_code == 200

        table.rejection, table.reads = Rejection(BankWhy.NO_PHONE), 0
        for _ in range(5 * LIMITS.free):
            assert (await stranger.get("/api/host")).json() == status
        assert table.reads == LIMITS.free

    with_page(tmp_path, scenario, pin=None)
