"""The game session: the current game in memory."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TypeVar

import pytest

from reboard.accessories.banker_unit.accounts import BANK, POT
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.ledger_errors import Cause
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.opened_game import CONFIGURED_EDITION
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Transfer
from reboard.board import open_database
from reboard.editions.edition import load_edition
from reboard.errors import Rejection
from reboard.events import Emit, ignore_event
from tests.virtual import Recorder

T = TypeVar("T")


@asynccontextmanager
async def opened(
    thread: LedgerThread,
    edition: str = "world",
    *,
    emit: Emit = ignore_event,
    failed: Callable[[Cause], None] = lambda _: None,
    cards: Sequence[str] = (),
) -> AsyncIterator[GameSession]:
    session = GameSession(thread, load_edition(edition), emit=emit, wall_time=lambda: 1_700_000_000, cards=cards)
    try:
        assert await session.open(failed=failed) is None
        yield session
    finally:
        await thread.close()


async def test_repeated_random_numbers_lose_no_press(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on an emulated machine that was put back to one moment again and again."""
    monkeypatch.setattr(os, "urandom", bytes)
    for visit in range(1, 4):
        async with opened(LedgerThread(partial(LedgerFile, ledger_file))) as session:
            await session.admit("C1")
            for _ in range(2):
                await session.pay(BANK, 1, session.game.edition.salary, "salary")
            assert session.game.balances == {1: session.game.edition.start + 2 * visit * session.game.edition.salary}
        with closing(LedgerFile(ledger_file, read_only=True)) as ledger:
            assert ledger.balances(1) == session.game.balances


def watched(ledger_file: Path) -> tuple[LedgerThread, list[str]]:
    """Return a thread and the list of its ledger's commits, without those of backups."""
    commits: list[str] = []

    def database(name: str) -> sqlite3.Connection:
        connection = open_database(name)
        if "backup" not in name:
            connection.set_trace_callback(lambda statement: commits.extend(["COMMIT"] * (statement == "COMMIT")))
        return connection

    return LedgerThread(partial(LedgerFile, ledger_file, database=database)), commits


async def test_a_power_cut_leaves_no_half_of_what_happens_to_a_card_and_its_phone(ledger_file: Path) -> None:
    thread, commits = watched(ledger_file)
    async with opened(thread, "nintendo") as session:

        async def phones_after(change: Awaitable[object]) -> dict[int, str]:
            commits.clear()
            await change
            assert commits == ["COMMIT"]
            return dict(session.game.phones)

        for card, phone in enumerate("abcdef", 1):
            assert await phones_after(session.join(card, phone)) == dict(enumerate("abcdef"[:card], 1))
        await session.start_game(session.game.edition)
        assert await phones_after(session.admit("X")) == dict(enumerate("bcdef", 2)), "all numbers had a phone"
        assert await phones_after(session.join(1, "f")) == {1: "f", **dict(enumerate("bcde", 2))}
        assert await phones_after(session.free(1)) == dict(enumerate("bcde", 2))
        await session.join(2)
        assert await phones_after(session.replace(3, "Y", 2)) == dict(enumerate("cde", 3))
    async with opened(LedgerThread(partial(LedgerFile, ledger_file)), "nintendo") as session:
        assert session.game.phones == dict(enumerate("cde", 3))


async def test_the_game_that_a_config_wants_is_kept_together_with_its_edition(
    ledger_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with opened(LedgerThread(partial(LedgerFile, ledger_file))):
        assert not caplog.records
    thread, commits = watched(ledger_file)
    async with opened(thread, "nintendo"):
        assert commits == ["COMMIT"]
        (record,) = caplog.records
        assert "game 1" in record.getMessage()
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.setting(CONFIGURED_EDITION) == "nintendo"


async def test_a_first_game_in_doubt_is_reported_when_it_is_found(ledger_file: Path) -> None:
    class SaysItFailed(LedgerThread):
        async def ask(self, call: Callable[[LedgerFile], T]) -> T:
            result = await super().ask(call)
            if "start_game" in call.__qualname__:
                raise Rejection(BankWhy.DISK)
            return result

    failures: list[Cause] = []
    emit = Recorder()
    async with opened(SaysItFailed(partial(LedgerFile, ledger_file)), emit=emit, failed=failures.append):
        assert len(failures) == 1
        assert emit.events.count(("game.started", {"game": 1, "edition": "world"})) == 1


async def test_a_start_and_what_was_undone_or_belongs_to_another_game_cannot_be_undone(ledger_file: Path) -> None:
    async with opened(LedgerThread(partial(LedgerFile, ledger_file))) as session:
        await session.admit("C1")
        await session.pay(BANK, 1, session.game.edition.salary, "salary")
        await session.undo(2)
        for number in (9, 1, 2, 3):
            with pytest.raises(Rejection, match=rf"transfer {number}\b") as rejection:
                await session.undo(number)
            assert rejection.value.why == "nothing to undo"
        await session.pay(BANK, 1, session.game.edition.salary, "salary")
        await session.start_game(session.game.edition)
        with pytest.raises(Rejection, match="transfer 4"):
            await session.undo(4)


async def test_a_debtor_that_retired_with_nothing_keeps_no_one_elses_money_when_it_comes_back(
    ledger_file: Path, tmp_path: Path
) -> None:
    """What made its debt good was another player's bankruptcy, and that one stays."""
    own = tmp_path / "debts.toml"
    boxed = (resources.files("reboard.editions") / "nintendo.toml").read_text(encoding="utf-8")
    own.write_text(f"may_owe = true\n{boxed}", encoding="utf-8")
    thread = LedgerThread(partial(LedgerFile, ledger_file))
    async with opened(thread, str(own)) as session:
        await session.admit("C1")
        await session.admit("C2")
        await session.pay(2, BANK, 3000, "paid")
        await session.bankrupt(1, 2)
        assert session.game.balances == {1: 0, 2: 0}
        assert await session.bankrupt(2, BANK) is None
        await session.readmit(2)
        assert session.game.retired == {1}
        assert session.game.balances == {1: 0, 2: 0}
        assert await thread.ask(lambda ledger: ledger.retired(1)) == {1}


@asynccontextmanager
async def playing(
    ledger_file: Path, *tags: str, edition: str = "nintendo", cards: Sequence[str] = ()
) -> AsyncIterator[GameSession]:
    """A session in which the cards *tags* have joined. In the end, another session loads the same from the ledger."""
    async with opened(LedgerThread(partial(LedgerFile, ledger_file)), edition, cards=cards) as session:
        for tag in tags:
            await session.admit(tag)
        yield session
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.verify() == []
    async with opened(LedgerThread(partial(LedgerFile, ledger_file)), edition, cards=cards) as again:
        assert again.game == session.game


async def test_a_new_game_starts_with_the_given_cards_only(ledger_file: Path) -> None:
    async with playing(ledger_file, "A", "B", "C") as session:
        await session.start_game(session.game.edition)
        assert session.game.balances == {}
        await session.start_game(session.game.edition, [1, 3, 99])
        assert session.game.balances == {1: 1500, 3: 1500}


async def test_a_card_that_left_has_what_it_had_when_it_returns(ledger_file: Path) -> None:
    async with playing(ledger_file, "A", "B") as session:
        await session.pay(1, 2, 100, "players")
        left = await session.leave(1)
        assert left
        assert (left.from_, left.to, left.amount, left.reason) == (1, BANK, 1400, "left")
        game = session.game
        assert (set(game.left), game.in_game, game.playing, set(game.retired)) == ({1}, [2], [2], set())
        assert not session.game.is_over, "nobody is bankrupt"
        for call in (session.leave(1), session.pay(2, 1, 5, "players"), session.bankrupt(1, BANK)):
            with pytest.raises(Rejection) as rejection:
                await call
            assert rejection.value.why == "left"
        assert await session.admit("A") == 1
        assert session.game.balances == {1: 1400, 2: 1600}
        await session.leave(1)
        await session.come_back(1)
        assert (session.game.balances, set(session.game.left)) == ({1: 1400, 2: 1600}, set())
        left = await session.leave(1)
        assert left
        await session.undo(left.id)
        assert (session.game.balances, set(session.game.left)) == ({1: 1400, 2: 1600}, set())
        await session.pay(1, BANK, 1400, "paid")
        assert await session.leave(1) is None
        await session.join(1)
        assert (session.game.balances[1], session.game.playing) == (0, [1, 2])
        await session.leave(1)


async def test_a_debt_is_paid_by_the_bank_and_owed_again_after_the_return(ledger_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "debts.toml"
    boxed = (resources.files("reboard.editions") / "nintendo.toml").read_text(encoding="utf-8")
    own.write_text(f"may_owe = true\n{boxed}", encoding="utf-8")
    async with playing(ledger_file, "A", "B", edition=str(own)) as session:
        await session.pay(1, BANK, 2000, "paid")
        left = await session.leave(1)
        assert left
        assert (left.from_, left.to, left.amount) == (BANK, 1, 500)
        await session.admit("A")
        assert session.game.balances == {1: -500, 2: 1500}
        await pay_each(session, 1, 1600, receives=True)
        await session.bankrupt(2, 1)
        assert session.game.counted_bankruptcies == [2]


async def pay_each(
    session: GameSession, card: int, amount: int, *, receives: bool, press: str | None = None
) -> list[Transfer]:
    return await session.pay_all(session.game.each(card, amount, receives=receives), press=press)


async def test_only_cards_with_a_transfer_play(ledger_file: Path) -> None:
    async with playing(ledger_file, "A", "B", "C", "D") as session:
        assert (session.game.in_game, session.game.playing) == ([1, 2, 3, 4], [])
        salary = await session.pay(BANK, 1, 200, "salary")
        assert session.game.playing == [1]
        each = await pay_each(session, 2, 50, receives=True)
        assert session.game.playing == [1, 2, 3, 4], "all of them paid or got money"
        (undone,) = await session.undo(salary.id)
        assert session.game.playing == [1, 2, 3, 4]
        with pytest.raises(Rejection):
            await session.undo(undone.id)
        await session.undo(each[1].id)
        assert session.game.playing == []
        await session.pay(3, POT, 5, "pot_paid")
        await session.pay(BANK, POT, 500, "pot_filled")
        await pay_each(session, 4, 10, receives=False)
        assert (session.game.pot, session.game.playing) == (505, [1, 2, 3, 4])
        await session.free(3)
        await session.join(3)
        assert session.game.playing == [1, 2, 4], "another player has number 3"


async def test_each_is_one_act(ledger_file: Path) -> None:
    async with playing(ledger_file, "A", "B", "C", "D", "E") as session:
        await session.leave(5)
        await session.bankrupt(4, BANK)
        got = await pay_each(session, 1, 50, receives=True, press="payment p")
        assert [(row.from_, row.to, row.amount, row.reason) for row in got] == [
            (2, 1, 50, "each_received"), (3, 1, 50, "each_received"),
        ]  # fmt: skip
        assert {row.act for row in got} == {got[0].id}
        assert await pay_each(session, 1, 50, receives=True, press="payment p") == got
        assert await session.booked("payment p")
        assert session.game.balances == {1: 1600, 2: 1450, 3: 1450, 4: 0, 5: 0}
        opposites = await session.undo(got[1].id)
        assert [row.undoes for row in opposites] == [row.id for row in got]
        assert session.game.balances == {1: 1500, 2: 1500, 3: 1500, 4: 0, 5: 0}
        with pytest.raises(Rejection, match="already undone"):
            await session.undo(got[0].id)

        await pay_each(session, 1, 50, receives=False)
        assert session.game.balances == {1: 1400, 2: 1550, 3: 1550, 4: 0, 5: 0}
        await session.pay(2, BANK, 1500, "paid")
        await session.pay(3, BANK, 1540, "paid")
        for amount, receives, poor in ((51, True, [2, 3]), (50, True, [3]), (701, False, [1])):
            assert session.game.poor(session.game.each(1, amount, receives=receives)) == poor
            with pytest.raises(Rejection) as rejection:
                await pay_each(session, 1, amount, receives=receives)
            assert rejection.value.why == "no funds"
        assert session.game.balances == {1: 1400, 2: 50, 3: 10, 4: 0, 5: 0}
        await session.leave(2)
        await session.leave(3)
        with pytest.raises(Rejection) as rejection:
            await pay_each(session, 1, 5, receives=True)
        assert rejection.value.why == "no players"


async def test_an_act_of_which_one_has_spent_the_money_is_not_undone(ledger_file: Path) -> None:
    async with playing(ledger_file, "A", "B", "C") as session:
        paid = await pay_each(session, 1, 100, receives=False)
        await session.pay(3, BANK, 1600, "paid")
        balances = dict(session.game.balances)
        with pytest.raises(Rejection) as rejection:
            await session.undo(paid[0].id)
        assert rejection.value.why == "no funds"
        assert session.game.balances == balances


@pytest.mark.parametrize(
    ("edition", "players", "bankrupt", "is_over"),
    [
        ("nintendo", [1, 2, 3], [3], False),
        ("nintendo", [1, 2], [2], True),
        ("nintendo", [1], [2], False),
        ("nintendo", [1, 2], [3, 4], False),
        ("nintendo", [1, 2], [3, 2], True),
        ("nintendo/short", [1, 2, 3], [4], False),
        ("nintendo/short", [1, 2, 3], [4, 3], True),
        ("world/quick", [1, 2, 3, 4], [5, 4], False),
        ("world/quick", [1, 2, 3, 4], [4, 3], True),
        ("world/quick", [1, 2, 3, 4, 5], [4, 3, 2], True),
    ],
)
async def test_bankruptcies_of_players_end_a_game(
    ledger_file: Path, edition: str, players: list[int], bankrupt: list[int], is_over: bool
) -> None:
    async with playing(ledger_file, "A", "B", "C", "D", "E", edition=edition) as session:
        for card in players:
            await session.pay(BANK, card, session.game.edition.salary, "salary")
        for card in bankrupt:
            await session.bankrupt(card, BANK)
        assert session.game.is_over is is_over
        assert session.game.counted_bankruptcies == sorted({*bankrupt} & {*players})
        await session.readmit(bankrupt[-1])
        assert session.game.counted_bankruptcies == sorted({*bankrupt[:-1]} & {*players})


async def test_a_creditor_plays_until_the_bankruptcy_is_undone(ledger_file: Path) -> None:
    async with playing(ledger_file, "A", "B") as session:
        await session.bankrupt(2, 1)
        assert (session.game.playing, session.game.counted_bankruptcies) == ([1], [])
        await session.readmit(2)
        assert session.game.playing == []
        lost = await session.bankrupt(2, 1)
        assert lost
        await session.undo(lost.id)
        assert session.game.playing == []


async def test_cards_that_only_join_and_leave_do_not_resume_an_ended_game(ledger_file: Path) -> None:
    async with playing(ledger_file, "A", "B") as session:
        await session.pay(2, 1, 100, "players")
        ended = await session.end({1: 1600, 2: 1400})
        await session.admit("C")
        await session.leave(3)
        await session.admit("C")
        await session.free(3)
        await session.admit("D")
        assert session.game.ended == ended
        salary = await session.pay(BANK, 3, 200, "salary")
        assert session.game.ended is None
        await session.undo(salary.id)
        ended = await session.end({1: 1600, 2: 1400})
        await session.leave(2)
        await session.come_back(2)
        assert session.game.ended == ended
        await pay_each(session, 3, 1, receives=True)
        assert session.game.ended is None
        await session.admit("E")
        ended = await session.end({card: session.game.balances[card] for card in session.game.playing})
        await session.leave(4)
        await session.admit("E")
        assert session.game.ended == ended


async def test_a_new_card_replaces_a_lost_one(ledger_file: Path) -> None:
    configured = ("C1", "C2", "C3")
    async with playing(ledger_file, "C1", "C2", "X", cards=configured) as session:
        await session.pay(1, BANK, 300, "paid")
        with pytest.raises(Rejection) as rejection:
            await session.replace(1, "C2", None)
        assert rejection.value.why == "same card twice"
        await session.replace(1, "N", None)
        assert await session.admit("N") == 1
        assert session.game.balances == {1: 1200, 2: 1500, 4: 1500}
        assert await session.admit("C1") == 5, "a stranger"
        await session.leave(5)
        with pytest.raises(Rejection, match="same card"):
            await session.replace(1, "C1", None)
        await session.replace(2, "C1", 5)
        assert await session.admit("C1") == 2
        await session.replace(2, "C2", None)
        await session.replace(4, "Y", None)
        await session.replace(2, "C3", None)
    async with playing(ledger_file, cards=configured) as session:
        await session.start_game(session.game.edition)
        assert [await session.admit(tag) for tag in ("N", "C3", "Y")] == [1, 2, 4]
        assert [await session.admit(tag) for tag in ("C1", "C2")] == [3, 5]
        await session.start_game(session.game.edition)
        await session.replace(1, "C1", None)
        await session.replace(2, "C2", None)
        assert [await session.admit(tag) for tag in ("N", "C1", "C2", "Y")] == [3, 1, 2, 4]


async def test_a_learned_card_whose_number_the_config_gave_away_can_replace_another(ledger_file: Path) -> None:
    async with playing(ledger_file, "X") as session:
        await session.start_game(session.game.edition)
    async with playing(ledger_file, "C1", "Y", cards=("C1",)) as session:
        await session.replace(2, "X", None)
        assert await session.admit("X") == 2


async def test_a_freed_number_is_a_new_cards(ledger_file: Path) -> None:
    async with playing(ledger_file, "C1", "C2", edition="nintendo", cards=("C1", "C2")) as session:
        await session.pay(2, BANK, 300, "paid")
        await session.free(2)
        freed = session.game.latest[0]
        assert (freed.amount, freed.reason, session.game.balances) == (1200, "left", {1: 1500})
        with pytest.raises(Rejection):
            await session.undo(freed.id)  # its player has no card any more
        with pytest.raises(Rejection):
            await session.come_back(2)
        assert await session.admit("N") == 2
        assert (session.game.balances, set(session.game.left), session.game.playing) == ({1: 1500, 2: 1500}, set(), [])
        assert await session.admit("C2") == 3, "a stranger"
        await session.free(8)  # it is not in the game
        for _ in range(2):
            await session.free(2)
            assert await session.admit("N") == 2
            assert session.game.balances[2] == 1500


async def test_a_card_of_last_night_gives_its_number_to_a_new_one(ledger_file: Path) -> None:
    async with playing(ledger_file, *"ABCDEF", edition="classic-de") as session:
        with pytest.raises(Rejection):
            await session.admit("G")
        await session.start_game(session.game.edition)
        assert await session.admit("A") == 1
        assert [await session.admit(tag) for tag in "GDB"] == [2, 4, 3]
        await session.leave(3)
        assert [await session.admit(tag) for tag in "EF"] == [5, 6]
        with pytest.raises(Rejection):
            await session.admit("C")
        assert await session.admit("B") == 3, "a card that left keeps its number"


async def test_what_left_tonight_left_in_that_game_only(ledger_file: Path) -> None:
    async with playing(ledger_file, "A", "B") as session:
        await session.pay(1, 2, 100, "players")
        await session.leave(1)
        await session.start_game(session.game.edition, [1, 2])
        assert (set(session.game.left), session.game.playing) == (set(), [])
        (kept,) = await session.kept_games()
        await session.resume(kept)
        assert (set(session.game.left), session.game.playing) == ({1}, [2])
        await session.come_back(1)
        assert session.game.playing == [1, 2]
