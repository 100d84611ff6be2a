from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.devices.readers.em4100 import RDM6300_END as END
from reboard.devices.readers.em4100 import TagFrames
from reboard_sim.devices.readers.em4100 import frame_of

GOOD = bytes.fromhex("0236324533303836434544303803")  # recorded from an RDM6300
GOOD_TAG = "62E3086CED"
OTHER = bytes.fromhex("0230313030303733344530443203")
ID12 = bytes.fromhex("023035303032303742333236430D0A03")  # recorded from an ID-12LA


ENDS = (b"\x03", b"\r\n\x03", b"\r\n", b"\n", b"\r")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("is_lower", [False, True])
def test_frames_of_every_clone_are_found_wherever_a_read_ends(is_lower: bool, end: bytes) -> None:
    stream = b"".join(frame[:13] + end for frame in (GOOD, OTHER, ID12))
    stream = stream.lower() if is_lower else stream
    for cut in range(16):
        frames = TagFrames()
        assert frames.feed(stream[:cut]) + frames.feed(stream[cut:]) == [GOOD_TAG, "01000734E0", "0500207B32"], cut
        assert (frames.frames, frames.dropped) == (3, 0)


@pytest.mark.parametrize(
    "noise",
    [
        GOOD[:11] + b"09" + GOOD[13:],
        GOOD[:5] + GOOD[6:],
        b"\x02 010007340D2\x03",  # int() accepts the space
        GOOD[:13] + b"\x04",
        bytes(range(256)),
        b"\x02" * 100,
    ],
)
def test_noise_is_no_tag_is_counted_and_hides_no_frame(noise: bytes) -> None:
    frames = TagFrames()
    assert frames.feed(noise) == []
    assert frames.feed(GOOD) == [GOOD_TAG]
    assert (frames.frames, frames.dropped) == (1, -(-len(noise.translate(None, b"\r\n\x03")) // 14))


TAGS = st.binary(min_size=5, max_size=5).map(lambda number: number.hex().upper())
NOISE = st.one_of(
    st.binary(max_size=40),
    st.text("0123456789ABCDEFabcdef\x02\x03\r\n", max_size=40).map(str.encode),
    st.tuples(TAGS, st.integers(0, 13)).map(lambda cut: frame_of(cut[0], END)[: cut[1]]),
)


def is_frame(data: bytes) -> bool:
    """Check for a frame in another way than the product."""
    try:
        return data[13:] in (b"\r", b"\n", END) and data[:13].upper() == frame_of(data[1:11].decode("ascii"), b"")
    except ValueError:
        return False


@given(
    st.lists(st.one_of(TAGS.map(lambda tag: frame_of(tag, END)), NOISE), max_size=12),
    st.randoms(use_true_random=False),
)
def test_in_any_noise_exactly_the_frames_are_found(pieces: list[bytes], rng: random.Random) -> None:
    stream = rest = b"".join(pieces)
    expected = [stream[i + 1 : i + 11].decode().upper() for i in range(len(stream)) if is_frame(stream[i : i + 14])]
    frames = TagFrames()
    found = []
    while rest:
        cut = rng.randint(1, len(rest))
        found += frames.feed(rest[:cut])
        rest = rest[cut:]
        assert len(frames._pending) < 14
    assert found == expected
    done = stream.removesuffix(frames._pending)
    assert frames.stray_bytes == len(done.translate(None, b"\r\n\x03")) - 13 * len(expected)
