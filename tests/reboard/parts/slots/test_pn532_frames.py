from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.parts.slots.pn532_frames import ACK, LONGEST_CONTENTS, ChipFrames, command
from reboard_sim.readers.pn532 import frame_of

FIRMWARE = bytes.fromhex("0000FF06FAD50332010607E800")
CARD = bytes.fromhex("0000FF0CF4D54B010100040804" + "5CBBE5D5" + "FD00")
REAL = {
    FIRMWARE: bytes.fromhex("0332010607"),
    CARD: bytes.fromhex("4B0101000408045CBBE5D5"),
    ACK: b"",
}


def test_commands_are_framed_as_the_chip_wants_them() -> None:
    assert command(b"\x02") == bytes.fromhex("0000FF02FED4022A00")
    assert command(b"\x4a\x01\x00") == bytes.fromhex("0000FF04FCD44A0100E100")
    assert command(b"\x14\x01") == bytes.fromhex("0000FF03FDD414011700")


@pytest.mark.parametrize("frame", REAL, ids=bytes.hex)
def test_a_real_frame_is_read(frame: bytes) -> None:
    reader = ChipFrames()
    assert reader.feed(frame) == [REAL[frame]]
    assert reader.health == "1 frames, 0 stray bytes"


@pytest.mark.parametrize("cut", range(1, len(CARD)))
def test_a_frame_in_two_reads_is_read(cut: int) -> None:
    reader = ChipFrames()
    assert reader.feed(CARD[:cut]) == []
    assert reader.feed(CARD[cut:]) == [REAL[CARD]]


def test_frames_byte_by_byte_are_read() -> None:
    reader = ChipFrames()
    stream = b"".join(REAL)
    assert [answer for byte in stream for answer in reader.feed(bytes([byte]))] == list(REAL.values())


def test_frames_with_no_or_many_zeros_before_them_are_read() -> None:
    reader = ChipFrames()
    assert reader.feed(CARD[1:] + b"\x00" * 100 + FIRMWARE) == [REAL[CARD], REAL[FIRMWARE]]
    assert reader.stray_bytes == 0


@pytest.mark.parametrize(
    "bad",
    {
        "a wrong checksum": CARD[:-2] + b"\xfe\x00",
        "a byte changed": CARD[:14] + b"\x5d" + CARD[15:],
        "a wrong length": CARD[:3] + b"\x0b" + CARD[4:],
        "a wrong complement": CARD[:4] + b"\xf5" + CARD[5:],
        "contents that say nothing": bytes.fromhex("0000FF01FFD52B00"),
        "both lengths wrong": CARD[:3] + b"\x0b\xf5" + CARD[5:],
        "a byte lost": CARD[:15] + CARD[16:],
        "a byte more": CARD[:15] + b"\xaa" + CARD[15:],
        "no end": CARD[:-1] + b"\x01",
        "our own command": command(b"\x4a\x01\x00"),
        "the chip's complaint": bytes.fromhex("0000FF01FF7F8100"),
        "a refusal": bytes.fromhex("0000FFFF000000"),
        "half an ACK": ACK[:4],
        "an ACK with a wrong end": ACK[:-1] + b"\x07",
        "the first half": CARD[:10],
        "the second half": CARD[10:],
        "a long one": b"\x00\xff\xff\xff\x01\x09" + bytes(range(20)),
        "noise": bytes(range(256)),
        "many beginnings": b"\x00\xff\x05" * 50,
    }.items(),
    ids=lambda item: item[0],
)
def test_what_is_no_frame_is_none_and_hides_none_after_it(bad: tuple[str, bytes]) -> None:
    reader = ChipFrames()
    assert reader.feed(bad[1]) == []
    reader.forget()
    assert reader.stray_bytes > 0
    assert reader.feed(CARD) == [REAL[CARD]]


def test_half_a_frame_delays_the_next_one_but_does_not_hide_it() -> None:
    assert ChipFrames().feed(CARD[:10] + CARD) == [REAL[CARD]]


def test_a_frame_that_is_announced_longer_than_any_answer_is_not_waited_for() -> None:
    length = LONGEST_CONTENTS + 1
    assert ChipFrames().feed(b"\x00\xff" + bytes([length, 256 - length]) + CARD) == [REAL[CARD]]


ANSWERS = st.binary(min_size=1, max_size=LONGEST_CONTENTS - 1)
NOISE = st.one_of(
    st.binary(max_size=80),
    st.lists(st.sampled_from([b"\x00", b"\xff", b"\xd5", b"\x02", b"\xfe"]), max_size=40).map(b"".join),
    st.tuples(ANSWERS, st.integers(0, 70)).map(lambda cut: frame_of(cut[0])[: cut[1]]),
)


def frames_in(stream: bytes) -> list[tuple[int, bytes]]:
    """Another way to say what a frame is, for comparison: where every one ends, and its answer."""
    ends = [(i + 5, b"") for i in range(len(stream)) if stream[i : i + 5] == ACK[1:]]
    for length in range(2, LONGEST_CONTENTS + 1):
        for i in range(len(stream) - length - 5):
            contents = stream[i + 4 : i + 4 + length]
            if stream[i : i + length + 6] == frame_of(contents[1:])[1:]:
                ends.append((i + length + 6, contents[1:]))
    return sorted(ends)


@given(st.lists(st.one_of(ANSWERS.map(frame_of), st.just(ACK), NOISE), max_size=6), st.randoms(use_true_random=False))
def test_in_any_noise_nothing_is_read_that_was_not_sent_whole(pieces: list[bytes], rng: random.Random) -> None:
    stream = b"".join(pieces)
    reader = ChipFrames()
    found: list[bytes] = []
    rest = stream
    while rest:
        cut = rng.randint(1, len(rest))
        found += reader.feed(rest[:cut])
        rest = rest[cut:]
        assert len(reader._pending) < LONGEST_CONTENTS + 6
    there = iter(answer for _, answer in frames_in(stream))
    assert all(answer in there for answer in found), "each is there, in this order"
    reader.forget()
    assert reader.stray_bytes <= len(stream)


@given(st.lists(st.tuples(NOISE, ANSWERS), max_size=4))
def test_a_frame_after_a_question_is_read_whatever_was_heard_before_it(pairs: list[tuple[bytes, bytes]]) -> None:
    reader = ChipFrames()
    for noise, answer in pairs:
        reader.feed(noise)
        reader.forget()
        assert reader.feed(frame_of(answer)) == [answer]
