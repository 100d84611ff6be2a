from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.devices.readers.em4100 import ID12_END as CR_LF_END
from reboard.devices.readers.em4100 import RDM6300_END as END
from reboard.devices.readers.em4100 import TagFrames
from reboard_sim.devices.readers.em4100 import frame_of

GOOD = bytes.fromhex("0236324533303836434544303803")  # recorded from an RDM6300
GOOD_TAG = "62E3086CED"
OTHER = bytes.fromhex("0230313030303733344530443203")
ID12 = bytes.fromhex("023035303032303742333236430D0A03")  # recorded from an ID-12LA


@pytest.mark.parametrize("cut", range(14))
def test_recorded_frames_are_found_wherever_a_read_ends(cut: int) -> None:
    frames = TagFrames(END)
    assert frames.feed(GOOD[:cut]) == []
    assert frames.feed(GOOD[cut:] + OTHER) == [GOOD_TAG, "01000734E0"]
    assert TagFrames(CR_LF_END).feed(ID12) == ["0500207B32"]
    assert TagFrames(CR_LF_END).feed(GOOD) == []


@pytest.mark.parametrize(
    "noise",
    [
        GOOD[:11] + b"09" + GOOD[13:],
        GOOD[:5] + GOOD[6:],
        GOOD[:1] + GOOD[1:13].lower() + GOOD[13:],
        b"\x02 010007340D2\x03",  # int() accepts the space
        GOOD[:13] + b"\x04",
        ID12,
        bytes(range(256)),
        b"\x02" * 100,
    ],
)
def test_noise_is_no_tag_is_counted_and_hides_no_frame(noise: bytes) -> None:
    frames = TagFrames(END)
    assert frames.feed(noise) == []
    assert frames.feed(GOOD) == [GOOD_TAG]
    assert frames.statistics == f"1 frames, {len(noise)} stray bytes"


TAGS = st.binary(min_size=5, max_size=5).map(lambda number: number.hex().upper())
NOISE = st.one_of(
    st.binary(max_size=40),
    st.text("0123456789ABCDEF\x02\x03\r\n", max_size=40).map(str.encode),
    st.tuples(TAGS, st.integers(0, 13)).map(lambda cut: frame_of(cut[0], END)[: cut[1]]),
)


def is_frame(data: bytes) -> bool:
    """Check for a frame in another way than the product."""
    try:
        return len(data) == 14 and data == frame_of(data[1:11].decode("ascii"), END)
    except ValueError:
        return False


@given(
    st.lists(st.one_of(TAGS.map(lambda tag: frame_of(tag, END)), NOISE), max_size=12),
    st.randoms(use_true_random=False),
)
def test_in_any_noise_exactly_the_frames_are_found(pieces: list[bytes], rng: random.Random) -> None:
    stream = rest = b"".join(pieces)
    expected = [stream[i + 1 : i + 11].decode() for i in range(len(stream)) if is_frame(stream[i : i + 14])]
    frames = TagFrames(END)
    found = []
    while rest:
        cut = rng.randint(1, len(rest))
        found += frames.feed(rest[:cut])
        rest = rest[cut:]
        assert len(frames._pending) < 14
    assert found == expected
    assert frames.stray_bytes + len(frames._pending) == len(stream) - 14 * len(expected)
