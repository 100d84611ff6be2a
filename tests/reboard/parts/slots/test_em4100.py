from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.parts.slots.em4100 import TagFrames
from reboard.parts.slots.id12 import FRAME_END as CR_LF_END
from reboard.parts.slots.rdm6300 import FRAME_END as END
from reboard_sim.readers.em4100 import frame_of

REAL_FRAMES = {
    "62E3086CED": bytes.fromhex("0236324533303836434544303803"),
    "01000734E0": bytes.fromhex("0230313030303733344530443203"),
}
ID12_FRAME = bytes.fromhex("023035303032303742333236430D0A03")
GOOD = REAL_FRAMES["62E3086CED"]


@pytest.mark.parametrize("tag", REAL_FRAMES)
def test_a_real_frame_is_a_tag(tag: str) -> None:
    assert TagFrames(END).feed(REAL_FRAMES[tag]) == [tag]


@pytest.mark.parametrize("cut", range(1, 14))
def test_a_frame_in_two_reads_is_a_tag(cut: int) -> None:
    reader = TagFrames(END)
    assert reader.feed(GOOD[:cut]) == []
    assert reader.feed(GOOD[cut:]) == ["62E3086CED"]


def test_a_frame_byte_by_byte_is_a_tag() -> None:
    reader = TagFrames(END)
    assert [tag for byte in GOOD for tag in reader.feed(bytes([byte]))] == ["62E3086CED"]


def test_two_frames_in_one_read_are_two_tags() -> None:
    assert TagFrames(END).feed(b"".join(REAL_FRAMES.values())) == list(REAL_FRAMES)


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
        "id12 frame": ID12_FRAME,
        "noise": bytes(range(256)),
        "many beginnings": b"\x02" * 100,
        "many ends": b"\x03" * 100,
    }.items(),
    ids=lambda item: item[0],
)
def test_what_is_no_frame_is_no_card_and_hides_none(bad: tuple[str, bytes]) -> None:
    reader = TagFrames(END)
    assert reader.feed(bad[1]) == []
    assert reader.feed(GOOD) == ["62E3086CED"]
    assert reader.stray_bytes == len(bad[1])


def test_the_counters_tell_of_noise() -> None:
    reader = TagFrames(END)
    reader.feed(GOOD[:11] + b"09" + GOOD[13:] + GOOD)
    assert reader.health == "1 frames, 14 stray bytes"


def test_readers_that_send_cr_lf_are_read_likewise_and_one_kind_is_no_other() -> None:
    assert TagFrames(CR_LF_END).feed(ID12_FRAME) == ["0500207B32"]
    assert TagFrames(CR_LF_END).feed(GOOD) == []


def framed(tag: str) -> bytes:
    return frame_of(tag, END)


TAGS = st.binary(min_size=5, max_size=5).map(lambda number: number.hex().upper())
NOISE = st.one_of(
    st.binary(max_size=40),
    st.text("0123456789ABCDEF\x02\x03\r\n", max_size=40).map(str.encode),
    st.tuples(TAGS, st.integers(0, 13)).map(lambda cut: framed(cut[0])[: cut[1]]),
)


def is_frame(data: bytes) -> bool:
    """Another way to say what a frame is, for comparison."""
    try:
        return len(data) == 14 and data == framed(data[1:11].decode("ascii"))
    except ValueError:
        return False


@given(st.lists(st.one_of(TAGS.map(framed), NOISE), max_size=12), st.randoms(use_true_random=False))
def test_in_any_noise_exactly_the_frames_that_are_there_are_found(pieces: list[bytes], rng: random.Random) -> None:
    stream = b"".join(pieces)
    there = [stream[i + 1 : i + 11].decode() for i in range(len(stream)) if is_frame(stream[i : i + 14])]
    reader = TagFrames(END)
    found = []
    rest = stream
    while rest:
        cut = rng.randint(1, len(rest))
        found += reader.feed(rest[:cut])
        rest = rest[cut:]
        assert len(reader._pending) < 14
    assert found == there
    assert reader.frames == len(there)
    assert reader.stray_bytes + len(reader._pending) == len(stream) - 14 * len(there)


@given(st.lists(st.tuples(NOISE, TAGS), max_size=6))
def test_noise_before_a_frame_never_hides_it(pairs: list[tuple[bytes, str]]) -> None:
    stream = b"".join(noise + framed(tag) for noise, tag in pairs)
    found = iter(TagFrames(END).feed(stream))
    assert all(tag in found for _, tag in pairs), "in this order, others may be between them"
