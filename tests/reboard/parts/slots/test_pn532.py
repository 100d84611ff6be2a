from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.parts.slots.pn532 import Pn532
from reboard.parts.slots.pn532_frames import ACK
from reboard_sim.readers.pn532 import VirtualPn532, frame_of
from tests.reboard.parts.slots import slot_bench

Bench = slot_bench.Bench[VirtualPn532]

CARD, OTHER = "3A5CBBE5D5", "3A00C4B26E"
UID, OTHER_UID = "5CBBE5D5", "00C4B26E"
PHONE = "3A081B2C3D"
SILENT = "the PN532 on /dev/left does not answer: look at its wires and that its switches are set to HSU/UART"


def at_the_bench(story: Callable[[Bench], Awaitable[None]], *, start: bool = True) -> Bench:
    bench = slot_bench.at_the_bench(Pn532, VirtualPn532, story, start=start)
    assert bench.baud_rates <= {115_200}
    return bench


def test_a_card_is_in_when_it_is_put_and_out_half_a_second_after_it_was_last_found() -> None:
    async def story(bench: Bench) -> None:
        await asyncio.sleep(1)
        bench.readers["left"].put(CARD)
        await asyncio.sleep(10)
        assert bench.slots["left"].tag == UID
        bench.readers["left"].take()
        await asyncio.sleep(10)
        assert bench.slots["left"].tag is None

    (in_at, *came), (out_at, *went) = at_the_bench(story).told
    assert (came, went) == (["left in", UID], ["left out", UID])
    assert 1 < in_at <= 1.2
    assert 11.4 < out_at <= 11.5


@pytest.mark.parametrize("card", ["04A1B2C3D4E5F6", "04A1B2C3D4E5F6A7B8C9"])
def test_longer_uids_are_tags_as_they_are(card: str) -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(card)
        await asyncio.sleep(10)
        assert bench.slots["left"].tag == card

    assert at_the_bench(story).words == ["left in"]


def test_another_card_at_once_is_a_removal_and_an_insertion() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(CARD)
        await asyncio.sleep(1)
        bench.readers["left"].put(OTHER)
        await asyncio.sleep(0.4)

    bench = at_the_bench(story)
    assert [(what, tag) for _, what, tag in bench.told] == [("left in", UID), ("left out", UID), ("left in", OTHER_UID)]
    assert bench.told[1][0] == bench.told[2][0]


def test_a_phone_is_no_card() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(PHONE)
        await asyncio.sleep(10)
        bench.readers["left"].put(CARD)
        await asyncio.sleep(1)

    assert [tag for _, _, tag in at_the_bench(story).told] == [UID]


def test_what_was_put_in_is_done_when_it_is_taken_out() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(CARD)
        await asyncio.sleep(1)
        bench.slots["left"].done()
        await asyncio.sleep(60)
        assert bench.slots["left"].tag == UID

    assert at_the_bench(story).words == ["left in"]


def test_a_flickering_card_lies_still() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].flicker(True)
        bench.readers["left"].put(CARD)
        await asyncio.sleep(120)
        found_at = [t for t, data, *_ in bench.lines["left"].traffic if b"\x4b\x01" in data]
        assert max(b - a for a, b in pairwise(found_at)) > 0.2, "it flickered badly"

    assert at_the_bench(story).words == ["left in"]


def test_noise_is_no_card_and_no_fault_and_hides_no_card() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].noise(True)
        await asyncio.sleep(300)
        assert bench.told == []
        bench.readers["left"].put("3A00C41F07")
        await asyncio.sleep(300)
        assert bench.words == ["left in"]
        assert bench.slots["left"].tag == "00C41F07"
        bench.readers["left"].take()
        await asyncio.sleep(60)
        assert bench.stray_bytes > 10_000

    assert at_the_bench(story).words == ["left in", "left out"]


def test_a_chip_without_a_card_is_asked_once_a_second() -> None:
    async def story(bench: Bench) -> None:
        await asyncio.sleep(10)
        before = len(bench.lines["left"].traffic)
        await asyncio.sleep(100)
        assert [said.by for said in bench.lines["left"].traffic.since(before)] == ["firmware", "reader"] * 100

    at_the_bench(story)


@pytest.mark.parametrize("for_s", [0.01, 0.3, 0.99, 1.7, 60])
@pytest.mark.parametrize("with_card", [True, False])
def test_a_module_that_lost_its_power_is_a_fault_and_works_again_within_two_seconds(
    for_s: float, with_card: bool
) -> None:
    async def story(bench: Bench) -> None:
        if with_card:
            bench.readers["left"].put(CARD)
        bench.readers["right"].put(OTHER)
        await asyncio.sleep(10)
        bench.readers["left"].power(False)
        await asyncio.sleep(for_s)
        bench.readers["left"].power(True)
        bench.readers["left"].put(CARD)
        await asyncio.sleep(2)
        assert bench.slots["left"].tag == UID
        await asyncio.sleep(10)

    bench = at_the_bench(story)
    faults = [(what, cause) for _, what, cause in bench.told if "slot" in what]
    assert faults == [("fault left slot", SILENT), ("recovered left slot", "")]
    fault_at = next(t for t, what, _ in bench.told if what == "fault left slot")
    assert 10 < fault_at < 11.5
    assert "right out" not in bench.words


def test_a_reader_pulled_out_is_one_fault_takes_its_card_along_and_comes_back_within_two_seconds() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(CARD)
        bench.readers["right"].put(OTHER)
        await asyncio.sleep(10)
        bench.readers["left"].unplug()
        await asyncio.sleep(60.1)
        bench.readers["left"].plug()
        await asyncio.sleep(2)
        assert bench.slots["left"].tag == UID

    bench = at_the_bench(story)
    assert sorted(bench.words[:2]) == ["left in", "right in"]
    assert bench.words[2:] == ["fault left slot", "left out", "recovered left slot", "left in"]
    fault_at, _, cause = bench.told[2]
    assert (fault_at, cause) == (10, "the reader on /dev/left went away: look at its plug and its wires")


def test_a_line_with_nothing_behind_it_is_one_fault() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].power(False)
        bench.start()
        await asyncio.sleep(600)
        assert bench.told == [(0.4, "fault left slot", SILENT)]
        assert bench.slots["left"].description == "PN532 on /dev/left"

    at_the_bench(story, start=False)


def test_an_echo_of_what_is_asked_is_no_answer() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].power(False)
        bench.lines["left"].listen(bench.lines["left"].send)
        bench.start()
        await asyncio.sleep(60)

    assert at_the_bench(story, start=False).told == [(0.4, "fault left slot", SILENT)]


def test_a_stuck_line_does_not_hold_anybody_up() -> None:
    class StuckLine:
        out_waiting = 16
        written = 0

        def __init__(self, line: Any) -> None:
            self.fileno, self.read, self.close = line.fileno, line.read, line.close

        def write(self, data: bytes, /) -> int:
            raise AssertionError("what was said before has not gone out")

    async def story(bench: Bench) -> None:
        open_serial = bench.open_serial
        stuck: Any = lambda port, baud_rate: StuckLine(open_serial(port, baud_rate))  # noqa: E731
        bench.open_serial = stuck  # type: ignore[method-assign]
        bench.start()
        await asyncio.sleep(10)

    assert at_the_bench(story, start=False).words == ["fault left slot", "fault right slot"]


def test_a_line_that_goes_while_it_is_written_to_is_looked_for() -> None:
    class BrokenLine:
        out_waiting = 0

        def __init__(self, line: Any) -> None:
            self.fileno, self.read, self.close = line.fileno, line.read, line.close

        def write(self, data: bytes, /) -> int:
            raise OSError(5, "Input/output error")

    async def story(bench: Bench) -> None:
        open_serial = bench.open_serial
        broken: Any = lambda port, baud_rate: BrokenLine(open_serial(port, baud_rate))  # noqa: E731
        bench.open_serial = broken  # type: ignore[method-assign]
        bench.start()
        await asyncio.sleep(10.1)
        assert bench.words == ["fault left slot", "fault right slot"]
        bench.open_serial = open_serial  # type: ignore[method-assign]
        await asyncio.sleep(1)

    assert sorted(at_the_bench(story, start=False).words[2:]) == ["recovered left slot", "recovered right slot"]


def answers(*contents: str) -> bytes:
    return b"".join(ACK if not each else frame_of(bytes.fromhex(each)) for each in contents)


AWAKE = [answers("", "15"), answers("", "03 32 01 06 07")]


class Chip:
    """Says what it is told to, one piece for each thing that it hears, whatever that is."""

    def __init__(self, bench: Bench, pieces: list[bytes]) -> None:
        self._line = bench.lines["left"]
        self._pieces = pieces
        self._line.listen(self._heard)

    def _heard(self, data: bytes) -> None:
        if self._pieces:
            self._line.send(self._pieces.pop(0))


@pytest.mark.parametrize(
    "answer",
    [
        "4B 00",
        "4B",
        "4B 01",
        "4B 01 01 00 04 08",
        "4B 01 01 00 04 08 04 5C BB E5",
        "4B 01 01 00 04 08 05 5C BB E5 D5 11",
        "4B 01 01 00 04 08 00",
        "4B 02 01 00 04 08 04 5C BB E5 D5 02 00 04 08 04 5C BB E5 D6",
        "4B 01 01 00 04 08 04 08 BB E5 D5",
        "03 01 01 00 04 08 04 5C BB E5 D5",
        "15",
    ],
)
def test_an_answer_that_tells_of_no_card_or_not_of_one_is_none(answer: str) -> None:
    async def story(bench: Bench) -> None:
        Chip(bench, [*AWAKE, *[answers("", answer)] * 20])
        bench.start()
        await asyncio.sleep(2)
        assert bench.told == []

    at_the_bench(story, start=False)


def test_a_card_that_tells_more_of_itself_is_known_by_its_uid_alone() -> None:
    async def story(bench: Bench) -> None:
        found = "4B 01 01 03 44 20 07 04 A1 B2 C3 D4 E5 F6 06 75 77 81 02 80"
        Chip(bench, [*AWAKE, *[answers("", found)] * 5])
        bench.start()
        await asyncio.sleep(0.3)

    [(_, what, tag)] = at_the_bench(story, start=False).told
    assert (what, tag) == ("left in", "04A1B2C3D4E5F6")


def test_a_card_that_was_told_once_only_is_not_believed() -> None:
    async def story(bench: Bench) -> None:
        one, other = "4B 01 01 00 04 08 04 5C BB E5 D5", "4B 01 01 00 04 08 04 BB E5 D5 FD"
        Chip(bench, [*AWAKE, *[answers("", one), answers("", other)] * 3])
        bench.start()
        await asyncio.sleep(1)
        assert "left in" not in bench.words

    at_the_bench(story, start=False)


def test_a_card_that_is_in_stays_whatever_is_told_once_between() -> None:
    async def story(bench: Bench) -> None:
        one, other = "4B 01 01 00 04 08 04 5C BB E5 D5", "4B 01 01 00 04 08 04 BB E5 D5 FD"
        Chip(bench, [*AWAKE, answers("", one), *[answers("", one), answers("", other)] * 30])
        bench.start()
        await asyncio.sleep(5)

    bench = at_the_bench(story, start=False)
    assert [what for what in bench.words if what.startswith("left")] == ["left in"]


def test_half_a_frame_before_a_question_does_not_swallow_its_answer() -> None:
    async def story(bench: Bench) -> None:
        half = b"\x00\x00\xff\x40\xc0\xd5"
        Chip(bench, [AWAKE[0], AWAKE[1] + half, *[answers("", "4B 01 01 00 04 08 04 5C BB E5 D5")] * 5])
        bench.start()
        await asyncio.sleep(1)

    assert (0.1, "left in", UID) in at_the_bench(story, start=False).told


ONE_CARD = frame_of(bytes.fromhex("4B 01 01 00 04 08 04 5C BB E5 D5"))
CODES = st.sampled_from([b"\x15", b"\x03", b"\x4b"])
SPEECH = st.one_of(
    st.binary(max_size=40),
    st.just(ACK),
    st.just(ACK + ONE_CARD),
    st.integers(0, len(ONE_CARD)).map(lambda cut: ONE_CARD[:cut]),
    st.binary(min_size=1, max_size=30).map(frame_of),
    st.tuples(CODES, st.binary(max_size=20)).map(lambda said: frame_of(b"".join(said))),
)


@settings(max_examples=150)
@given(
    st.booleans(),
    st.lists(st.tuples(SPEECH, st.sampled_from([0.0, 0.001, 0.05, 0.1, 0.7])), max_size=20),
    st.lists(SPEECH, max_size=20),
)
def test_whatever_a_chip_says_at_any_time_only_a_card_told_whole_and_twice_is_in(
    awake: bool, unasked: list[tuple[bytes, float]], asked: list[bytes]
) -> None:
    said = b"".join([*(data for data, _ in unasked), *asked])

    async def story(bench: Bench) -> None:
        Chip(bench, [*(AWAKE if awake else []), *asked])
        bench.start()
        for data, pause_s in unasked:
            bench.lines["left"].send(data)
            await asyncio.sleep(pause_s)
        await asyncio.sleep(2)

    bench = at_the_bench(story, start=False)
    for _, what, tag in bench.told:
        if what == "left in":
            uid = bytes.fromhex(tag)
            assert said.count(bytes([len(uid)]) + uid) >= 2


def test_a_closed_slot_says_nothing_more_and_gives_its_line_back() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(CARD)
        await asyncio.sleep(1)
        bench.slots["left"].close()
        bench.slots["left"].close()
        await asyncio.sleep(0.1)
        before = len(bench.lines["left"].traffic)
        await asyncio.sleep(5)
        assert bench.words == ["left in"]
        assert len(bench.lines["left"].traffic) == before
        bench.lines["left"].open(9600).close()

    at_the_bench(story)


def test_a_slot_says_what_and_where_it_is() -> None:
    async def story(bench: Bench) -> None:
        slot = bench.slots["left"]
        assert slot.description == "PN532 on /dev/left"
        await asyncio.sleep(0.5)
        assert slot.description == "PN532 1.6 on /dev/left"
        assert repr(slot) == "<Pn532 /dev/left tag=None, 5 frames, 0 stray bytes>"

    at_the_bench(story)
