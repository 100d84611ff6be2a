"""A table: what one bad part does to the others, what it tells of itself, and what it can be asked."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from gpiozero import InputDevice

from reboard.accessories.accessory import RunningAccessory, TableContext
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.ledger import Transfer
from reboard.accessories.question_block.accessory import QUESTION_BLOCK
from reboard.accessory_context import QUIET_S
from reboard.errors import DeviceError, ReboardError, Rejection
from reboard.events import Fault, Recovered
from reboard.supervision import supervised
from reboard.table import LONGEST_OPENING_S, Table
from reboard_sim.devices.card_slot import TAKE_S
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.acts import Acts
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import SETTLE_S, VirtualTable
from tests.plugged_in import Dragon, installed
from tests.virtual import Recorder, now


@asynccontextmanager
async def at_a_table(state: Path, *settings: tuple[str, str], config: str | None = None) -> AsyncIterator[VirtualTable]:
    """A virtual table that is on."""
    path = None
    if config is not None:
        path = state / "table.toml"
        path.write_text(config, encoding="utf-8")
    scene = Scene.load(path, state)
    for key, value in settings:
        scene = scene.changed(key, value)
    table = VirtualTable(scene, seed=1)
    try:
        await table.power_on()
        yield table
    finally:
        await table.close()


async def do(table: VirtualTable, text: str) -> None:
    acts = Acts(table)
    for line in parse_play(text):
        await acts.do(line)


def firmware(table: VirtualTable) -> Table:
    assert table.table is not None
    return table.table


def events(table: VirtualTable, name: str) -> list[dict[str, object]]:
    return [dict(event) for _, event in table.log.since(0) if event["event"] == name]


async def test_a_pin_in_use_stops_one_accessory_only(tmp_path: Path) -> None:
    async with at_a_table(tmp_path) as table:
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
        assert table.pi["apple.motor"].is_on
    assert len(events(table, "fault")) == len(events(table, "recovered")) == 1
    assert len(events(table, "block.outcome")) == 1
    assert [event["reason"] for event in events(table, "transfer")] == ["start", "salary"]


async def test_requests_are_events_and_logged_with_their_sender(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with at_a_table(tmp_path) as table:
        await do(table, "insert left 1\nkey GO")
        ask = firmware(table).request
        await ask("undo", transfer=2, by="the host")
        await do(table, "key GO")
        assert await ask("name", card=1, name="Zoë", by="the host") is None
        ended: Any = await ask("end_game", game=1, worths={"1": 500_000})
        assert table.snapshot()["ended"] == ended
        assert ended["ranking"] == [{"place": 1, "number": 1, "name": "Zoë", "worth": 17_500_000, "shown": "17.5M"}]
        with pytest.raises(ReboardError):
            await ask("undo", transfer=2, by="a rejected client")
        assert await ask("new_game", edition="nintendo") == {"game": 2}
        assert (table.snapshot()["ended"], table.snapshot()["edition"]) == (None, "nintendo")
    assert [(event["do"], event["by"], event["args"]) for event in events(table, "requested")] == [
        ("undo", "the host", {"transfer": 2}),
        ("name", "the host", {"card": 1, "name": "Zoë"}),
        ("end_game", "control socket", {"game": 1, "worths": {"1": 500_000}}),
        ("new_game", "control socket", {"edition": "nintendo"}),
    ]


async def test_a_ledger_in_use_is_a_fault_until_it_is_free(tmp_path: Path) -> None:
    async with at_a_table(tmp_path) as table:
        await table.power_off()
        others = LedgerFile(tmp_path / LEDGER_FILE)
        await table.power_on()
        await do(table, "wait 120")
        assert [line.strip() for line in table.pi["bank.display"].lines()] == ["WORLD EDITION", "ALREADY RUNNING"]
        assert table.snapshot()["display"] == ["WORLD EDITION", "ALREADY RUNNING"]
        assert "another reboard has this ledger open" in table.snapshot()["faults"]["ledger"]
        others.close()
        await do(table, "wait 31\ninsert left 1\nkey GO\nwait 3")
        assert [line.strip() for line in table.pi["bank.display"].lines()] == ["+1 17M", ""]
        assert table.snapshot()["faults"] == {}
    assert len(events(table, "fault")) == len(events(table, "recovered")) == 1


LINKED = (
    ("edition", "super-mario"),
    ("block.linked", "true"),
    ("block.odds", "{ coins = [0, 0, 1], laugh = 0, power_up = 0, game_over = 0 }"),
)


async def test_a_linked_block_waits_for_a_stalled_disk_only_so_long(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay = GameSession.pay

    async def pay_late(till: GameSession, from_: int, to: int, amount: int, reason: str) -> Transfer:
        await asyncio.sleep(30)
        return await pay(till, from_, to, amount, reason)

    monkeypatch.setattr(GameSession, "pay", pay_late)

    async with at_a_table(tmp_path, *LINKED) as table:
        await do(table, "insert left 1\npress block\nwait 9")
        assert not [event for event in events(table, "sound") if event["name"] == "coin"]
        await do(table, "wait 5")
        assert [event["name"] for event in events(table, "sound")].count("coin") == 3
        await do(table, "wait 30")
    assert "within 10 s" in caplog.text
    assert [event["reason"] for event in events(table, "transfer")] == ["start", "coins"], "late, and once"


async def test_a_stalled_disk_delays_readiness_only_so_long(tmp_path: Path) -> None:
    async with at_a_table(tmp_path) as table:
        await table.power_off()
        table.misbehave("disk slow", True)
        before = asyncio.get_running_loop().time()
        await table.power_on()
        assert asyncio.get_running_loop().time() - before == pytest.approx(LONGEST_OPENING_S + SETTLE_S)
        await do(table, "press block\nwait 1")
    assert len(events(table, "block.outcome")) == 1


BLOCK = "[block]\nbutton = 17\n"
DRAGON = f"{BLOCK}[dragon]\n"


async def test_an_accessory_that_does_not_open_is_a_fault_and_delays_readiness_only_so_long(tmp_path: Path) -> None:
    class Stuck(Dragon):
        @asynccontextmanager
        async def open(self, config: object, context: TableContext) -> AsyncIterator[RunningAccessory]:
            await asyncio.sleep(3600)
            async with super().open(config, context) as running:  # type: ignore[arg-type]
                yield running

    with installed(QUESTION_BLOCK, Stuck()):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            assert now() == pytest.approx(LONGEST_OPENING_S + SETTLE_S, abs=1)
            await do(table, "press block\nwait 1")
            assert len(events(table, "block.outcome")) == 1
            assert "has not opened" in table.snapshot()["faults"]["dragon"]
            await do(table, "wait 3600")
            assert (table.snapshot()["faults"], table.snapshot()["dragon"]) == ({}, "awake")


@pytest.mark.parametrize("attribute", ["fitted", "setup_steps", "vocabulary", "charts", "order"])
async def test_a_plug_in_with_a_defect_is_a_fault_and_the_others_play(tmp_path: Path, attribute: str) -> None:
    class Defect(Dragon):
        pass

    setattr(Defect, attribute, lambda _: 1 / 0)
    with installed(QUESTION_BLOCK, Defect()):
        for config, faults in ((BLOCK, []), (DRAGON, ["dragon"])):
            async with at_a_table(tmp_path, config=config) as table:
                assert list(firmware(table).faults) == faults
                await do(table, "press block\nwait 1")
                assert len(events(table, "block.outcome")) == 1


async def test_a_snapshot_that_fails_is_a_fault_of_one_accessory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Mute(Dragon):
        is_mute = True

        def snapshot(self) -> Mapping[str, object]:
            if self.is_mute:
                raise KeyError("voice")
            return super().snapshot()

    dragon = Mute()
    with installed(QUESTION_BLOCK, dragon):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            await do(table, "press block\nwait 1")
            for _ in range(3):
                snapshot = table.snapshot()
                assert snapshot["block"]["last"]
                assert snapshot["dragon"] is None
                assert list(snapshot["faults"]) == ["dragon"]
            dragon.is_mute = False
            assert table.snapshot()["dragon"] == "awake"
            await do(table, f"wait {QUIET_S + 1}")
            assert table.snapshot()["faults"] == {}
            assert len(events(table, "fault")) == len(events(table, "recovered")) == 1
    assert caplog.text.count("Traceback") == 1


async def test_an_accessory_that_has_failed_is_not_used_until_it_is_open_again(tmp_path: Path) -> None:
    class Sleepy(Dragon):
        async def run(self, started: Callable[[], None]) -> None:
            started()
            await asyncio.sleep(3)
            raise DeviceError("it fell asleep")

    with installed(QUESTION_BLOCK, Sleepy()):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            assert await firmware(table).read("roar", times=2) == {"roared": 2}
            await asyncio.sleep(3)
            assert table.snapshot()["dragon"] is None
            with pytest.raises(ReboardError):
                await firmware(table).read("roar", times=2)
            await asyncio.sleep(1)
            assert table.snapshot()["dragon"] == "awake"
            assert await firmware(table).read("roar", times=2) == {"roared": 2}


async def test_an_idle_table_writes_nothing(tmp_path: Path) -> None:
    def on_disk() -> dict[str, tuple[int, bytes]]:
        return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in tmp_path.iterdir()}

    async with at_a_table(tmp_path) as table:
        await do(table, "insert left 1\nkey GO\nwait 1\nremove left\npress block\nwait 120")
        before = on_disk()
        assert LEDGER_FILE in before
        await asyncio.sleep(24 * 3600)
        assert on_disk() == before


async def test_log_records_have_fields(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async with at_a_table(tmp_path) as table:
        firmware(table).events.emit(Fault("display", "no answer"))
        firmware(table).events.emit(Recovered("display"))
        await firmware(table).request("volume", level=2, by="the page")
    fields = [
        {name: value for name, value in vars(record).items() if name.startswith("REBOARD_")}
        for record in caplog.records
    ]
    assert [field for field in fields if field] == [
        {"REBOARD_PART": "display"},
        {"REBOARD_PART": "display"},
        {"REBOARD_REQUEST": "volume", "REBOARD_BY": "the page"},
    ]


async def test_the_log_has_no_phone_and_no_code(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    phone = "1f83d9ab" * 8
    async with at_a_table(tmp_path, ("page.pay", "ask")) as table:
        with pytest.raises(Rejection):
            await firmware(table).request("join", phone=phone, card=1, code="zzzz")
        code = (await firmware(table).request("join_code"))["code"]  # type: ignore[index]
        await firmware(table).request("join", phone=phone, card=1, code=code, by="a phone")
        await firmware(table).request("leave_card", phone=phone)
        await firmware(table).request("leave_card", card=1)
        assert [event["args"] for event in events(table, "requested")] == [{"card": 1}], "only those of the host"
        said = f"{[*table.log.since(0)]}{table.snapshot()}{caplog.text}"
    assert "join 1, by a phone" in said
    assert not [secret for secret in (phone, "zzzz", code) if secret in said]


async def watched(play: Callable[[], Awaitable[None]], seconds: float) -> tuple[list[float], Recorder]:
    """Supervise *play* for so long; return when it was started, and the events."""
    starts: list[float] = []
    emit = Recorder()

    async def noted() -> None:
        starts.append(now())
        await play()

    task = asyncio.create_task(supervised("apple", noted, emit))
    await asyncio.sleep(seconds)
    task.cancel()
    await asyncio.wait({task})
    return starts, emit


async def fails() -> None:
    raise DeviceError("pin 13 does not answer")


async def test_pauses_between_restarts_grow_to_a_minute() -> None:
    starts, _ = await watched(fails, 300)
    pauses = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]


async def test_a_cancelled_accessory_is_restarted() -> None:
    async def called_off() -> None:
        connection = asyncio.get_running_loop().create_future()
        connection.cancel()
        await connection

    starts, emit = await watched(called_off, 10)
    assert starts == [0, 1, 3, 7]
    ((name, fields),) = emit.events
    assert (name, fields["part"]) == ("fault", "apple")
    assert str(fields["cause"]).startswith(f"CancelledError ({Path(__file__).name}, line ")


async def test_only_a_defect_is_logged_with_its_trace(caplog: pytest.LogCaptureFixture) -> None:
    async def bug() -> None:
        raise ZeroDivisionError

    await watched(fails, 10)
    await watched(bug, 10)
    [defect] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert defect.exc_info
    assert "apple" in defect.getMessage()


async def test_a_reader_that_comes_and_goes_is_logged_with_a_count(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with at_a_table(tmp_path) as table:
        caplog.set_level(logging.INFO)
        for _ in range(20):
            await do(table, "fault reader left\nwait 0.2\nmend reader left\nwait 0.6")
        await do(table, "wait 10\nfault reader left\nwait 1\nmend reader left\nwait 1")
    lines = [record.message for record in caplog.records if record.message.startswith("left slot")]
    assert len(lines) <= 8
    assert "disconnected" in lines[0]
    assert lines[1] == "left slot has recovered"
    assert re.search(r"\([0-9]+ changes in 5 s\)$", lines[2])
    assert lines[-1] == "left slot has recovered"
    assert len(events(table, "fault")) == 21


async def test_what_each_reader_has_sent_can_be_asked(tmp_path: Path) -> None:
    async with at_a_table(tmp_path) as table:
        await do(table, f"insert left 1\nwait 1\nremove left\nwait {TAKE_S}")
        answer: Any = await firmware(table).read("readers")
        left, right = answer["bank.left"], answer["bank.right"]
        assert (left["part"], left["tag"], left["bytes"]) == ("left slot", DECK[0], 14 * left["frames"])
        assert left["tag_s"] == pytest.approx(2 * TAKE_S, abs=0.1)
        assert right == {
            "part": "right slot", "bytes": 0, "frames": 0, "dropped": 0, "tag": None, "tag_s": None, "advice": "",
        }  # fmt: skip
