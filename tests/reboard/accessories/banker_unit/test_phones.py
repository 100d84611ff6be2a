"""Phones that join with a code, and pay. `exploration/phones.py` has every order of their requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.table_vocabulary import PhonePay
from reboard.errors import Rejection, RequestError
from tests.reboard.accessories.banker_unit.fakes import CODES, AtTheTable, at_table, table

ANNA, BEN, CARL, STRANGER = "a" * 64, "b" * 64, "c" * 64, "f" * 64
READY = "wait 1.1"
"""The display has shown a payment for long enough to answer it."""


async def join(table: AtTheTable, phone: str, card: int, **more: object) -> dict[str, Any]:
    return await table.request("join", phone=phone, card=card, **{"code": CODES[0], **more})


async def ask(table: AtTheTable, phone: str, from_: int, to: int, amount: str, payment: str = "") -> dict[str, Any]:
    payment = payment or f"payment {len(table.events)}"
    args = {"payment": payment, "game": 1, "from": from_, "to": to, "amount": amount}
    return await table.request("ask_payment", phone=phone, **args)


async def all_join(table: AtTheTable) -> None:
    for card, phone in enumerate((ANNA, BEN, CARL), 1):
        await join(table, phone, card)


async def why(table: AtTheTable, request: str, **args: object) -> str:
    with pytest.raises(Rejection) as rejection:
        await table.request(request, **{name.rstrip("_"): value for name, value in args.items()})
    return str(rejection.value.why)


@at_table(pay="ask")
async def test_a_phone_joins_with_the_code_that_the_display_shows(table: AtTheTable) -> None:
    await table.do("wait 61")
    assert table.snapshot["asleep"]
    assert await why(table, "join", phone=ANNA, card=1) == "code needed"
    assert table.display.shown == ("JOIN CODE 4821", "INSERT CARD")
    assert table.snapshot["display"] == ["JOIN CODE ****", "INSERT CARD"]
    assert not any("4821" in str(event.fields) for event in table.events)
    assert await why(table, "join", phone=ANNA, card=1, code="0000") == "wrong code"
    assert table.sounds.count("asked") == 1, "the bell rings once"
    assert await why(table, "join", phone=ANNA, card=7, code="4821") == "unknown card"
    assert (await join(table, ANNA, 1)) == {"pay": "ask", "cards": {"1": "aaaaaaaa"}} == table.snapshot["phones"]
    assert table.display.shown == ("CARD 1 JOINS", "INSERT CARD")
    assert table.balances == {1: 15_000_000}
    assert table.told("phones") == [{"pay": "ask", "cards": {"1": "aaaaaaaa"}}]
    await why(table, "join", phone=BEN, card=1)
    await table.do("wait 59")
    assert table.display.shown[0] == "JOIN CODE 4821"
    await table.do("wait 2")
    assert "JOIN CODE" not in table.display.shown[0]


@at_table(pay="ask")
async def test_the_code_hides_no_balance_and_no_payment(table: AtTheTable) -> None:
    await table.do("insert left 1")
    assert await why(table, "join", phone=ANNA, card=3) == "code needed"
    assert table.display.shown == ("+1 15M", "JOIN CODE 4821")
    await table.do("insert right 2; wait 3")
    assert table.display.shown == ("+1 15M", "-2 15M")
    await table.do("remove left; remove right; wait 3")
    assert table.display.shown[0] == "JOIN CODE 4821"


@at_table(pay="ask")
async def test_five_wrong_codes_make_another_one(table: AtTheTable) -> None:
    await join(table, ANNA, 1)
    for number in range(5):
        assert (await table.request("join_code", phone=ANNA))["code"] == "4821"
        assert await why(table, "join", phone=STRANGER, card=2, code=f"000{number}") == "wrong code"
    assert table.display.shown[0] == "JOIN CODE 7350"
    assert await why(table, "join", phone=BEN, card=2, code="4821") == "wrong code"
    assert (await join(table, BEN, 2, code="7350"))["cards"].keys() == {"1", "2"}
    assert (await table.request("join_code"))["code"] == "7350", "the host sees it, too"
    assert await why(table, "join_code", phone=STRANGER) == "no phone"


@at_table(pay="ask")
async def test_a_card_has_one_phone_and_a_phone_has_one_card(table: AtTheTable) -> None:
    await join(table, ANNA, 1)
    assert await why(table, "join", phone=BEN, card=1, code="4821") == "card taken"
    assert (await join(table, ANNA, 2, code=""))["cards"].keys() == {"2"}, "it knows the code already"
    await join(table, BEN, 1)
    await ask(table, BEN, 1, 0, "1M")
    assert (await join(table, CARL, 1, instead=True))["cards"] == {"1": "cccccccc", "2": "aaaaaaaa"}
    assert table.told("phones")[-1]["cards"]["1"] == "cccccccc", "the page of Ben sees at once that he has lost it"
    assert await why(table, "leave_card", phone=BEN) == "no phone"
    assert (await table.request("leave_card", phone=CARL))["cards"].keys() == {"2"}
    assert table.told("payment.ended")[-1]["why"] == "withdrawn"
    assert (await table.request("leave_card", card=2))["cards"] == {}, "the host takes a phone away"
    for request in ({"do": "leave_card"}, {"do": "join", "card": 1}):
        with pytest.raises(RequestError):
            await table.request(str(request.pop("do")), **request)


async def test_phones_keep_their_cards_after_a_restart_and_in_the_next_game(ledger_file: Path) -> None:
    async with table(ledger_file, pay="ask") as before:
        await all_join(before)
        await before.request("new_game")
        await before.request("free", card=3)
    async with table(ledger_file, pay="ask") as after:
        assert [*after.snapshot["phones"]["cards"]] == ["1", "2"], "another card has the freed number next"
        assert after.balances == {}
        await join(after, BEN, 2, code="")
        assert after.balances == {2: 15_000_000}


@at_table(pay="free", cards=())
async def test_a_new_card_gets_no_number_of_a_phone_while_there_is_another(table: AtTheTable) -> None:
    phones = [digit * 64 for digit in "123456"]
    await join(table, phones[0], 1)
    await table.request("new_game")
    await table.do("insert left 7")
    assert table.snapshot["slots"]["left"] == 2
    assert table.snapshot["phones"]["cards"].keys() == {"1"}
    for card, phone in enumerate(phones, 1):
        await join(table, phone, card)
    await table.request("new_game")
    await table.do("insert right 8")
    assert table.snapshot["slots"]["right"] == 1
    assert table.snapshot["phones"]["cards"].keys() == {*"23456"}
    assert await why(table, "join_code", phone=phones[0]) == "no phone", "it would pay with the new card's money"


async def test_a_table_without_a_display_needs_no_code_until_a_phone_is_there(ledger_file: Path) -> None:
    async with table(ledger_file, pay="free", has_display=False) as one:
        await join(one, ANNA, 1, code="")
        assert await why(one, "join", phone=BEN, card=2) == "code needed"
        assert "JOIN CODE" not in " ".join(one.snapshot["display"]), "the page shows a display that is not there"
        await join(one, BEN, 2)
    # all phones have lost their tokens: the next start lets one of them in again
    async with table(ledger_file, pay="free", has_display=False) as one:
        await join(one, CARL, 1, code="", instead=True)
        assert await why(one, "join", phone=STRANGER, card=2) == "code needed"
    async with table(ledger_file, pay="free", has_display=False) as one:
        await ask(one, CARL, 1, 0, "1M")
        assert await why(one, "join", phone=STRANGER, card=2) == "code needed", "a phone with a card is there"


@at_table(pay="free")
async def test_players_pay_at_once_and_the_table_shows_it(table: AtTheTable) -> None:
    await all_join(table)
    await table.request("name", card=1, name="Anna")
    booked = await ask(table, ANNA, 1, 2, "1.5M", "the rent of Anna")
    assert booked == {"state": "booked", "by": 1, "take_back_s": 10}
    assert table.display.shown == ("Anna>CARD 2 1.5M", "")
    assert table.sounds[-1] == "paid"
    ended = table.told("payment.ended")[-1]
    assert {name: ended[name] for name in ("why", "by", "take_back_s")} == {"why": "booked", "by": 1, "take_back_s": 10}
    assert table.told("payment.asked") == []
    await table.do("wait 4")
    again = await ask(table, ANNA, 1, 2, "1.5M", "the rent of Anna")
    assert again["state"] == "booked"
    assert 5 < again["take_back_s"] < 6.1
    for from_, to in ((0, 1), (1, 0), (1, 10)):
        assert (await ask(table, ANNA, from_, to, "1M"))["state"] == "booked"
    assert table.moved == [
        (1, 2, 1_500_000, "players"),
        (0, 1, 1_000_000, "received"),
        (1, 0, 1_000_000, "paid"),
        (1, 2, 1_000_000, "each_paid"),
        (1, 3, 1_000_000, "each_paid"),
    ]
    await table.do("wait 6")
    assert table.display.shown == ("WORLD EDITION", "INSERT CARD")
    await table.do("key C; key GO")
    assert [row[3] for row in table.moved[5:]] == ["undo", "undo"], "C takes back what a phone has done, too"


@at_table(pay="ask")
async def test_money_of_others_needs_a_payer(table: AtTheTable) -> None:
    await all_join(table)
    assert await why(table, "ask_payment", phone=ANNA, payment="of others", game=1, from_=2, to=3) == "other card"
    assert (await ask(table, ANNA, 2, 1, "1M", "the rent of Ben")) == {"state": "asked", "by": 1, "take_back_s": 0}
    assert table.told("payment.asked")[-1]["by"] == table.snapshot["payments"][0]["by"] == 1
    for phone in (ANNA, CARL):
        assert await why(table, "confirm_payment", phone=phone, payment="the rent of Ben") == "not the payer"
    assert await why(table, "reject_payment", phone=CARL, payment="the rent of Ben") == "not the payer"
    assert (await table.request("reject_payment", phone=ANNA, payment="the rent of Ben"))["state"] == "withdrawn"
    await ask(table, ANNA, 2, 1, "1M", "another rent")
    assert (await table.request("reject_payment", phone=BEN, payment="another rent"))["state"] == "rejected"
    await ask(table, ANNA, 2, 1, "1M", "rent again")
    assert (await table.request("confirm_payment", phone=BEN, payment="rent again"))["take_back_s"] == 10
    assert table.moved == [(2, 1, 1_000_000, "players")]
    await ask(table, ANNA, 10, 1, "1M", "birthday")
    assert table.lines == ("ALL > CARD 1  1M", "GO OKAY     C NO")
    await table.request("confirm_payment", phone=CARL, payment="birthday")
    assert table.moved[1:] == [(2, 1, 1_000_000, "each_received"), (3, 1, 1_000_000, "each_received")]
    args = {"payment": "too much", "game": 1, "from": 10, "to": 1, "amount": "14.5M"}
    assert await why(table, "ask_payment", phone=ANNA, **args) == "no funds"


@at_table(pay="ask")
async def test_what_go_or_the_host_confirmed_only_the_host_takes_back(table: AtTheTable) -> None:
    await all_join(table)
    assert (await ask(table, ANNA, 1, 0, "1M", "the tax of Anna"))["state"] == "asked"
    assert await why(table, "confirm_payment", phone=ANNA, payment="the tax of Anna") == "not the payer"
    await table.do(f"{READY}; key GO")
    assert table.told("payment.ended")[-1]["take_back_s"] == 0
    assert await why(table, "take_back", phone=ANNA, payment="the tax of Anna") == "too late"
    assert (await table.request("take_back", payment="the tax of Anna"))["state"] == "taken back"
    assert table.balances[1] == 15_000_000


@at_table(pay="free")
async def test_any_player_takes_a_payment_back_within_ten_seconds(table: AtTheTable) -> None:
    await all_join(table)
    await ask(table, ANNA, 1, 10, "1M", "each gets")
    assert await why(table, "take_back", phone=STRANGER, payment="each gets") == "no phone"
    await table.do("wait 9.9")
    for _ in range(2):
        assert (await table.request("take_back", phone=CARL, payment="each gets"))["state"] == "taken back"
    assert table.balances == dict.fromkeys((1, 2, 3), 15_000_000)
    assert [ended["why"] for ended in table.told("payment.ended")] == ["booked", "taken back"]
    await ask(table, ANNA, 1, 2, "1M", "the rent of Anna")
    await table.do("wait 10.1")
    assert await why(table, "take_back", phone=BEN, payment="the rent of Anna") == "too late"
    await ask(table, ANNA, 1, 2, "1M", "spent at once")
    await ask(table, BEN, 2, 0, "16.5M", "a hotel")
    assert await why(table, "take_back", phone=ANNA, payment="spent at once") == "no funds"
    assert len(table.moved) == 2 * 2 + 3


@at_table(pay="free", pot=True)
async def test_a_phone_pays_into_the_pot_and_takes_it(table: AtTheTable) -> None:
    await all_join(table)
    await ask(table, ANNA, 1, 9, "2M")
    args = {"payment": "too much", "game": 1, "from": 9, "to": 2, "amount": "3M"}
    assert await why(table, "ask_payment", phone=BEN, **args) == "pot empty"
    assert (await ask(table, BEN, 9, 2, "2M"))["state"] == "booked"
    assert [row[3] for row in table.moved] == ["pot_paid", "pot_taken"]


async def go_bankrupt(table: AtTheTable, phone: str, card: int, to: int) -> dict[str, Any]:
    args = {"payment": f"bankruptcy {len(table.events)}", "game": 1, "from": card, "to": to, "bankrupt": True}
    return await table.request("ask_payment", phone=phone, **args)


@at_table(pay="free", has_display=False)
async def test_players_go_bankrupt_on_their_phones_until_one_has_won(table: AtTheTable) -> None:
    await all_join(table)
    for card, phone in enumerate((ANNA, BEN, CARL), 1):
        await ask(table, phone, 0, card, "1M")
    args = {"payment": "for another", "game": 1, "from": 2, "to": 1, "bankrupt": True}
    assert await why(table, "ask_payment", phone=ANNA, **args) == "other card"
    assert (await go_bankrupt(table, ANNA, 1, 2)) == {"state": "booked", "by": 1, "take_back_s": 10}
    assert (table.balances, table.moved[-1][3]) == ({1: 0, 2: 32_000_000, 3: 16_000_000}, "bankrupt")
    assert await why(table, "ask_payment", phone=ANNA, payment="too late", game=1, from_=0, to=1) == "bankrupt"
    # a slip of the finger
    await table.request("take_back", phone=CARL, payment=table.told("payment.ended")[-1]["payment"])
    assert table.balances == dict.fromkeys((1, 2, 3), 16_000_000)
    assert not any(card["retired"] for card in table.snapshot["cards"])
    await ask(table, ANNA, 1, 0, "16M")
    assert (await go_bankrupt(table, ANNA, 1, 0))["state"] == "booked", "without any money"
    assert not table.snapshot["ended"]
    await go_bankrupt(table, BEN, 2, 3)
    await table.do("wait 0.1")
    assert [place["number"] for place in table.snapshot["ended"]["ranking"]] == [3]
    assert table.snapshot["dialog"] is None
    await table.request("come_back", card=2)
    assert (table.snapshot["ended"], table.balances[2]) == (None, 16_000_000)


@at_table(pay="ask")
async def test_go_confirms_a_bankruptcy_and_the_host_counts_what_the_others_own(table: AtTheTable) -> None:
    await all_join(table)
    await join(table, STRANGER, 4)
    for card in (1, 2, 3, 4):
        move = {"from": 0, "to": card, "amount": 1_000_000, "reason": "rent"}
        await table.request("pay", payment=f"before it {card}", **move)
    for phone, card in ((ANNA, 1), (BEN, 2)):
        assert (await go_bankrupt(table, phone, card, 3))["state"] == "asked"
        assert table.display.shown == (f"BANKRUPT CARD {card}", ">CARD 3     GO/C")
        await table.do(f"{READY}; key GO; wait 3")
    assert table.balances == {1: 0, 2: 0, 3: 48_000_000, 4: 16_000_000}
    assert (table.snapshot["dialog"], table.snapshot["ended"]) == (None, None), "two have property that counts"
    ended = await table.request("end_game", game=1, worths={"4": 50_000_000})
    assert [place["number"] for place in ended["ranking"]] == [4, 3]


@at_table(pay="off")
async def test_the_host_switches_phones_on_and_off_at_once(table: AtTheTable) -> None:
    for request, args in (("join", {"card": 1, "code": ""}), ("join_code", {}), ("leave_card", {})):
        assert await why(table, request, phone=ANNA, **args) == "phones off"
    assert await table.request("phones", pay="free") == {"pay": "free", "cards": {}}
    await join(table, ANNA, 1)
    await ask(table, ANNA, 1, 0, "1M")
    await table.request("phones", pay="off")
    assert await why(table, "ask_payment", phone=ANNA, payment="after off", game=1, from_=1, to=0) == "phones off"
    assert [told["pay"] for told in table.told("phones")] == ["free", "free", "off"]
    assert len(table.moved) == 1


async def test_how_phones_pay_stays_as_the_host_chose_until_the_config_says_something_else(ledger_file: Path) -> None:
    async def pay(config: PhonePay, chosen: str = "") -> str:
        async with table(ledger_file, pay=config) as one:
            if chosen:
                await one.request("phones", pay=chosen)
                await one.request("new_game")
            return str(one.snapshot["phones"]["pay"])

    assert await pay("ask", "free") == "free"
    assert await pay("ask") == "free"
    assert await pay("off") == "off", "the owner of the table has edited the config"
    assert await pay("ask") == "ask", "and nobody has chosen anything since"


@at_table(pay="ask")
async def test_a_phone_with_a_card_starts_an_auction_and_cancels_it(table: AtTheTable) -> None:
    await join(table, ANNA, 1)
    assert await why(table, "auction", phone=STRANGER) == "no phone"
    await table.request("auction", phone=ANNA)
    await table.request("auction", phone=ANNA)
    assert len(table.told("deal.started")) == 1
    await table.request("auction", phone=ANNA, on=False)
    assert table.told("deal.cancelled")
    await table.request("auction")  # the host
    await table.do("wait 60")
    assert len(table.told("deal.ended")) == 1
    await table.request("auction", on=False)
    assert len(table.told("deal.cancelled")) == 1
