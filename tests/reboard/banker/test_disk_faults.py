"""A table whose disk is full, read-only, slow or failing, whose ledger is damaged, in use or too new."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.banker import schema
from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import BANK, Ledger
from reboard.banker.no_ledger import MovedLedgerError
from reboard.errors import ReboardError
from reboard_sim.deck import DECK
from reboard_sim.disk import STALL_S, VirtualDisk
from reboard_sim.hands import Hands
from reboard_sim.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run

Scenario = Callable[[VirtualTable], Awaitable[None]]

DANCE_S = 13.0


def at_a_table(state: Path, scenario: Scenario, *, seed: int = 1) -> VirtualTable:
    async def main() -> VirtualTable:
        table = VirtualTable(Scene.load(None, state), seed=seed)
        try:
            await scenario(table)
        finally:
            for fault in tuple(table.faults):
                table.misbehave(fault, False)
            await table.close()
        return table

    result: VirtualTable = run(main)
    return result


async def do(table: VirtualTable, text: str) -> None:
    await table.power_on()
    hands = Hands(table)
    for line in parse_play(text):
        await hands.do(line)


def told(table: VirtualTable, event: str) -> list[dict[str, Any]]:
    return [dict(told) for _, told in table.log.since(0) if told["event"] == event]


def when(table: VirtualTable, event: str) -> list[float]:
    return [told["t"] for told in told(table, event)]


def transfers_told(table: VirtualTable) -> list[tuple[int, int, int, int]]:
    return [(told["id"], told["from"], told["to"], told["amount"]) for told in told(table, "transfer")]


def transfers_kept(state: Path) -> list[tuple[int, int, int, int]]:
    with closing(Ledger(state / LEDGER_FILE)) as ledger:
        assert ledger.verify() == []
        return list(ledger.book.connection.execute('SELECT id, "from", "to", amount FROM transfer ORDER BY id'))


def second_line(table: VirtualTable) -> str:
    return table.pi.lcd.lines()[1].strip()


def deal_s(state: Path, *, faults: str) -> float:
    """How long a deal took at a table with these faults, while money moved."""

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey DEAL")
        await do(table, "\n".join(f"fault {fault}" for fault in faults.split(", ") if fault))
        await do(table, "key GO\nkey GO\nwait 60")

    table = at_a_table(state, scenario)
    (started,), (ended,) = when(table, "deal.started"), when(table, "deal.ended")
    return ended - started


def test_the_motor_stops_in_time_while_the_disk_stalls_at_everything_that_is_saved(tmp_path: Path) -> None:
    late_s = []

    async def scenario(table: VirtualTable) -> None:
        loop = asyncio.get_running_loop()
        await do(table, "insert left 1\nfault disk slow")
        for presses in range(8):
            await do(table, "\n".join(["key GO"] * presses + ["pull lever", "release lever"]))
            begun = loop.time()
            await asyncio.sleep(DANCE_S - 0.1)
            while table.pi.motor.is_on:  # noqa: ASYNC110 - a motor tells nobody
                await asyncio.sleep(0.001)
            late_s.append(loop.time() - begun - DANCE_S)
            await asyncio.sleep(STALL_S * presses)

    table = at_a_table(tmp_path, scenario)
    print(f"the motor stopped {min(late_s):.3f} to {max(late_s):.3f} s after its time")
    assert max(map(abs, late_s)) < 0.1
    assert len(told(table, "transfer")) == 1 + sum(range(8))
    stalls = [b - a for a, b in zip(when(table, "transfer")[1:], when(table, "transfer")[2:], strict=False)]
    assert min(stalls) > STALL_S - 0.001, "it did not stall"


@pytest.mark.parametrize("faults", ["disk full", "disk read-only", "disk slow", "clock"])
def test_the_deal_takes_as_long_as_it_would_with_a_disk_that_is_well(tmp_path: Path, faults: str) -> None:
    assert deal_s(tmp_path / "bad", faults=faults) == pytest.approx(deal_s(tmp_path / "well", faults=""), abs=0.001)


@pytest.mark.parametrize("seed", range(1, 9))
def test_whatever_the_disk_does_all_that_was_told_is_kept_and_nothing_else(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    print(f"seed {seed}")
    faults = ("disk full", "disk read-only", "disk slow", "disk failing", "clock")
    acts = ("key GO", "key C", "type 1M", "wait 3", "remove right", "insert right 2", "insert left 1", "insert left 3")

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        for _ in range(60):
            await do(table, rng.choice(acts))
            for fault in faults:
                table.misbehave(fault, rng.random() < 0.2)
            if rng.random() < 0.05:
                await table.power_off()
        for fault in faults:
            table.misbehave(fault, False)
        await do(table, "wait 90")
        shown = {card["number"]: card["balance"] for card in table.snapshot()["cards"]}
        await table.power_off()
        with closing(Ledger(tmp_path / LEDGER_FILE)) as ledger:
            game = ledger.game()
            assert game
            assert ledger.balances(game.id) == shown

    table = at_a_table(tmp_path, scenario, seed=seed)
    kept = transfers_kept(tmp_path)
    assert set(transfers_told(table)) <= set(kept)
    assert len(transfers_told(table)) == len(set(transfers_told(table))), "told twice"


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_commit_that_failed_is_looked_for_before_anything_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    """The disk fails once: what it says it has not saved is there all the same, or is not."""

    def kept_once(disk: VirtualDisk) -> bool:
        disk.failing = False
        return is_kept

    monkeypatch.setattr(VirtualDisk, "commit_is_kept", kept_once)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nfault disk failing\nkey GO")
        assert told(table, "refused") == (
            [] if is_kept else [{"t": told(table, "refused")[0]["t"], "event": "refused", "why": "disk"}]
        )
        await do(table, "wait 5")
        assert table.shown_balance(DECK[0]) == ("17M" if is_kept else "15M")
        assert table.snapshot()["faults"].keys() == (set() if is_kept else {"ledger"})
        await do(table, "key GO")
        assert table.shown_balance(DECK[0]) == ("19M" if is_kept else "17M")
        assert not table.snapshot()["faults"]

    table = at_a_table(tmp_path, scenario)
    assert transfers_told(table) == transfers_kept(tmp_path)


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_the_host_says_while_the_disk_fails_is_afterwards_as_the_disk_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    def kept_once(disk: VirtualDisk) -> bool:
        disk.failing = False
        return is_kept

    monkeypatch.setattr(VirtualDisk, "commit_is_kept", kept_once)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        for do_what, args in (("name", {"card": 1, "name": "Zoe"}), ("end_game", {"game": 1})):
            assert table.table
            await do(table, "fault disk failing")
            with pytest.raises(ReboardError, match="has stopped" if is_kept else "the disk did not take it"):
                await table.table.request(do_what, **args)
            await do(table, "wait 5")
        snapshot = table.snapshot()
        assert snapshot["cards"][0]["name"] == ("Zoe" if is_kept else "")
        assert bool(snapshot["ended"]) == is_kept
        assert not told(table, "requested"), "nobody knew yet that it was done"

    at_a_table(tmp_path, scenario)


@pytest.mark.parametrize("is_kept", [True, False])
def test_while_nobody_can_look_whether_a_commit_was_kept_that_is_what_the_fault_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    monkeypatch.setattr(VirtualDisk, "commit_is_kept", lambda _: is_kept)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nfault disk failing\nkey GO\nwait 3\nmend disk failing\nwait 5")
        assert table.shown_balance(DECK[0]) == ("17M" if is_kept else "15M")
        assert not table.snapshot()["faults"]

    table = at_a_table(tmp_path, scenario)
    causes = [str(fault["cause"]) for fault in told(table, "fault")]
    assert "nobody knows yet whether the last was saved: the disk fails" in causes[0]
    assert not [cause for cause in causes if "nothing was saved" in cause]
    assert [fault["part"] for fault in told(table, "fault")] == ["ledger", "bank", "ledger"]
    assert [well["part"] for well in told(table, "recovered")] == ["bank", "ledger"]
    assert transfers_told(table) == transfers_kept(tmp_path)


def test_that_nothing_was_saved_is_not_said_of_what_turns_out_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept_once(disk: VirtualDisk) -> bool:
        disk.failing = False
        return True

    monkeypatch.setattr(VirtualDisk, "commit_is_kept", kept_once)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nfault disk failing\nkey GO\nwait 5")

    table = at_a_table(tmp_path, scenario)
    assert [fault["part"] for fault in told(table, "fault")] == ["bank"]


@pytest.mark.parametrize(
    ("press", "is_on"),
    [
        ("hold C 3.2", ("game.started", 3)),
        ("hold GO 1.6\nkey 3\nkey M", ("game.resumed", 1)),
    ],
)
def test_a_game_that_the_disk_turns_out_to_have_begun_is_told_once_and_with_its_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, press: str, is_on: tuple[str, int]
) -> None:
    monkeypatch.setattr(VirtualDisk, "commit_is_kept", lambda _: True)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey GO\nremove left\nhold C 3.2\nwait 1\nfault disk failing")
        begun = table.log.end
        await do(table, f"{press}\nmend disk failing\nwait 5")
        news = [told for _, told in table.log.since(begun) if str(told["event"]).startswith(("game", "transfer"))]
        assert (news[0]["event"], news[0]["game"]) == is_on
        starts = [(start["game"], start["to"], start["reason"]) for start in news[1:]]
        assert starts == ([(3, 1, "start")] if is_on[0] == "game.started" else [])

    table = at_a_table(tmp_path, scenario)
    assert transfers_told(table) == transfers_kept(tmp_path)


@pytest.mark.parametrize("seed", range(1, 5))
def test_what_a_failing_disk_has_in_the_end_was_told_once_and_in_order(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    print(f"seed {seed}")
    acts = ("key GO", "key C", "type 1M", "wait 3", "remove right", "insert right 2", "insert left 1", "insert left 3")

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        for _ in range(60):
            await do(table, rng.choice(acts))
            table.misbehave("disk failing", rng.random() < 0.3)
        table.misbehave("disk failing", False)
        await do(table, "wait 90")

    table = at_a_table(tmp_path, scenario, seed=seed)
    assert transfers_told(table) == transfers_kept(tmp_path)


def test_a_table_that_is_switched_on_again_tells_nothing_of_what_was_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VirtualDisk, "commit_is_kept", lambda _: True)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nfault disk failing\nkey GO\nwait 1\npower off")
        table.misbehave("disk failing", False)
        await do(table, "wait 5")
        assert table.shown_balance(DECK[0]) == "17M"

    table = at_a_table(tmp_path, scenario)
    assert [transfer["reason"] for transfer in told(table, "transfer")] == ["start"]


def test_a_full_disk_is_looked_into_and_then_said_to_have_saved_nothing(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nfault disk full\nkey GO\nwait 1")
        assert "nothing was saved: the disk is full" in table.snapshot()["faults"]["ledger"]

    table = at_a_table(tmp_path, scenario)
    assert not [fault for fault in told(table, "fault") if "nobody knows" in fault["cause"]]


def test_a_new_edition_on_a_full_disk_waits_for_room_and_tells_nothing_twice(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nwait 1\nremove left\nfault disk full")
        await table.power_off()
        await table.configure("edition", '"nintendo"')
        await do(table, "wait 5")
        assert second_line(table) == "DISK FULL"
        await do(table, "mend disk full\nwait 35\ninsert left 2")

    table = at_a_table(tmp_path, scenario)
    assert transfers_told(table) == transfers_kept(tmp_path)
    assert [(start["game"], start["edition"]) for start in told(table, "game.started")] == [
        (1, "world"),
        (2, "nintendo"),
    ]
    assert [fault["part"] for fault in told(table, "fault")] == ["ledger"]


def test_a_ledger_of_a_newer_reboard_is_named_on_the_display_and_the_rest_of_the_table_plays(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / LEDGER_FILE)) as ledger:
        newer = len(schema.MIGRATIONS) + 1
        ledger.book.connection.executescript(f"CREATE TABLE from_tomorrow (x); PRAGMA user_version = {newer}")
    before = (tmp_path / LEDGER_FILE).read_bytes()

    async def scenario(table: VirtualTable) -> None:
        await do(table, "wait 1")
        assert second_line(table) == "LEDGER IS NEWER"
        assert "update reboard" in table.snapshot()["faults"]["ledger"]
        await do(table, "press block\nwait until block.outcome within 1\npull lever\nrelease lever\nwait 14")
        assert told(table, "apple.stopped")

    at_a_table(tmp_path, scenario)
    assert (tmp_path / LEDGER_FILE).read_bytes() == before


def test_of_two_tables_on_one_ledger_the_second_says_so_and_takes_it_when_it_is_free(tmp_path: Path) -> None:
    async def scenario(first: VirtualTable) -> None:
        await do(first, "insert left 1")
        second = VirtualTable(Scene.load(None, tmp_path), seed=2)
        await do(second, "insert left 1\nkey GO\nwait 1")
        assert second_line(second) == "LEDGER IN USE"
        assert "another reboard keeps this ledger" in second.snapshot()["faults"]["ledger"]
        assert not told(second, "transfer")
        await do(first, "key GO")
        assert first.shown_balance(DECK[0]) == "17M"
        await first.power_off()
        await do(second, "wait 31")
        assert second.shown_balance(DECK[0]) == "17M"
        assert not second.snapshot()["faults"]
        await second.close()

    at_a_table(tmp_path, scenario)


def files_of_the_ledger(state: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_ino, path.read_bytes()) for path in state.glob("ledger.db*")}


def test_a_power_cut_at_a_second_table_leaves_the_ledger_of_the_first_alone(tmp_path: Path) -> None:
    async def scenario(first: VirtualTable) -> None:
        await do(first, "insert left 1\nkey GO")
        before = files_of_the_ledger(tmp_path)
        second = VirtualTable(Scene.load(None, tmp_path), seed=2)
        await do(second, "fault disk damaged\npower off\npower on")
        await second.close()
        assert files_of_the_ledger(tmp_path) == before
        await do(first, "key GO")
        assert first.shown_balance(DECK[0]) == "19M"

    table = at_a_table(tmp_path, scenario)
    assert transfers_told(table) == transfers_kept(tmp_path)


def replaced(file: Path) -> None:
    shutil.copy(file, f"{file}.other")
    Path(f"{file}.other").rename(file)


MOVED: dict[str, Callable[[Path], object]] = {
    "ledger removed": lambda state: (state / LEDGER_FILE).unlink(),
    "ledger replaced": lambda state: replaced(state / LEDGER_FILE),
    "ledger cut": lambda state: os.truncate(state / LEDGER_FILE, 4096),
    "log removed": lambda state: (state / f"{LEDGER_FILE}-wal").unlink(),
    "log replaced": lambda state: replaced(state / f"{LEDGER_FILE}-wal"),
    "log cut": lambda state: os.truncate(state / f"{LEDGER_FILE}-wal", 0),
    "lock removed": lambda state: (state / f"{LEDGER_FILE}.lock").unlink(),
    "directory renamed": lambda state: state.rename(f"{state}.old"),
    "directory removed": shutil.rmtree,
}
"""What people and programs do to the files of a ledger that a table has open."""


@pytest.mark.parametrize("how", MOVED)
def test_a_ledger_that_was_moved_under_the_table_is_a_fault_and_costs_no_money(tmp_path: Path, how: str) -> None:
    state = tmp_path / "state"

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey GO")
        MOVED[how](state)
        begun = table.log.end
        await do(table, "key GO\nwait 0.5")
        news = [told["event"] for _, told in table.log.since(begun)]
        assert "fault" in news
        assert "transfer" not in news
        await do(table, "wait 10")
        assert table.shown_balance(DECK[0]) == "17M"
        await do(table, "key GO\nwait 3")
        assert table.shown_balance(DECK[0]) == "19M"
        assert not table.snapshot()["faults"]

    table = at_a_table(state, scenario)
    assert transfers_told(table) == transfers_kept(state)


@pytest.mark.parametrize("how", [how for how in MOVED if how != "log cut"])
def test_a_ledger_that_was_moved_during_a_transfer_confirms_it_only_when_it_can_be_found(
    tmp_path: Path, how: str
) -> None:
    file = tmp_path / "state" / LEDGER_FILE
    with closing(Ledger(file)) as ledger:
        game = ledger.new_game("world", 1000, at=1.0, cards=(1,)).id
        ledger.book.connection.create_function("move", 0, lambda: str(MOVED[how](file.parent)))
        ledger.book.connection.execute("CREATE TEMP TRIGGER moving AFTER INSERT ON transfer BEGIN SELECT move(); END")
        with pytest.raises(MovedLedgerError):
            ledger.pay(game, BANK, 1, 5, reason="salary", press="1", at=2.0)
    with closing(Ledger(file)) as ledger:
        assert ledger.verify() == []
        assert ledger.balances(game) == {1: 1005}


def test_a_ledger_that_was_removed_is_there_again_after_the_table_is_switched_off(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / LEDGER_FILE)) as ledger:
        game = ledger.new_game("world", 1000, at=1.0, cards=(1,)).id
        (tmp_path / LEDGER_FILE).unlink()
    with closing(Ledger(tmp_path / LEDGER_FILE)) as ledger:
        assert ledger.balances(game) == {1: 1000}


@pytest.mark.parametrize("seed", range(1, 7))
def test_wherever_a_ledger_is_damaged_the_table_says_so_and_plays(
    tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\ninsert right 2\n" + "type 1M\n" * 20)
        await do(table, "remove right\nremove left\nfault disk damaged\npower off")
        table.misbehave("disk damaged", False)
        await do(table, "wait 0.3")
        assert table.pi.lcd.lines()[0].strip() == "LEDGER MENDED"
        await do(table, "wait 3")
        assert second_line(table) == "! LEDGER", "whoever was not there to see it sees it now"
        await do(table, "insert left 1\nkey GO")
        assert told(table, "transfer")[-1]["reason"] == "salary"
        assert not table.snapshot()["faults"]

    at_a_table(tmp_path, scenario, seed=seed)
    assert "was damaged" in caplog.text
    assert "ledger.db.damaged-1" in caplog.text


def test_a_calendar_that_is_set_back_is_told_and_the_order_of_transfers_is_theirs(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey GO\nfault clock\nkey GO\nkey C\nwait 2")
        assert "2025-01-05" in table.snapshot()["faults"]["clock"]
        assert second_line(table) == "! CLOCK"
        assert [transfer["reason"] for transfer in table.snapshot()["transfers"]] == [
            "undo",
            "salary",
            "salary",
            "start",
        ]
        await do(table, "mend clock\nkey GO")
        assert not table.snapshot()["faults"]

    at_a_table(tmp_path, scenario)


def test_a_clock_that_was_behind_for_less_than_a_day_is_nothing_to_talk_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey GO\npower off")
        monkeypatch.setattr("reboard_sim.virtual_pi.A_YEAR_S", 86_000.0)
        await do(table, "fault clock\nkey GO\nwait 1")
        assert not told(table, "fault")

    at_a_table(tmp_path, scenario)
