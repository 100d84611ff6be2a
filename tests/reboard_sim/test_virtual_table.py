"""The virtual table: its plug, its wiring, and what is the same in every run."""

import asyncio
import io
import itertools
import sqlite3
import threading
import wave
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reboard.banker.ledger import Ledger, Transfer
from reboard.errors import ConfigError
from reboard.sounds import SoundSet
from reboard_sim.deck import DECK
from reboard_sim.disk import VirtualDisk
from reboard_sim.hands import Hands
from reboard_sim.play_language import parse_play
from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.scene import Scene
from reboard_sim.virtual_pi import NotWiredError
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run
from tests.listening import count_onsets, heard

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
    hands = Hands(table)
    for line in parse_play(text):
        await hands.do(line)


def test_nothing_plays_without_power(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        assert (table.snapshot()["game"], table.snapshot()["cards"], table.snapshot()["block"]) == (None, [], None)
        table.pi.button.close()
        await asyncio.sleep(1)
        assert table.log.end == 0
        assert table.pi.lcd.lines() == [" " * 16] * 2

    at_a_table(tmp_path, scenario)


def test_the_plug_can_be_pulled_while_the_table_is_switched_on(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        table.misbehave("disk slow", True)
        switching_on = asyncio.ensure_future(table.power_on())
        await asyncio.sleep(1)
        assert not switching_on.done()
        await table.power_off()
        await switching_on
        assert not table.is_on

    at_a_table(tmp_path, scenario)


def test_a_power_cut_stops_motor_lamp_and_sound_at_the_same_instant(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "press block\npull lever\nrelease lever\nwait 0.3")
        assert table.pi.motor.is_on
        cut = asyncio.get_running_loop().time()
        await table.power_off()
        assert not table.pi.motor.is_on
        assert not table.pi.lamp.level
        await asyncio.sleep(5)
        assert not table.sound_card.heard_between(cut + 0.02, cut + 5)
        assert max(float(str(told["t"])) for _, told in table.log.since(0)) <= cut

    at_a_table(tmp_path, scenario)


def test_a_card_that_lies_in_a_slot_is_still_there_when_the_plug_is_put_back(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 3")
        await table.power_off()
        await do(table, "wait 1")
        assert table.snapshot()["slots"] == {"left": 3, "right": None}

    at_a_table(tmp_path, scenario)


def test_asleep_the_glass_is_dark_and_the_table_tells_what_a_touch_brings_back(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\nwait 61")
        assert (table.snapshot()["asleep"], table.pi.backpack.backlight) == (True, False)
        assert table.snapshot()["display"] == ["+1 15M", ""]

    at_a_table(tmp_path, scenario)


def test_a_fault_lasts_through_a_power_cut_until_it_is_mended(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "fault reader left\npower off\npower on\nwait 1")
        assert "left slot" in table.snapshot()["faults"]
        await do(table, "mend reader left\nwait 2")
        assert table.snapshot()["faults"] == {}

    at_a_table(tmp_path, scenario)


def test_a_seed_decides_how_contacts_bounce_whatever_it_was_before(tmp_path: Path) -> None:
    def bounces(seed: int) -> list[float]:
        async def scenario(table: VirtualTable) -> None:
            await do(table, "seed 5\nwait 1\npress block")

        table = at_a_table(tmp_path, scenario, seed=seed)
        return [t for t, _ in table.pi.wires()["block_button"].timeline.since(0)]

    assert bounces(1) == bounces(2)
    assert len(bounces(1)) > 4


def test_a_card_that_the_reader_cannot_read_leaves_the_one_that_is_there(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.configure("bank.left", '{ reader = "bumps", pins = [7, 8, 9] }')
        await do(table, "insert left 1")
        with pytest.raises(NoSuchCardError):
            await do(table, "insert left 8")
        assert table.pi.reader("left").card == DECK[0]

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


def test_a_setting_that_makes_no_config_changes_nothing(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.power_on()
        playing = table.table
        with pytest.raises(ConfigError, match=r"apple\.seconds"):
            await table.configure("apple.seconds", "4")
        assert table.table is playing
        assert table.config.apple
        assert table.config.apple.seconds == 13.0

    at_a_table(tmp_path, scenario)


def test_a_part_that_is_not_wired_is_named(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await table.configure("bank.left", '{ reader = "rdm6300", port = "/dev/ttyUSB0" }')
        document = dict(table.scene.document)
        del document["apple"]
        with pytest.raises(NotWiredError, match="no worm apple"):
            _ = VirtualTable(Scene(table.scene.path, document, table.scene.lines), seed=1).pi.lever

    at_a_table(tmp_path, scenario)


def test_the_wires_have_the_names_of_what_they_are_for(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "hold block\nwait 0.01")
        wires = table.pi.wires()
        assert len(wires) == 4 + 8
        assert not wires["block_button"].level
        assert wires["block_lamp"].level
        assert wires["block_lamp"].name == "GPIO27"

    at_a_table(tmp_path, scenario)


@pytest.mark.parametrize("seed", range(1, 13))
def test_a_recording_has_as_many_pings_as_the_event_log_says(tmp_path: Path, seed: int) -> None:
    """Twelve seeds give every kind of outcome; the recording is listened to, not asked."""
    file = tmp_path / "heard.wav"

    async def scenario(table: VirtualTable) -> None:
        await do(table, "press block\nwait 5\npress block\nwait 5")
        table.sound_card.write_wav(file)

    table = at_a_table(tmp_path, scenario, seed=seed)
    told = sum(told["event"] == "sound" and told["name"] == "coin" for _, told in table.log.since(0))
    with wave.open(io.BytesIO(file.read_bytes())) as recording:
        samples = recording.readframes(recording.getnframes())
    coin = SoundSet.built_in()["coin"].samples
    assert len(heard(coin, samples)) == told


def test_six_coins_are_six_attacks_in_the_recording(tmp_path: Path) -> None:
    file = tmp_path / "heard.wav"

    async def scenario(table: VirtualTable) -> None:
        await table.configure("block.odds", "{ coins = [0, 0, 0, 0, 0, 1], laugh = 0, power_up = 0, game_over = 0 }")
        await do(table, "press block\nwait 5")
        table.sound_card.write_wav(file)

    at_a_table(tmp_path, scenario)
    with wave.open(io.BytesIO(file.read_bytes())) as recording:
        assert count_onsets(recording.readframes(recording.getnframes())) == 6


def test_a_transfer_that_the_disk_has_not_when_the_plug_is_pulled_never_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker thread is held in the middle of a transfer while the power goes, and let go afterwards."""
    begun, go_on = threading.Event(), threading.Event()
    really_pay = Ledger.pay

    def slow_pay(*args: Any, **kwargs: Any) -> Transfer:
        begun.set()
        assert go_on.wait(10)
        return really_pay(*args, **kwargs)

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        monkeypatch.setattr(Ledger, "pay", slow_pay)
        table.pi.keypad.press("GO")
        await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
        asyncio.get_running_loop().call_later(0, go_on.set)
        await table.power_off()
        monkeypatch.setattr(Ledger, "pay", really_pay)
        table.pi.keypad.release("GO")
        await do(table, "wait 1")
        assert table.shown_balance(DECK[0]) == "15M"

    at_a_table(tmp_path, scenario)


def test_a_power_cut_touches_nothing_of_the_users_but_the_ledger(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    mine = [tmp_path / "thesis.txt", tmp_path / "letters" / "to a friend.txt"]
    for file in mine:
        file.write_text("mine")
    before = [file.stat() for file in mine]

    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1")
        await table.power_off()
        await do(table, "wait 1")
        assert table.shown_balance(DECK[0]) == "15M"

    at_a_table(tmp_path, scenario)
    after = [file.stat() for file in mine]
    assert [(file.st_ino, file.st_ctime_ns) for file in after] == [(file.st_ino, file.st_ctime_ns) for file in before]
    assert not list(tmp_path.glob("*.copy"))


def test_a_table_without_a_bank_needs_no_place_for_its_state(tmp_path: Path) -> None:
    wiring = tmp_path / "table.toml"
    wiring.write_text("[block]\nbutton = 17\n")

    async def main() -> None:
        table = VirtualTable(Scene.load(wiring, tmp_path / "new"), seed=1)
        await do(table, "press block\nwait 1")
        await table.close()

    run(main)


def test_the_disk_at_a_power_cut_is_whole_while_a_dying_firmware_writes(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    disk = VirtualDisk(Random(1))
    paid = threading.Event()

    def pay() -> None:
        with suppress(sqlite3.OperationalError), closing(Ledger(ledger, database=disk.open_database)) as ours:
            ours.book.connection.execute("PRAGMA wal_autocheckpoint = 5")
            game = ours.new_game("world", 1_000_000, at=1.0, cards=(1, 2)).id
            for number in itertools.count():
                ours.pay(game, 1, 2, 1, reason="players", press=f"{game}-{number}", at=2.0)
                if number == 20:
                    paid.set()

    for _ in range(3):
        paid.clear()
        disk.power_on()
        writing = threading.Thread(target=pay)
        writing.start()
        assert paid.wait(10)
        disk.power_off()
        kept = transfers_in(ledger)
        writing.join(10)
        assert not writing.is_alive()
        assert transfers_in(ledger) == kept
        with closing(Ledger(ledger)) as after:
            assert after.verify() == []
    assert not list(tmp_path.glob("*.damaged-*"))


def transfers_in(ledger: Path) -> int:
    with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as reader:
        (count,) = reader.execute("SELECT count(*) FROM transfer").fetchone()
        return int(count)


def test_a_card_lies_on_the_reader_that_took_the_place_of_another_if_that_can_read_it(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "insert left 1\ninsert right 8")
        await table.configure("bank.left", "{ reader = 'pn532', port = '/dev/nfc' }")
        await table.configure("bank.right", "{ reader = 'bumps', pins = [9, 10, 11] }")
        await asyncio.sleep(1)
        assert table.snapshot()["slots"] == {"left": 1, "right": None}
        assert table.pi.reader("right").card is None
        assert table.shown_balance(DECK[0]) == "15M"

    at_a_table(tmp_path, scenario)


def test_a_table_that_was_put_away_is_not_switched_on_again(tmp_path: Path) -> None:
    async def main() -> bool:
        table = VirtualTable(Scene.load(None, tmp_path), seed=1)
        await table.power_on()
        await table.close()
        await table.power_on()
        return table.is_on

    assert not run(main)


@pytest.mark.parametrize(
    "act", ["without apple", "edition nintendo", "seed 3", "power off", "config bank.keypad.rows '[24, 23, 25, 12]'"]
)
@pytest.mark.parametrize("after", range(0, 12, 2))
def test_putting_a_table_away_waits_for_what_nobody_can_leave_off(tmp_path: Path, act: str, after: int) -> None:
    async def main() -> None:
        table = VirtualTable(Scene.load(None, tmp_path), seed=1)
        await table.power_on()
        doing = asyncio.create_task(do(table, act))
        while not table.done.acts:  # noqa: ASYNC110 - a recording tells nobody that something has begun
            await asyncio.sleep(0.0001)
        for _ in range(after):
            await asyncio.sleep(0)
        doing.cancel()
        await asyncio.gather(doing, return_exceptions=True)
        await table.close()
        pi = table.pi
        assert asyncio.all_tasks() == {asyncio.current_task()}
        await asyncio.sleep(5)
        assert (table.is_on, table.pi) == (False, pi)

    run(main)
