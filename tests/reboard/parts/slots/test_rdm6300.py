from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.board import Board, SerialLine
from reboard.parts.slots.rdm6300 import FrameReader, Rdm6300
from reboard_sim.deck import DECK
from reboard_sim.readers.rdm6300 import VirtualRdm6300, frame_of
from reboard_sim.serial_line import VirtualSerialLine
from reboard_sim.virtual_time import run

REAL_FRAMES = {
    "62E3086CED": bytes.fromhex("0236324533303836434544303803"),
    "01000734E0": bytes.fromhex("0230313030303733344530443203"),
}
GOOD = REAL_FRAMES["62E3086CED"]


# --- the frames ---


@pytest.mark.parametrize("tag", REAL_FRAMES)
def test_a_real_frame_is_a_tag(tag: str) -> None:
    assert FrameReader().feed(REAL_FRAMES[tag]) == [tag]


@pytest.mark.parametrize("cut", range(1, 14))
def test_a_frame_in_two_reads_is_a_tag(cut: int) -> None:
    reader = FrameReader()
    assert reader.feed(GOOD[:cut]) == []
    assert reader.feed(GOOD[cut:]) == ["62E3086CED"]


def test_a_frame_byte_by_byte_is_a_tag() -> None:
    reader = FrameReader()
    assert [tag for byte in GOOD for tag in reader.feed(bytes([byte]))] == ["62E3086CED"]


def test_two_frames_in_one_read_are_two_tags() -> None:
    assert FrameReader().feed(b"".join(REAL_FRAMES.values())) == list(REAL_FRAMES)


@pytest.mark.parametrize(
    "bad",
    {
        "wrong checksum": GOOD[:11] + b"09" + GOOD[13:],
        "one digit changed": GOOD[:3] + b"4" + GOOD[4:],
        "13 bytes": GOOD[:5] + GOOD[6:],
        "15 bytes": GOOD[:5] + b"0" + GOOD[5:],
        "first half": GOOD[:7],
        "second half": GOOD[7:],
        "no end": GOOD[:13],
        "no hex": GOOD[:4] + b"G" + GOOD[5:],
        "small letters": GOOD[:1] + GOOD[1:13].lower() + GOOD[13:],
        "a space that int() would take": b"\x02 010007340D2\x03",
        "begins in the middle": GOOD[:6] + b"\x02" + GOOD[7:],
        "wrong end": GOOD[:13] + b"\x04",
        "id12 frame": bytes.fromhex("023035303032303742333236430D0A03"),
        "noise": bytes(range(256)),
        "many beginnings": b"\x02" * 100,
        "many ends": b"\x03" * 100,
    }.items(),
    ids=lambda item: item[0],
)
def test_what_is_no_frame_is_no_card_and_hides_none(bad: tuple[str, bytes]) -> None:
    reader = FrameReader()
    assert reader.feed(bad[1]) == []
    assert reader.feed(GOOD) == ["62E3086CED"]
    assert reader.garbage_bytes == len(bad[1])


def test_a_wrong_checksum_is_counted() -> None:
    reader = FrameReader()
    reader.feed(GOOD[:11] + b"09" + GOOD[13:] + GOOD)
    assert (reader.frames, reader.wrong_checksums, reader.garbage_bytes) == (1, 1, 14)


TAGS = st.binary(min_size=5, max_size=5).map(lambda number: number.hex().upper())
NOISE = st.one_of(
    st.binary(max_size=40),
    st.text("0123456789ABCDEF\x02\x03\r\n", max_size=40).map(str.encode),
    st.tuples(TAGS, st.integers(0, 13)).map(lambda cut: frame_of(cut[0])[: cut[1]]),
)


def is_frame(data: bytes) -> bool:
    """Another way to say what a frame is, for comparison."""
    try:
        return len(data) == 14 and data == frame_of(data[1:11].decode("ascii"))
    except ValueError:
        return False


@given(st.lists(st.one_of(TAGS.map(frame_of), NOISE), max_size=12), st.randoms(use_true_random=False))
def test_in_any_noise_exactly_the_frames_that_are_there_are_found(pieces: list[bytes], rng: random.Random) -> None:
    stream = b"".join(pieces)
    there = [stream[i + 1 : i + 11].decode() for i in range(len(stream)) if is_frame(stream[i : i + 14])]
    reader = FrameReader()
    found = []
    rest = stream
    while rest:
        cut = rng.randint(1, len(rest))
        found += reader.feed(rest[:cut])
        rest = rest[cut:]
        assert len(reader._pending) < 14
    assert found == there
    assert reader.frames == len(there)
    assert reader.garbage_bytes + len(reader._pending) == len(stream) - 14 * len(there)


@given(st.lists(st.tuples(NOISE, TAGS), max_size=6))
def test_noise_before_a_frame_never_hides_it(pairs: list[tuple[bytes, str]]) -> None:
    stream = b"".join(noise + frame_of(tag) for noise, tag in pairs)
    found = iter(FrameReader().feed(stream))
    assert all(tag in found for _, tag in pairs), "in this order, others may be between them"


# --- the slot ---


class Bench:
    """A board with two serial lines, two readers on them and two slots, and what was told."""

    def __init__(self) -> None:
        self.lines = {"left": VirtualSerialLine(), "right": VirtualSerialLine()}
        self.readers = {
            name: VirtualRdm6300(line, rng=random.Random(f"seed 1 {name}")) for name, line in self.lines.items()
        }
        self.told: list[tuple[float, str, str]] = []
        self.slots: dict[str, Rdm6300] = {}
        self._loop = asyncio.get_running_loop()

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        assert baud_rate == 9600
        return self.lines[port.removeprefix("/dev/")].open(baud_rate)

    def start(self) -> None:
        names: tuple[Literal["left"], Literal["right"]] = ("left", "right")
        for name in names:
            self.slots[name] = slot = Rdm6300(f"/dev/{name}", board=cast(Board, self), emit=self.emit, name=name)
            slot.start(self._teller(f"{name} in"), self._teller(f"{name} out"))

    def _teller(self, what: str) -> Callable[[str], None]:
        return lambda tag: self.tell(what, tag)

    def emit(self, name: str, /, **fields: object) -> None:
        self.tell(f"{name} {fields['part']}", str(fields.get("cause", "")))

    def tell(self, what: str, detail: str) -> None:
        self.told.append((round(self._loop.time(), 3), what, detail))

    @property
    def words(self) -> list[str]:
        return [what for _, what, _ in self.told]

    def close(self) -> None:
        closers = [thing.close for things in (self.slots, self.readers, self.lines) for thing in things.values()]
        for close in closers:
            close()


def at_the_bench(story: Callable[[Bench], Awaitable[None]], *, start: bool = True) -> Bench:
    async def main() -> Bench:
        bench = Bench()
        if start:
            bench.start()
        try:
            await story(bench)
        finally:
            bench.close()
        return bench

    return cast(Bench, run(main))


def test_a_card_is_in_when_it_is_put_and_out_half_a_second_after_its_last_frame() -> None:
    async def story(bench: Bench) -> None:
        await asyncio.sleep(1)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(10)
        assert bench.slots["left"].tag == DECK[0]
        bench.readers["left"].take()
        await asyncio.sleep(10)
        assert bench.slots["left"].tag is None

    told = at_the_bench(story).told
    assert told[0] == (1, "left in", DECK[0])
    (out_at, what, tag) = told[1]
    assert (what, tag) == ("left out", DECK[0])
    assert 11.4 < out_at <= 11.5
    assert len(told) == 2


def test_another_card_at_once_is_a_removal_and_an_insertion() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)
        bench.readers["left"].put(DECK[1])
        await asyncio.sleep(0.1)

    assert at_the_bench(story).told == [(0, "left in", DECK[0]), (1, "left out", DECK[0]), (1, "left in", DECK[1])]


def test_a_flickering_card_lies_still() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].flicker(True)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(120)

    bench = at_the_bench(story)
    assert bench.words == ["left in"]
    times = [t for t, _ in bench.lines["left"].traffic]
    assert max(b - a for a, b in pairwise(times)) > 0.25, "it flickered badly"


def test_noise_is_no_card_and_hides_none() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].noise(True)
        await asyncio.sleep(60)
        assert bench.told == []
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(60)
        assert bench.words == ["left in"]
        bench.readers["left"].take()
        await asyncio.sleep(60)
        assert bench.words == ["left in", "left out"]
        assert bench.slots["left"].frames.wrong_checksums > 100
        assert bench.slots["left"].frames.garbage_bytes > 10_000

    at_the_bench(story)


def test_a_reader_pulled_out_is_one_fault_takes_its_card_along_and_comes_back_within_two_seconds() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        bench.readers["right"].put(DECK[1])
        await asyncio.sleep(10)
        bench.lines["left"].unplug()
        await asyncio.sleep(60.1)
        bench.lines["left"].plug()
        await asyncio.sleep(2)
        assert bench.slots["left"].tag == DECK[0]

    bench = at_the_bench(story)
    assert bench.words == ["left in", "right in", "fault left slot", "left out", "recovered left slot", "left in"]
    (_, _, (fault_at, _, cause), (out_at, *_), (back_at, *_), _) = bench.told
    assert (fault_at, cause) == (10, "the reader on /dev/left went away: look at its plug and its wires")
    assert 10.4 < out_at <= 10.5
    assert 70.1 <= back_at <= 70.7


def test_each_time_a_reader_is_pulled_out_is_a_fault_of_its_own() -> None:
    async def story(bench: Bench) -> None:
        for _ in range(2):
            bench.lines["left"].unplug()
            await asyncio.sleep(5)
            bench.lines["left"].plug()
            await asyncio.sleep(5)

    assert at_the_bench(story).words == ["fault left slot", "recovered left slot"] * 2


def test_a_reader_that_is_missing_at_the_start_is_one_fault_and_is_found_later() -> None:
    async def story(bench: Bench) -> None:
        bench.lines["left"].unplug()
        bench.start()
        bench.readers["right"].put(DECK[1])
        await asyncio.sleep(30)
        bench.lines["left"].plug()
        await asyncio.sleep(2)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(0.1)

    bench = at_the_bench(story, start=False)
    assert bench.words == ["fault left slot", "right in", "recovered left slot", "left in"]
    assert "/dev/left is not there" in bench.told[0][2]


def test_a_line_that_is_open_elsewhere_is_said_to_be_in_use() -> None:
    async def story(bench: Bench) -> None:
        other = bench.lines["left"].open(9600)
        bench.start()
        await asyncio.sleep(5)
        other.close()
        await asyncio.sleep(1)

    bench = at_the_bench(story, start=False)
    assert bench.words == ["fault left slot", "recovered left slot"]
    assert "is in use" in bench.told[0][2]


def test_a_closed_slot_says_nothing_more_and_gives_its_line_back() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)
        bench.slots["left"].close()
        bench.slots["left"].close()
        await asyncio.sleep(5)
        assert bench.words == ["left in"]
        bench.lines["left"].open(9600).close()

    at_the_bench(story)


def test_closing_a_slot_whose_reader_is_missing_ends_the_search() -> None:
    async def story(bench: Bench) -> None:
        bench.lines["left"].unplug()
        await asyncio.sleep(1)
        bench.slots["left"].close()
        bench.lines["left"].plug()
        await asyncio.sleep(5)
        assert bench.words == ["fault left slot"]

    at_the_bench(story)


def test_a_slot_says_what_and_where_it_is() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)
        slot: Any = bench.slots["left"]
        assert slot.description == "RDM6300 on /dev/left"
        assert slot.health == "16 frames, 0 stray bytes"
        assert repr(slot) == f"<Rdm6300 /dev/left tag={DECK[0]}, 16 frames, 0 stray bytes>"

    at_the_bench(story)
