"""The virtual table: its plug, its wiring, and what is the same in every run."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger, Transfer
from reboard_sim.board.disk import VirtualDisk
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.acts import Acts
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.ledger_calls import back_up

Scenario = Callable[[VirtualTable], Awaitable[None]]


def at_a_table(state: Path, scenario: Scenario, *, seed: int = 1) -> VirtualTable:
    async def main() -> VirtualTable:
        table = VirtualTable(Scene.load(None, state), seed=seed)
        try:
            await scenario(table)
        finally:
            await table.close()
        return table

    result: VirtualTable = run(main)
    return result


async def do(table: VirtualTable, text: str) -> None:
    await table.power_on()
    hands = Acts(table)
    for line in parse_play(text):
        await hands.do(line)


def test_a_power_cut_stops_motor_lamp_and_sound_at_the_same_instant(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "press block\npull lever\nrelease lever\nwait 0.3")
        assert table.pi["apple.motor"].is_on
        cut = asyncio.get_running_loop().time()
        await table.power_off()
        assert not table.pi["apple.motor"].is_on
        assert not table.pi["block.lamp"].is_on
        await asyncio.sleep(5)
        assert not table.sound_card.heard_between(cut + 0.02, cut + 5)
        assert max(float(str(told["t"])) for _, told in table.log.since(0)) <= cut

    at_a_table(tmp_path, scenario)


def test_other_wires_are_wired_at_once_and_the_cards_stay_in_their_slots(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert right 2")
        before = table.pi
        await table.configure("block.button", "4")
        assert table.pi is not before
        await do(table, "press block\nwait 1")
        assert table.snapshot()["block"]["last"]
        assert table.snapshot()["slots"]["right"] == 2

    at_a_table(tmp_path, scenario)


def test_an_unread_card_of_the_deck_has_no_balance_of_another_card_with_its_number(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "config bank.cards []\ninsert left tag 62E3086CED\nask 2 joins\nhost confirms\nwait 1")
        assert table.cards_in_game == ["62E3086CED", DECK[1]]
        assert [table.shown_balance(card) for card in DECK[:3]] == [None, "15M", None]

    at_a_table(tmp_path, scenario)


def test_a_transfer_that_is_not_saved_at_a_power_cut_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really_act = Ledger._act

    async def scenario(table: VirtualTable) -> None:
        is_off = asyncio.Event()

        def cut(*args: Any, **kwargs: Any) -> list[Transfer]:
            table.pi.disk.power_off()
            is_off.set()
            return really_act(*args, **kwargs)

        await do(table, "insert left 1\nkey 5\nwait 1")
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "_act", cut)
            table.pi["bank.keypad"].press("M")
            await asyncio.sleep(0.1)
            table.pi["bank.keypad"].release("M")
            await is_off.wait()
            await table.power_off()
        await do(table, "wait 1")
        assert table.shown_balance(DECK[0]) == "15M"

    at_a_table(tmp_path, scenario)


def test_a_power_cut_changes_no_file_but_the_ledger(tmp_path: Path) -> None:
    mine = tmp_path / "thesis.txt"
    mine.write_text("mine")
    before = mine.stat()

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        await table.power_off()
        await do(table, "wait 1")
        assert table.shown_balance(DECK[0]) == "15M"

    at_a_table(tmp_path, scenario)
    assert (mine.stat().st_ino, mine.stat().st_ctime_ns) == (before.st_ino, before.st_ctime_ns)
    assert not list(tmp_path.glob("*.copy"))


def test_a_backup_that_a_power_cut_stops_is_not_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    disk = VirtualDisk(Random(1))
    with closing(LedgerFile(tmp_path / "ledger.db", database=disk.open_database)) as ours:
        ours.new_game("world", 1_000_000, at=1.0, cards=(1, 2))
        disk.power_off()
        back_up(ours)
    assert not caplog.text
