"""A table: what one bad part does to the others, what it tells of itself, and what it can be asked."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from gpiozero import InputDevice

from reboard.banker.book import LEDGER_FILE, Book
from reboard.banker.ledger import Ledger, Transfer
from reboard.banker.till import Till
from reboard.config import TableConfig
from reboard.errors import PartError, ReboardError, RequestError
from reboard.parts.lamp import Lamp
from reboard.table import LONGEST_OPENING_S, Table, system_randomness
from reboard_sim.hands import Hands
from reboard_sim.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import SETTLE_S, VirtualTable
from reboard_sim.virtual_time import run

Scenario = Callable[[VirtualTable], Awaitable[None]]


def at_a_table(state: Path, scenario: Scenario, *settings: tuple[str, str], config: str | None = None) -> VirtualTable:
    """Run *scenario* at a virtual table that is on."""
    path = None
    if config is not None:
        path = state / "table.toml"
        path.write_text(config, encoding="utf-8")

    async def main() -> VirtualTable:
        scene = Scene.load(path, state)
        for key, value in settings:
            scene = scene.changed(key, value)
        table = VirtualTable(scene, seed=1)
        try:
            await table.power_on()
            await scenario(table)
        finally:
            await table.close()
        return table

    result: VirtualTable = run(main)
    return result


async def do(table: VirtualTable, text: str) -> None:
    hands = Hands(table)
    for line in parse_play(text):
        await hands.do(line)


def firmware(table: VirtualTable) -> Table:
    assert table.table is not None
    return table.table


def events(table: VirtualTable, name: str) -> list[dict[str, object]]:
    return [dict(told) for _, told in table.log.since(0) if told["event"] == name]


def test_a_config_with_one_accessory_builds_one(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "press block\nwait 1")
        snapshot = table.snapshot()
        assert snapshot["apple"] is None
        assert snapshot["cards"] == []
        assert snapshot["block"]["last"]

    at_a_table(tmp_path, scenario, config="[block]\nbutton = 17\n")


def test_parts_that_are_left_out_are_simply_not_there(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "press block\nwait 5\npull lever\nrelease lever\nwait 14")
        assert table.snapshot()["faults"] == {}

    config = "[block]\nbutton = 17\n[apple]\nlever = 22\n[bank]\n"
    table = at_a_table(tmp_path, scenario, config=config)
    assert len(events(table, "apple.stopped")) == 1


def test_a_pin_that_somebody_else_has_stops_one_accessory_and_the_others_play(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.power_off()
        table.pi.power_on()
        thief = InputDevice(22, pin_factory=table.pi.pins)
        await table.power_on()
        assert list(firmware(table).faults) == ["apple"]
        assert "GPIO22" in firmware(table).faults["apple"]
        await do(table, "press block\ninsert left 1\nkey GO\nwait 3")
        thief.close()
        await do(table, "wait 10\npull lever\nrelease lever\nwait 1")
        assert firmware(table).faults == {}
        assert table.pi.motor.is_on

    table = at_a_table(tmp_path, scenario)
    assert len(events(table, "fault")) == len(events(table, "recovered")) == 1
    assert len(events(table, "block.outcome")) == 1
    assert [told["reason"] for told in events(table, "transfer")] == ["start", "salary"]


def test_the_snapshot_has_what_everybody_relies_on(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 2\nkey DEAL\nwait 1")
        snapshot = table.snapshot()
        assert snapshot["edition"] == "world"
        assert snapshot["game"] == 1
        assert snapshot["display"] == ["+2 15M", "            DEAL"]
        assert snapshot["cards"] == [{"number": 2, "balance": 15_000_000, "shown": "15M", "name": "", "retired": False}]
        none = {"coins": [0] * 6, "laugh": 0, "power_up": 0, "game_over": 0}
        odds = {"coins": [2] * 6, "laugh": 12, "power_up": 6, "game_over": 6}
        assert snapshot["block"] == {"last": None, "quiet": False, "odds": odds, "tally": none}
        assert snapshot["deal"] == {"running": True}
        assert snapshot["apple"] == {"running": False, "wound": False, "seconds": 13.0, "started_at": None}

    at_a_table(tmp_path, scenario)


def test_what_is_left_of_the_apples_turn_can_be_told_by_the_tables_clock(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.power_off()
        await do(table, "wait 60\npower on\nwait 2\npull lever\nrelease lever\nwait 4")
        snapshot, (started,) = table.snapshot(), events(table, "apple.started")
        apple = snapshot["apple"]
        assert apple["running"]
        assert isinstance(started["t"], float)
        assert apple["seconds"] - (snapshot["t"] - apple["started_at"]) == pytest.approx(13 - 4, abs=0.1)
        # the log's clock is the simulator's, which runs on while the table is off
        assert apple["started_at"] == pytest.approx(started["t"] - table.switched_on_at)

    at_a_table(tmp_path, scenario)


def test_the_blocks_tally_outlives_a_failure_of_its_lamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise PartError("the lamp is broken")

    async def scenario(table: VirtualTable) -> None:
        await do(table, "press block\nwait 5")
        with monkeypatch.context() as patched:
            patched.setattr(Lamp, "on", broken)
            await do(table, "press block\nwait 1")
        assert "block" in table.snapshot()["faults"]
        await do(table, "wait 10\npress block\nwait 5")
        assert table.snapshot()["faults"] == {}
        tally = table.snapshot()["block"]["tally"]
        assert sum(tally.pop("coins")) + sum(tally.values()) == len(events(table, "block.outcome")) == 3

    at_a_table(tmp_path, scenario)


def test_requests_change_volume_quiet_and_game(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey GO")
        await firmware(table).request("undo")
        assert table.snapshot()["cards"][0]["shown"] == "15M"
        await firmware(table).request("volume", level=1)
        await firmware(table).request("quiet", on=True)
        assert await firmware(table).request("new_game", game=1) == {"game": 2}
        assert await firmware(table).request("new_game", game=1) == {"game": 2}
        assert await firmware(table).request("new_game") == {"game": 3}
        snapshot = table.snapshot()
        assert (snapshot["volume"], snapshot["block"]["quiet"], snapshot["game"]) == (1, True, 3)

    table = at_a_table(tmp_path, scenario)
    assert [told["level"] for told in events(table, "volume")] == [1]
    assert [told["on"] for told in events(table, "quiet")] == [True]


def test_what_was_asked_for_is_told_and_logged_with_whose_wish_it_was(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey GO")
        ask = firmware(table).request
        await ask("undo", transfer=2, by="the page at 192.168.1.7")
        assert await ask("name", card=1, name="Zoë", by="the page at 192.168.1.7") is None
        ended: Any = await ask("end_game", game=1, worths={"1": 500_000})
        assert table.snapshot()["ended"] == ended
        assert ended["ranking"] == [{"place": 1, "number": 1, "name": "Zoë", "worth": 15_500_000, "shown": "15.5M"}]
        with pytest.raises(ReboardError):
            await ask("undo", transfer=2, by="somebody who is refused")
        assert await ask("new_game", edition="nintendo") == {"game": 2}
        assert (table.snapshot()["ended"], table.snapshot()["edition"]) == (None, "nintendo")

    with caplog.at_level(logging.INFO, "reboard.table"):
        table = at_a_table(tmp_path, scenario)
    assert [(told["do"], told["by"], told["args"]) for told in events(table, "requested")] == [
        ("undo", "the page at 192.168.1.7", {"transfer": 2}),
        ("name", "the page at 192.168.1.7", {"card": 1, "name": "Zoë"}),
        ("end_game", "door", {"game": 1, "worths": {"1": 500_000}}),
        ("new_game", "door", {"edition": "nintendo"}),
    ]
    assert [record.getMessage() for record in caplog.records if ", by " in record.getMessage()] == [
        "undo 2, by the page at 192.168.1.7",
        'name 1 "Zoë", by the page at 192.168.1.7',
        'end_game 1 {"1": 500000}, by door',
        "undo 2, by somebody who is refused",
        'new_game "nintendo", by door',
    ]


def test_the_past_can_be_had_and_is_nobodys_wish(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey GO")
        past = json.loads(await firmware(table).history())
        assert [transfer["reason"] for transfer in past["transfers"]] == ["start", "salary"]

    table = at_a_table(tmp_path, scenario)
    assert events(table, "requested") == []


@pytest.mark.parametrize(
    ("do_what", "args", "problem"),
    [
        ("dance", {}, "a table cannot do 'dance'"),
        ("volume", {"level": 9}, "volume is 0"),
        ("undo", {}, "no transfer that could be taken back"),
    ],
)
def test_a_request_that_cannot_be_carried_out_says_why(
    tmp_path: Path, do_what: str, args: dict[str, object], problem: str
) -> None:
    async def scenario(table: VirtualTable) -> None:
        with pytest.raises(ReboardError, match=problem):
            await firmware(table).request(do_what, **args)

    at_a_table(tmp_path, scenario)


def test_a_request_to_an_accessory_that_is_not_built_says_so(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        for asked in (firmware(table).request("undo"), firmware(table).history()):
            with pytest.raises(RequestError, match="no banker unit"):
                await asked
        assert (table.snapshot()["ended"], table.snapshot()["editions"]) == (None, [])

    at_a_table(tmp_path, scenario, config="[block]\nbutton = 17\n")


def test_a_ledger_that_another_process_keeps_is_shown_and_told_until_it_is_free(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.power_off()
        others = Book(tmp_path / LEDGER_FILE)
        await table.power_on()
        await do(table, "wait 120")
        assert [line.strip() for line in table.pi.lcd.lines()] == ["WORLD EDITION", "LEDGER IN USE"]
        assert table.snapshot()["display"] == ["WORLD EDITION", "LEDGER IN USE"]
        assert "another reboard keeps this ledger" in table.snapshot()["faults"]["ledger"]
        others.close()
        await do(table, "wait 31\ninsert left 1\nkey GO\nwait 3")
        assert [line.strip() for line in table.pi.lcd.lines()] == ["+1 17M", ""]
        assert table.snapshot()["faults"] == {}

    table = at_a_table(tmp_path, scenario)
    assert len(events(table, "fault")) == len(events(table, "recovered")) == 1


def test_after_damage_in_mid_game_the_table_shows_what_the_ledger_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay = Ledger.pay

    def pay_and_break(ledger: Ledger, *args: int, reason: str, press: str, at: float) -> Transfer:
        pay(ledger, *args, reason=reason, press=press, at=at)
        malformed = sqlite3.DatabaseError("database disk image is malformed")
        malformed.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise malformed

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        with monkeypatch.context() as broken:
            broken.setattr(Ledger, "pay", pay_and_break)
            await do(table, "key GO\nwait 0.5")
        assert "found damaged" in table.snapshot()["faults"]["bank"]
        await do(table, "wait 5\nkey GO\nwait 1")
        assert table.snapshot()["faults"] == {}
        assert [line.strip() for line in table.pi.lcd.lines()] == ["+1 19M", ""]
        shown = {card["number"]: card["balance"] for card in table.snapshot()["cards"]}
        await table.power_off()
        with closing(Ledger(tmp_path / LEDGER_FILE)) as ledger:
            assert ledger.balances(1) == shown

    at_a_table(tmp_path, scenario)


def test_the_lamp_flashes_while_a_part_is_away_and_rests_when_it_is_back(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "fault reader left\nwait 11\nmend reader left\nwait 8")
        flashes = len(events(table, "lamp"))
        assert flashes >= 8
        await do(table, "wait 20")
        assert len(events(table, "lamp")) == flashes

    at_a_table(tmp_path, scenario)


def test_every_fault_is_logged_with_its_cause_and_every_recovery(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "fault reader left\nwait 11\nmend reader left\nwait 8")

    with caplog.at_level(logging.INFO, "reboard.table"):
        at_a_table(tmp_path, scenario)
    fault, recovered = [record for record in caplog.records if "left slot" in record.getMessage()]
    assert (fault.levelno, recovered.levelno) == (logging.WARNING, logging.INFO)
    assert "look at its plug" in fault.getMessage()


def test_a_folder_of_ones_own_sounds_and_a_pattern_of_ones_own_are_used(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "pull lever\nrelease lever\nwait 6")

    table = at_a_table(
        tmp_path,
        scenario,
        ("apple.pattern", "[[0.5, 1.0], [0.3, 1.0]]"),
        ("apple.seconds", "5"),
        ("speaker.volume", "2"),
    )
    assert {told["level"] for told in events(table, "motor")} == {0.5, 0.3, 0.0}


def test_a_bag_gives_every_outcome_once_before_any_comes_again(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "press block\nwait 5\n" * 4)

    odds = ("block.odds", "{ coins = [1, 1], laugh = 1, power_up = 1, game_over = 0 }")
    table = at_a_table(tmp_path, scenario, odds, ("block.bag", "true"))
    outcomes = [(told["outcome"], told["coins"]) for told in events(table, "block.outcome")]
    assert sorted(outcomes) == [("coins", 1), ("coins", 2), ("laugh", 0), ("power_up", 0)]


LINKED = (
    ("edition", "super-mario"),
    ("block.linked", "true"),
    ("block.odds", "{ coins = [0, 0, 1], laugh = 0, power_up = 0, game_over = 0 }"),
)


def test_in_linked_play_the_bank_books_before_the_block_is_heard(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\npress block\nwait 3")

    table = at_a_table(tmp_path, scenario, *LINKED)
    names = [str(told.get("name", told["event"])) for _, told in table.log.since(0)]
    assert names.index("block.outcome") < len(names) - names[::-1].index("transfer") < names.index("coin")
    assert [(told["to"], told["amount"]) for told in events(table, "transfer") if told["reason"] == "coins"] == [(1, 3)]


def test_a_block_that_is_not_linked_books_nothing(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\npress block\nwait 3")

    table = at_a_table(tmp_path, scenario, *LINKED, ("block.linked", "false"))
    assert [told["reason"] for told in events(table, "transfer")] == ["start"]


def test_a_linked_block_plays_on_while_the_ledger_cannot_be_opened(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.power_off()
        with closing(Book(tmp_path / LEDGER_FILE)):
            await table.power_on()
            await do(table, "insert left 1\npress block\nwait 3")

    table = at_a_table(tmp_path, scenario, *LINKED)
    assert [told["name"] for told in events(table, "sound")].count("coin") == 3
    assert "the block plays on, and nothing is booked: the banker unit is not running" in caplog.text


def test_a_linked_block_does_not_wait_for_ever_for_a_bank_whose_disk_stalls(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay = Till.pay

    async def pay_late(till: Till, from_: int, to: int, amount: int, reason: str) -> Transfer:
        await asyncio.sleep(30)
        return await pay(till, from_, to, amount, reason)

    monkeypatch.setattr(Till, "pay", pay_late)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\npress block\nwait 9")
        assert not [told for told in events(table, "sound") if told["name"] == "coin"]
        await do(table, "wait 5")
        assert [told["name"] for told in events(table, "sound")].count("coin") == 3
        await do(table, "wait 30")

    table = at_a_table(tmp_path, scenario, *LINKED)
    assert "the bank has not booked its outcome for 10 s" in caplog.text
    assert [told["reason"] for told in events(table, "transfer")] == ["start", "coins"], "late, and once"


def test_a_table_that_is_played_on_draws_from_the_machines_own_randomness() -> None:
    assert type(system_randomness("deal")) is not Random


def test_a_bank_whose_disk_stalls_keeps_the_table_waiting_for_a_few_seconds_only(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.power_off()
        table.misbehave("disk slow", True)
        before = asyncio.get_running_loop().time()
        await table.power_on()
        assert asyncio.get_running_loop().time() - before == pytest.approx(LONGEST_OPENING_S + SETTLE_S)
        await do(table, "press block\nwait 1")

    table = at_a_table(tmp_path, scenario)
    assert len(events(table, "block.outcome")) == 1


def test_ready_is_set_only_when_every_accessory_was_tried(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.power_off()
        table.pi.power_on()
        config: TableConfig = table.config
        fresh = Table(config, table.pi)
        assert not fresh.ready.is_set()
        playing = asyncio.create_task(fresh.run())
        await asyncio.wait_for(fresh.ready.wait(), 1)
        assert fresh.block
        assert fresh.apple
        assert fresh.bank
        assert await fresh.request("new_game") == {"game": 2}, "the bank can be asked at once"
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)

    at_a_table(tmp_path, scenario)


def test_a_reader_that_came_back_while_its_bank_was_down_is_at_fault_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object, **__: object) -> None:
        raise ReboardError("the ledger was found damaged")

    async def scenario(table: VirtualTable) -> None:
        await do(table, "fault reader left\nwait 1")
        assert "left slot" in firmware(table).faults
        with monkeypatch.context() as broken:
            broken.setattr(Ledger, "join", damaged)
            await do(table, "insert right 1")
        assert "bank" in firmware(table).faults
        await do(table, "mend reader left\nwait 10")
        assert firmware(table).faults == {}

    at_a_table(tmp_path, scenario)


def test_while_nobody_plays_nothing_is_written_to_the_disk(tmp_path: Path) -> None:
    def on_disk() -> dict[str, tuple[int, bytes]]:
        return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in tmp_path.iterdir()}

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nkey GO\nwait 1\nremove left\npress block\nwait 120")
        before = on_disk()
        assert LEDGER_FILE in before
        await asyncio.sleep(24 * 3600)
        assert on_disk() == before

    at_a_table(tmp_path, scenario)


def test_what_is_logged_of_a_part_or_a_request_names_it_in_a_field(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def scenario(table: VirtualTable) -> None:
        firmware(table).events.emit("fault", part="display", cause="no answer")
        firmware(table).events.emit("recovered", part="display")
        await firmware(table).request("volume", level=2, by="the page")

    at_a_table(tmp_path, scenario)
    fields = [
        {name: value for name, value in vars(record).items() if name.startswith("REBOARD_")}
        for record in caplog.records
    ]
    assert [field for field in fields if field] == [
        {"REBOARD_PART": "display"},
        {"REBOARD_PART": "display"},
        {"REBOARD_REQUEST": "volume", "REBOARD_BY": "the page"},
    ]
