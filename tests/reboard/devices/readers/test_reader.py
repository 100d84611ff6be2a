"""What all readers on a port have in common."""

from __future__ import annotations

import asyncio
import errno
import random
import termios
from itertools import groupby
from typing import Any, NoReturn, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.board import Board, Program
from reboard.devices.readers.em4100 import RDM6300_END
from reboard.devices.readers.kinds.rdm6300 import KIND, Rdm6300Config
from reboard.devices.readers.presence import HOLD_S, TAPPED_S
from reboard.devices.readers.reader_kind import READER_KINDS, ReaderKind, RepeatingReaderConfig
from reboard.devices.readers.repeated_frames import CONFIRM_S
from reboard.events import ignore_event
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.readers.em4100 import frame_of
from reboard_sim.devices.readers.rdm6300 import VirtualRdm6300
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.reboard.devices.readers.reader_bench import KINDS, reader_bench
from tests.virtual import Recorder, now

each_kind = pytest.mark.parametrize("kind", KINDS)

CARD, OTHER = DECK[:2]


async def remove(reader: Any) -> None:
    """Take the card away; on a reader that reports a card once, tap it again."""
    if reader.reports_once:
        reader.take()
        reader.put(CARD)
        await asyncio.sleep(0.4)
    reader.take()


@each_kind
async def test_a_card_is_inserted_and_removed(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.left.put(CARD)
        await asyncio.sleep(8)
        assert bench.tag == bench.left.says(CARD)
        await remove(bench.left)
        await asyncio.sleep(10)
        assert bench.tag is None
        assert [(name, tag) for _, name, tag in bench.calls] == [
            (name, bench.left.says(CARD)) for name in ("left in", "left out")
        ]
        (inserted_at, *_), (removed_at, *_) = bench.calls
        assert 1 <= inserted_at <= 1.25
        assert 9 <= removed_at <= 9.5


@each_kind
async def test_another_card_removes_the_first_at_the_same_moment(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.left.put(CARD)
        await asyncio.sleep(2)
        bench.left.put(OTHER)
        await asyncio.sleep(0.4)
        assert bench.names == ["left in", "left out", "left in"]
        assert bench.calls[1][0] == bench.calls[2][0]
        assert bench.tag == bench.left.says(OTHER)


@each_kind
async def test_a_flickering_card_stays_in(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.left.flicker(True)
        bench.left.put(CARD)
        await asyncio.sleep(60)
        assert bench.names == ["left in"]


@each_kind
async def test_noise_is_no_card_and_hides_no_card(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.left.noise(True)
        await asyncio.sleep(60)
        assert "left in" not in bench.names
        bench.left.put(CARD)
        await asyncio.sleep(TAPPED_S - 1 if bench.left.reports_once else 60)
        assert [name for name in bench.names if "slot" not in name] == ["left in"]
        await remove(bench.left)
        if not bench.left.reports_once:
            await asyncio.sleep(60)
            assert bench.tag, "noise can be the damaged data of the card"
        bench.left.noise(False)
        await asyncio.sleep(60)
        assert [name for name in bench.names if "slot" not in name] == ["left in", "left out"]
        assert bench.slots["left"].heard.dropped > 20


@each_kind
async def test_an_unplugged_reader_is_one_fault_removes_its_card_and_works_again_within_two_seconds(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.right.put(OTHER)
        for _ in range(2):
            bench.calls.clear()
            bench.left.put(CARD)
            await asyncio.sleep(5)
            unplugged_at = now()
            bench.left.unplug()
            await asyncio.sleep(60.1)
            bench.left.take()
            bench.left.plug()
            await asyncio.sleep(1)
            bench.left.put(CARD)
            await asyncio.sleep(1)
            calls = [call for call in bench.calls if "left" in call[1]]
            assert [name for _, name, _ in calls] == [
                "left in",
                "fault left slot",
                "left out",
                "recovered left slot",
                "left in",
            ]
            assert calls[1][0] == pytest.approx(unplugged_at, abs=0.001)
            assert calls[2][0] <= unplugged_at + 0.5
            assert "/dev/left" in calls[1][2]
            assert bench.slots["right"].tag == (None if bench.right.reports_once else bench.right.says(OTHER))
            await remove(bench.left)
            await asyncio.sleep(2)


@each_kind
@pytest.mark.parametrize("cause", ["does not exist", "use"])
async def test_a_port_that_cannot_be_opened_is_one_fault_and_is_tried_again(kind: str, cause: str) -> None:
    async with reader_bench(kind, start=False) as bench:
        if cause == "use":
            other = bench.ports["left"].open() if kind == "keyboard" else bench.ports["left"].open(9600)
        else:
            bench.left.unplug()
        bench.start()
        await asyncio.sleep(30)
        [fault] = [detail for _, name, detail in bench.calls if name == "fault left slot"]
        assert cause in fault
        (other.close if cause == "use" else bench.left.plug)()
        await asyncio.sleep(2)
        bench.left.put(CARD)
        await asyncio.sleep(0.4)
        assert bench.names == ["fault left slot", "recovered left slot", "left in"]


@each_kind
async def test_a_card_that_nobody_uses_stays_only_if_its_reader_notices_a_removal(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.left.put(CARD)
        await asyncio.sleep(9)
        bench.slots["left"].touched()
        await asyncio.sleep(60)
        if not bench.left.reports_once:
            assert bench.names == ["left in"]
            assert not bench.slots["left"].forget(bench.left.says(CARD))
        else:
            assert bench.names == ["left in", "left out"]
            assert bench.calls[1][0] == 10 + TAPPED_S


@each_kind
async def test_a_forgotten_card_is_out_without_a_call_if_its_reader_notices_no_removal(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.left.put(CARD)
        await asyncio.sleep(2)
        assert bench.slots["left"].forget(bench.left.says(CARD)) == bench.left.reports_once
        await asyncio.sleep(2)
        assert bench.names == ["left in"]
        assert (bench.slots["left"].tag is None) == bench.left.reports_once
        bench.left.take()
        await asyncio.sleep(1)
        bench.left.put(CARD)
        await asyncio.sleep(1)
        assert bench.names == ["left in", *([] if bench.left.reports_once else ["left out"]), "left in"]


@each_kind
async def test_a_closed_slot_makes_no_calls_and_frees_its_port(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.left.put(CARD)
        await asyncio.sleep(1)
        bench.right.unplug()
        await asyncio.sleep(1)
        calls = bench.names
        for slot in (bench.slots["left"], bench.slots["right"], bench.slots["left"]):
            slot.touched()
            slot.close()
        bench.right.plug()
        bench.left.take()
        await asyncio.sleep(20)
        assert bench.names == calls == ["left in", "fault right slot"]
        assert bench.slots["left"].tag is None
        (bench.ports["left"].open() if kind == "keyboard" else bench.ports["left"].open(9600)).close()


ACTS = st.sampled_from(["put 0", "put 1", "take", "unplug", "plug", "noise", "quiet", "flicker", "still", "key"])


class OneLine:
    """A board with one serial line."""

    def __init__(self, line: VirtualSerialLine) -> None:
        self.open_serial = lambda port, baud_rate: line.open(baud_rate)


@each_kind
@settings(max_examples=15, derandomize=True)
@given(acts=st.lists(st.tuples(ACTS, st.sampled_from([0.0, 0.05, 0.3, 0.6, 1.2, 6.0])), max_size=25))
async def test_insertions_and_removals_and_faults_and_recoveries_alternate(
    kind: str, acts: list[tuple[str, float]]
) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        reader = bench.left
        for act, then_s in acts:
            match act.split():
                case ["put", number]:
                    reader.put(DECK[int(number)])
                case ["noise" | "quiet"]:
                    reader.noise(act == "noise")
                case ["flicker" | "still"]:
                    reader.flicker(act == "flicker")
                case ["key"]:
                    bench.slots["left"].touched()
                case [name]:
                    getattr(reader, name)()
            await asyncio.sleep(then_s)
        cards = [(name, tag) for _, name, tag in bench.calls if not name.endswith("slot")]
        assert [name for name, _ in cards] == (["left in", "left out"] * len(cards))[: len(cards)]
        assert all(came == went for (_, came), (_, went) in zip(cards[::2], cards[1::2], strict=False))
        assert {tag for _, tag in cards} <= {reader.says(CARD), reader.says(OTHER)}
        # a fault can change its cause
        faults = [name for name, _ in groupby(name.split()[0] for _, name, _ in bench.calls if name.endswith("slot"))]
        assert faults == (["fault", "recovered"] * len(faults))[: len(faults)]


@pytest.mark.parametrize(
    ("kind", "error", "cause"),
    [
        ("rdm6300", FileNotFoundError(errno.ENOENT, "no such file"), "plug the reader in"),
        ("rdm6300", PermissionError(errno.EACCES, "denied"), "sudo reboard doctor"),
        ("rdm6300", BlockingIOError(errno.EAGAIN, "locked"), "in use"),
        ("rdm6300", OSError(errno.EBUSY, "busy"), "in use"),
        ("rdm6300", OSError(errno.EIO, "Input/output error"), "[Errno 5] Input/output error"),
        ("rdm6300", OSError(), "cannot be opened"),
        ("rdm6300", termios.error(errno.EIO, "Input/output error"), "cannot be opened"),
        ("keyboard", FileNotFoundError(errno.ENOENT, "no such file"), "plug the reader in"),
        ("keyboard", PermissionError(errno.EACCES, "denied"), "sudo reboard doctor"),
        ("keyboard", OSError(errno.EBUSY, "busy"), "another program"),
        ("keyboard", OSError(errno.ENOTTY, "inappropriate"), "event-kbd"),
        ("keyboard", OSError(errno.EIO, "Input/output error"), "Input/output error"),
    ],
)
async def test_a_port_that_cannot_be_opened_is_one_fault_with_advice(kind: str, error: Exception, cause: str) -> None:
    def fail(*_: object) -> NoReturn:
        raise error

    async with reader_bench(kind, start=False) as bench:
        bench.open_serial = bench.open_keyboard = fail  # type: ignore
        bench.start()
        await asyncio.sleep(10)
        assert bench.names == ["fault left slot", "fault right slot"]
        assert "/dev/left" in bench.calls[0][2]
        assert cause in bench.calls[0][2]


async def test_single_frames_of_an_rdm6300_are_no_card_and_a_fault_if_they_have_one_tag() -> None:
    async with reader_bench("rdm6300") as bench:
        bench.left.put(DECK[0])
        await asyncio.sleep(1)
        for card in (DECK[1], DECK[2], DECK[1]):
            bench.ports["left"].send(frame_of(card, RDM6300_END))
            await asyncio.sleep(0.01)
        bench.left.take()
        await asyncio.sleep(1)
        for card in (DECK[4], DECK[2], DECK[3]):
            bench.ports["left"].send(frame_of(card, RDM6300_END))
            await asyncio.sleep(CONFIRM_S + 0.01)
        assert bench.names == ["left in", "left out"]
        bench.ports["left"].send(frame_of(DECK[3], RDM6300_END))
        await asyncio.sleep(CONFIRM_S + 0.01)
        assert bench.names == ["left in", "left out", "fault left slot"]
        assert 'sends = "once"' in bench.calls[-1][2]
        assert bench.slots["left"].heard.tag == DECK[3]


@each_kind
async def test_a_reader_that_sends_no_card_is_a_fault_until_it_reads_one(kind: str) -> None:
    async with reader_bench(kind) as bench:
        await asyncio.sleep(1)
        bench.left.garble(True)
        bench.programs = [Program("ModemManager", 612, "ModemManager.service")]
        for _ in range(6):
            bench.left.put(CARD)
            await asyncio.sleep(1)
            bench.left.take()
        assert bench.names == ["fault left slot"]
        # other programs may have a keyboard open, but do not get what it types
        assert ("ModemManager (process 612" in bench.calls[0][2]) == (kind != "keyboard")
        bench.left.garble(False)
        bench.left.put(CARD)
        await asyncio.sleep(1)
        assert sorted(bench.names[1:]) == ["left in", "recovered left slot"]
        heard = bench.slots["left"].heard
        assert f"dropped; last card {bench.left.says(CARD)} " in str(heard)
        assert heard.dropped >= 3


@pytest.mark.parametrize("kind", [name for name in KINDS if READER_KINDS[name].period_s])
async def test_a_card_whose_data_arrives_damaged_stays_in_until_the_reader_is_silent(kind: str) -> None:
    async with reader_bench(kind) as bench:
        bench.left.put(CARD)
        await asyncio.sleep(2)
        line = bench.ports["left"]
        send = line.send
        line.send = lambda data: send(data[:3] + data[4:])
        await asyncio.sleep(30)
        assert bench.names == ["left in", "fault left slot"]
        bench.left.take()
        line.send = send
        await asyncio.sleep(1)
        assert "left out" in bench.names


async def test_three_dropped_frames_in_a_long_time_are_no_fault() -> None:
    async with reader_bench("id12") as bench:
        bench.left.garble(True)
        for _ in range(6):
            bench.left.put(CARD)
            await asyncio.sleep(31)
        assert bench.calls == []


async def test_a_port_that_another_program_reads_is_a_fault_until_a_card_is_read_without_it() -> None:
    async with reader_bench("rdm6300") as bench:
        slot: Any = bench.slots["left"]
        slot.taken()
        bench.left.put(CARD)
        await asyncio.sleep(5)
        assert bench.names == ["fault left slot", "left in"]
        assert "sudo reboard doctor" in bench.calls[0][2]
        await asyncio.sleep(6)
        assert bench.names == ["fault left slot", "left in", "recovered left slot"]


async def test_a_reader_that_sends_each_card_once_is_read_if_it_is_configured_so() -> None:
    line = VirtualSerialLine()
    calls: list[str] = []
    config = Rdm6300Config("rdm6300", "/dev/left", sends="once")
    slot = KIND.open(config, "left slot", cast(Board, OneLine(line)), ignore_event)
    slot.start(lambda tag: calls.append(f"in {tag}"), lambda tag: calls.append(f"out {tag}"))
    reader = VirtualRdm6300(line, rng=random.Random(1), sends_once=True)
    reader.put(CARD)
    await asyncio.sleep(5)
    assert calls == [f"in {CARD}"]
    reader.put(CARD)
    await asyncio.sleep(1)
    assert calls == [f"in {CARD}", f"out {CARD}"]
    slot.close()
    reader.close()


async def test_a_reader_that_stops_repeating_is_noticed_after_three_cards() -> None:
    async with reader_bench("rdm6300") as bench:
        bench.left.faults()["stops"](True)
        for card in DECK[:4]:
            assert bench.slots["left"].heard.advice == ""
            bench.left.put(card)
            await asyncio.sleep(4)
        assert "28 times" in bench.slots["left"].heard.advice
        bench.left.faults()["stops"](False)
        for _ in range(2):
            bench.left.put(DECK[4])
            await asyncio.sleep(5)
            bench.left.take()
            await asyncio.sleep(1)
        assert bench.slots["left"].heard.advice == ""


async def test_single_frames_of_a_card_that_is_in_are_no_fault() -> None:
    line = VirtualSerialLine()
    emit = Recorder()
    slot = KIND.open(Rdm6300Config("rdm6300", "/dev/left", hold_s=5), "left slot", cast(Board, OneLine(line)), emit)
    slot.start(lambda _: None, lambda _: None)
    for pause_s in (0.065, *[1.0] * 20):
        line.send(frame_of(CARD, RDM6300_END))
        await asyncio.sleep(pause_s)
    assert (slot.tag, emit.names) == (CARD, [])
    slot.close()


@pytest.mark.parametrize("kind", READER_KINDS.values(), ids=READER_KINDS)
def test_a_kind_that_repeats_a_card_states_how_often_and_holds_it_for_longer(kind: ReaderKind[Any]) -> None:
    assert 0 < kind.period_s < HOLD_S if issubclass(kind.config, RepeatingReaderConfig) else kind.period_s == 0
