from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reboard.devices.readers.kinds.pn532 import ACK, LONGEST_CONTENTS, ChipFrames, command
from reboard_sim.devices.readers.pn532 import frame_of
from tests.reboard.devices.readers.reader_bench import Bench, reader_bench

# recorded from a chip: the answer to GetFirmwareVersion, and a card
FIRMWARE = bytes.fromhex("0000FF06FAD50332010607E800")
CARD = bytes.fromhex("0000FF0CF4D54B010100040804" + "5CBBE5D5" + "FD00")
ANSWERS = {FIRMWARE: bytes.fromhex("0332010607"), CARD: bytes.fromhex("4B0101000408045CBBE5D5"), ACK: b""}
UID = "5CBBE5D5"


def test_commands_are_framed_as_in_the_manual() -> None:
    assert command(b"\x02") == bytes.fromhex("0000FF02FED4022A00")
    assert command(b"\x4a\x01\x00") == bytes.fromhex("0000FF04FCD44A0100E100")


@pytest.mark.parametrize("cut", range(len(CARD)))
def test_recorded_frames_are_found_wherever_a_read_ends(cut: int) -> None:
    frames = ChipFrames()
    assert frames.feed(CARD[:cut]) == []
    assert frames.feed(CARD[cut:] + ACK + FIRMWARE[1:] + bytes(100) + CARD) == [
        ANSWERS[frame] for frame in (CARD, ACK, FIRMWARE, CARD)
    ]
    assert (frames.frames, frames.stray_bytes) == (4, 0)


@pytest.mark.parametrize(
    "noise",
    [
        pytest.param(CARD[:-2] + b"\xfe\x00", id="wrong checksum"),
        pytest.param(CARD[:3] + b"\x0b\xf5" + CARD[5:], id="both lengths wrong"),
        pytest.param(CARD[:15] + CARD[16:], id="byte lost"),
        pytest.param(CARD[:-1] + b"\x01", id="no end"),
        pytest.param(bytes.fromhex("0000FF01FFD52B00"), id="no contents"),
        pytest.param(command(b"\x4a\x01\x00"), id="our own command"),
        pytest.param(bytes.fromhex("0000FF01FF7F8100"), id="error frame"),
        pytest.param(bytes.fromhex("0000FFFF000000"), id="NACK"),
        pytest.param(ACK[:4], id="half an ACK"),
        pytest.param(b"\x00\xff\xff\xff\x01\x09" + bytes(range(20)), id="extended frame"),
        pytest.param(bytes(range(256)), id="noise"),
    ],
)
def test_noise_is_no_frame_and_hides_no_answer(noise: bytes) -> None:
    frames = ChipFrames()
    assert frames.feed(noise) == []
    frames.forget()
    assert frames.stray_bytes > 0
    assert frames.feed(CARD) == [ANSWERS[CARD]]


CONTENTS = st.binary(min_size=1, max_size=LONGEST_CONTENTS - 1)
NOISE = st.one_of(
    st.binary(max_size=80),
    st.lists(st.sampled_from([b"\x00", b"\xff", b"\xd5", b"\x02", b"\xfe"]), max_size=40).map(b"".join),
    st.tuples(CONTENTS, st.integers(0, 70)).map(lambda cut: frame_of(cut[0])[: cut[1]]),
)


@given(st.lists(st.tuples(NOISE, CONTENTS), max_size=4))
@example([(b"", bytes(LONGEST_CONTENTS - 1))])
def test_an_answer_after_a_question_is_found_after_any_noise(pairs: list[tuple[bytes, bytes]]) -> None:
    frames = ChipFrames()
    for noise, contents in pairs:
        frames.feed(noise)
        frames.forget()
        assert frames.feed(frame_of(contents)) == [contents]


def answers(*contents: str) -> bytes:
    return b"".join(ACK if not each else frame_of(bytes.fromhex(each)) for each in contents)


AWAKE = [answers("", "15"), answers("", "03 32 01 06 07")]
ONE, OTHER = "4B 01 01 00 04 08 04 5C BB E5 D5", "4B 01 01 00 04 08 04 BB E5 D5 FD"


def play_chip(bench: Bench, *pieces: bytes) -> None:
    """Replace the left reader by a chip that sends one of *pieces* after each command."""
    line, left = bench.ports["left"], list(pieces)
    line.listen(lambda _: line.send(left.pop(0)) if left else None)
    bench.start()


def found(*tags: str) -> list[bytes]:
    return [answers("", tag) for tag in tags]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        *(
            pytest.param(found(answer) * 20, [], id=answer)
            for answer in (
                "4B 00",
                "4B",
                "4B 01",
                "4B 01 01 00 04 08",
                "4B 01 01 00 04 08 04 5C BB E5",
                "4B 01 01 00 04 08 05 5C BB E5 D5 11",
                "4B 01 01 00 04 08 00",
                "4B 02 01 00 04 08 04 5C BB E5 D5 02 00 04 08 04 5C BB E5 D6",
                "4B 01 01 00 04 08 04 08 BB E5 D5",  # a phone
                "03 01 01 00 04 08 04 5C BB E5 D5",
                "15",
            )
        ),
        pytest.param(
            found("4B 01 01 03 44 20 07 04 A1 B2 C3 D4 E5 F6 06 75 77 81 02 80") * 20,
            [("left in", "04A1B2C3D4E5F6")],
            id="long UID and ATS",
        ),
        pytest.param(found(ONE, OTHER) * 10, [], id="never twice the same"),
        pytest.param(found(ONE, *[ONE, OTHER] * 10), [("left in", UID)], id="single wrong answers"),
    ],
)
async def test_a_card_is_in_after_two_equal_answers_with_one_uid(
    pieces: list[bytes], expected: list[tuple[str, str]]
) -> None:
    async with reader_bench("pn532", start=False) as bench:
        play_chip(bench, *AWAKE, *pieces)
        await asyncio.sleep(1.7)
        assert [(name, tag) for _, name, tag in bench.calls if "out" not in name and "right" not in name] == expected


@pytest.mark.parametrize("uid", ["00000000", "00" * 7, "88BBE5D5", "08BBE5D5"])
async def test_a_uid_that_no_card_has_is_dropped(uid: str) -> None:
    async with reader_bench("pn532") as bench:
        bench.left.put(f"3A{uid}" if len(uid) == 8 else uid)
        await asyncio.sleep(10)
        assert bench.calls == []
        assert bench.slots["left"].heard.dropped > 50
        bench.left.put("3A5CBBE5D5")
        await asyncio.sleep(1)
        bench.left.put(f"3A{uid}" if len(uid) == 8 else uid)
        await asyncio.sleep(1)
        assert bench.names == ["left in", "left out"]


async def test_without_a_card_the_chip_is_asked_once_a_second() -> None:
    async with reader_bench("pn532") as bench:
        await asyncio.sleep(10)
        before = len(bench.ports["left"].traffic)
        await asyncio.sleep(100)
        assert [sent.by for sent in bench.ports["left"].traffic.since(before)] == ["firmware", "reader"] * 100


@pytest.mark.parametrize("for_s", [0.01, 0.3, 0.99, 1.7, 60])
@pytest.mark.parametrize("with_card", [True, False])
async def test_a_chip_that_lost_its_power_is_a_fault_and_works_again_within_two_seconds(
    for_s: float, with_card: bool
) -> None:
    async with reader_bench("pn532") as bench:
        if with_card:
            bench.left.put("3A5CBBE5D5")
        await asyncio.sleep(10)
        bench.left.power(False)
        await asyncio.sleep(for_s)
        bench.left.power(True)
        bench.left.put("3A5CBBE5D5")
        await asyncio.sleep(2)
        assert bench.tag == UID
        faults = [(t, name, cause) for t, name, cause in bench.calls if "slot" in name]
        assert [name for _, name, _ in faults] == ["fault left slot", "recovered left slot"]
        assert 10 < faults[0][0] < 11.5
        assert "HSU/UART" in faults[0][2]


@pytest.mark.parametrize("echo", [True, False])
async def test_silence_or_an_echo_is_one_fault(echo: bool) -> None:
    async with reader_bench("pn532", start=False) as bench:
        bench.left.power(False)
        if echo:
            bench.ports["left"].listen(bench.ports["left"].send)
        bench.start()
        await asyncio.sleep(100)
        assert [(t, name) for t, name, _ in bench.calls] == [(0.4, "fault left slot")]
        assert bench.slots["left"].description == "PN532 on /dev/left"


@pytest.mark.parametrize("out_waiting", [0, 16])
async def test_a_port_that_takes_no_commands_is_a_fault_and_is_tried_again(out_waiting: int) -> None:
    class BrokenPort:
        def __init__(self, port: Any) -> None:
            self.fileno, self.read, self.close = port.fileno, port.read, port.close
            self.out_waiting = out_waiting

        def write(self, data: bytes, /) -> int:
            assert not out_waiting, "earlier bytes are still to be sent"
            raise OSError(5, "Input/output error")

    async with reader_bench("pn532", start=False) as bench:
        open_serial = bench.open_serial
        bench.open_serial = lambda *args: BrokenPort(open_serial(*args))  # type: ignore
        bench.start()
        await asyncio.sleep(10.1)
        assert bench.names == ["fault left slot", "fault right slot"]
        if not out_waiting:
            bench.open_serial = open_serial  # type: ignore[method-assign]
            await asyncio.sleep(1)
            assert sorted(bench.names[2:]) == ["recovered left slot", "recovered right slot"]


ONE_CARD = frame_of(bytes.fromhex(ONE))
SPEECH = st.one_of(
    st.binary(max_size=40),
    st.just(ACK),
    st.just(ACK + ONE_CARD),
    st.integers(0, len(ONE_CARD)).map(lambda cut: ONE_CARD[:cut]),
    st.binary(min_size=1, max_size=30).map(frame_of),
    st.tuples(st.sampled_from([b"\x15", b"\x03", b"\x4b"]), st.binary(max_size=20)).map(
        lambda said: frame_of(b"".join(said))
    ),
)


@settings(max_examples=50)
@given(
    st.booleans(),
    st.lists(st.tuples(SPEECH, st.sampled_from([0.0, 0.001, 0.05, 0.1, 0.7])), max_size=20),
    st.lists(SPEECH, max_size=20),
)
async def test_whatever_a_chip_sends_a_card_is_in_only_after_two_complete_answers(
    awake: bool, unasked: list[tuple[bytes, float]], asked: list[bytes]
) -> None:
    async with reader_bench("pn532", start=False) as bench:
        play_chip(bench, *(AWAKE if awake else []), *asked)
        for data, pause_s in unasked:
            bench.ports["left"].send(data)
            await asyncio.sleep(pause_s)
        await asyncio.sleep(2)
        sent = b"".join([*(data for data, _ in unasked), *asked])
        for _, name, tag in bench.calls:
            if name == "left in":
                uid = bytes.fromhex(tag)
                assert sent.count(bytes([len(uid)]) + uid) >= 2


def change(place: int, bits: int) -> Callable[[bytes], bytes]:
    return lambda sent: sent[:place] + bytes(byte ^ bits for byte in sent[place : place + 1]) + sent[place + 1 :]


def cut(length: int) -> Callable[[bytes], bytes]:
    return lambda sent: sent[:length]


EXCHANGE = len(ACK + CARD)
DAMAGES = [
    *(pytest.param(change(place, 0x80 if place % 2 else 1), id=f"{place}") for place in range(EXCHANGE)),
    *(pytest.param(cut(length), id=f"cut {length}") for length in range(1, EXCHANGE) if length != len(ACK)),
]
"""Damages to all exchanges. An acknowledgement without an answer means that there is no card."""


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_card_whose_answers_are_all_damaged_stays_in_and_is_a_fault(damage: Callable[[bytes], bytes]) -> None:
    async with reader_bench("pn532") as bench:
        bench.left.put("3A5CBBE5D5")
        await asyncio.sleep(2)
        send, sent = bench.left._send, b""

        def send_damaged(data: bytes) -> None:
            nonlocal sent
            before, sent = (b"" if data == ACK else sent), (b"" if data == ACK else sent) + data
            send(damage(sent)[len(damage(before)) :])

        bench.left._send = send_damaged
        await asyncio.sleep(10)
        assert bench.tag == UID
        fault = [] if damage(ACK + CARD).endswith(CARD[1:]) else ["fault left slot"]
        assert bench.names == ["left in", *fault]
        assert all(2 < at < 2.6 and "damaged" in cause for at, _, cause in bench.calls[1:])
        bench.left.take()
        bench.left._send = send
        await asyncio.sleep(2)
        assert sorted(bench.names[1 + len(fault) :]) == ["left out", *(["recovered left slot"] if fault else [])]


@pytest.mark.parametrize("cut", [1, 5])
async def test_a_chip_whose_answers_all_arrive_cut_is_a_fault_that_says_so(cut: int) -> None:
    async with reader_bench("pn532", start=False) as bench:
        send = bench.left._send
        bench.left._send = lambda data: send(data[:-cut])
        bench.start()
        await asyncio.sleep(30)
        assert bench.names == ["fault left slot"]
        assert "damaged" in bench.calls[0][2]
        bench.left._send = send
        await asyncio.sleep(2)
        assert bench.names == ["fault left slot", "recovered left slot"]


async def test_damaged_answers_of_a_card_that_is_sometimes_missed_are_one_fault() -> None:
    async with reader_bench("pn532") as bench:
        bench.left.garble(True)
        bench.left.flicker(True)
        bench.left.put("3A5CBBE5D5")
        await asyncio.sleep(9)
        assert bench.names == ["fault left slot"]
        await asyncio.sleep(120)
        assert bench.names == ["fault left slot"]
        bench.left.garble(False)
        await asyncio.sleep(2)
        assert sorted(bench.names[1:]) == ["left in", "recovered left slot"]
