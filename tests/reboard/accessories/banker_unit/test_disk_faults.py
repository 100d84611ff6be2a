"""A table whose disk is full, read-only, slow or failing, whose ledger is damaged, in use or too new."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard_sim.board.disk import STALL_S, VirtualDisk
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.acts import Acts
from reboard_sim.plays.play_language import parse_play
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
            mend(table)
            await table.close()
        return table

    result: VirtualTable = run(main)
    return result


def mend(table: VirtualTable) -> None:
    for fault in tuple(table.faults):
        table.misbehave(fault, False)


async def do(table: VirtualTable, text: str) -> None:
    await table.power_on()
    hands = Acts(table)
    for line in parse_play(text):
        await hands.do(line)


def told(table: VirtualTable, event: str) -> list[dict[str, Any]]:
    return [dict(told) for _, told in table.log.since(0) if told["event"] == event]


def transfers_told(table: VirtualTable) -> list[tuple[int, int, int, int]]:
    return [(told["id"], told["from"], told["to"], told["amount"]) for told in told(table, "transfer")]


def transfers_kept(state: Path) -> list[tuple[int, int, int, int]]:
    with closing(LedgerFile(state / LEDGER_FILE)) as ledger:
        assert ledger.verify() == []
        return list(ledger.connection.execute('SELECT id, "from", "to", amount FROM transfer ORDER BY id'))


def test_the_motor_stops_in_time_while_the_disk_stalls_at_everything_that_is_saved(tmp_path: Path) -> None:
    late_s = []

    async def scenario(table: VirtualTable) -> None:
        loop = asyncio.get_running_loop()
        await do(table, "insert left 1\nfault disk slow")
        for presses in range(8):
            await do(table, "\n".join(["key GO"] * presses + ["pull lever", "release lever"]))
            begun = loop.time()
            await asyncio.sleep(DANCE_S - 0.1)
            while table.pi["apple.motor"].is_on:  # noqa: ASYNC110 - a motor tells nobody
                await asyncio.sleep(0.001)
            late_s.append(loop.time() - begun - DANCE_S)
            await asyncio.sleep(STALL_S * presses)

    table = at_a_table(tmp_path, scenario)
    assert max(map(abs, late_s)) < 0.1
    assert len(told(table, "transfer")) == 1 + sum(range(8))
    stalls = [b["t"] - a["t"] for a, b in itertools.pairwise(told(table, "transfer")[1:])]
    assert min(stalls) > STALL_S - 0.001, "it did not stall"


ALL_FAULTS = ("disk full", "disk read-only", "disk slow", "disk failing", "clock")
ACTS = ("key GO", "key C", "type 1M", "wait 3", "remove right", "insert right 2", "insert left 1", "insert left 3")


@pytest.mark.parametrize(
    ("faults", "seed"), [(faults, seed) for faults in (ALL_FAULTS, ("disk failing",)) for seed in range(1, 5)]
)
def test_a_failing_disk_keeps_exactly_what_was_reported(tmp_path: Path, faults: Sequence[str], seed: int) -> None:
    rng = random.Random(seed)
    has_power_cuts = faults is ALL_FAULTS

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        for _ in range(60):
            await do(table, rng.choice(ACTS))
            for fault in faults:
                table.misbehave(fault, rng.random() < 0.2)
            if has_power_cuts and rng.random() < 0.05:
                await table.power_off()
        mend(table)
        await do(table, "wait 90")
        shown = {card["number"]: card["balance"] for card in table.snapshot()["cards"]}
        await table.power_off()
        with closing(LedgerFile(tmp_path / LEDGER_FILE)) as ledger:
            game = ledger.game()
            assert game
            assert ledger.balances(game.id) == shown

    told, kept = transfers_told(at_a_table(tmp_path, scenario, seed=seed)), transfers_kept(tmp_path)
    assert len(told) == len(set(told)), "reported twice"
    assert set(told) <= set(kept) if has_power_cuts else told == kept


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("once", [True, False])
def test_a_commit_that_failed_is_looked_for_before_anything_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_kept: bool, once: bool
) -> None:
    """What the disk says it has not saved is there all the same, or is not; the disk works again, or not yet."""

    def commit_is_kept(disk: VirtualDisk) -> bool:
        disk.failing = not once
        return is_kept

    monkeypatch.setattr(VirtualDisk, "commit_is_kept", commit_is_kept)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nfault disk failing\nkey GO")
        if once:
            assert [refused["why"] for refused in told(table, "refused")] == ([] if is_kept else ["disk"])
        await do(table, "wait 3\nmend disk failing\nwait 5")
        assert table.shown_balance(DECK[0]) == ("17M" if is_kept else "15M")
        assert table.snapshot()["faults"].keys() == ({"ledger"} if once and not is_kept else set())
        await do(table, "key GO")
        assert table.shown_balance(DECK[0]) == ("19M" if is_kept else "17M")
        assert not table.snapshot()["faults"]

    table = at_a_table(tmp_path, scenario)
    assert transfers_told(table) == transfers_kept(tmp_path)
    if not once:
        causes = [str(fault["cause"]) for fault in told(table, "fault")]
        assert "it is not known yet whether the last change was saved" in causes[0]
        assert not [cause for cause in causes if "nothing was saved" in cause]
        assert {fault["part"] for fault in told(table, "fault")} == {"ledger", "bank"}


def test_a_unit_that_restarts_keeps_how_phones_pay_and_the_code(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        assert table.table
        await table.table.request("phones", pay="free")
        code = await table.table.read("join_code")
        await do(table, "fault disk failing\nkey GO\nwait 3\nmend disk failing\nwait 5")
        assert "bank" in {fault["part"] for fault in told(table, "fault")}, "it has restarted"
        assert table.snapshot()["phones"]["pay"] == "free"
        assert await table.table.read("join_code") == code

    at_a_table(tmp_path, scenario)


def test_a_restarted_table_reports_nothing_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VirtualDisk, "commit_is_kept", lambda _: True)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nfault disk failing\nkey GO\nwait 1\npower off")
        table.misbehave("disk failing", False)
        await do(table, "wait 5")
        assert table.shown_balance(DECK[0]) == "17M"

    table = at_a_table(tmp_path, scenario)
    assert [transfer["reason"] for transfer in told(table, "transfer")] == ["start"]


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


def test_a_ledger_that_was_removed_is_there_again_after_the_table_is_switched_off(tmp_path: Path) -> None:
    with closing(LedgerFile(tmp_path / LEDGER_FILE)) as ledger:
        game = ledger.new_game("world", 1000, at=1.0, cards=(1,)).id
        (tmp_path / LEDGER_FILE).unlink()
    with closing(LedgerFile(tmp_path / LEDGER_FILE)) as ledger:
        assert ledger.balances(game) == {1: 1000}
