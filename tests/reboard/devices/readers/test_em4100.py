from __future__ import annotations

import random
from functools import reduce
from operator import xor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.devices.readers.em4100 import FRAME, FrameFormat, TagFrames
from reboard.devices.readers.em4100 import RDM6300_END as END
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
FORMATS = [FRAME, FrameFormat(b"\x02K", lambda tag: sum(tag) % 256)]


def pieces_of(frame: FrameFormat) -> st.SearchStrategy[list[bytes]]:
    """Return a strategy for frames and noise."""
    frames = TAGS.map(lambda tag: frame_of(tag, END, frame))
    digits = st.text("0123456789ABCDEFabcdef\x02\x03\r\nK", max_size=40).map(str.encode)
    cut = st.tuples(frames, st.integers(0, frame.size - 1)).map(lambda cut: cut[0][: cut[1]])
    return st.lists(st.one_of(frames, st.binary(max_size=40), digits, cut), max_size=12)


def is_frame(data: bytes, frame: FrameFormat) -> bool:
    """Check for a frame in another way than the product."""
    begin, tag, checksum, end = data[:-13], data[-13:-3], data[-3:-1], data[-1:]
    try:
        numbers = bytes.fromhex(tag.decode("ascii"))
        expected = sum(numbers) % 256 if frame.start.endswith(b"K") else reduce(xor, numbers)
        right = f"{tag.decode()}{expected:02X}".encode().upper()
        return (begin, (tag + checksum).upper()) == (frame.start, right) and end in (b"\r", b"\n", END)
    except ValueError:
        return False


@given(
    st.sampled_from(FORMATS).flatmap(lambda frame: st.tuples(st.just(frame), pieces_of(frame))),
    st.randoms(use_true_random=False),
)
def test_in_any_noise_exactly_the_frames_are_found(sent: tuple[FrameFormat, list[bytes]], rng: random.Random) -> None:
    frame, pieces = sent
    stream = rest = b"".join(pieces)
    ends = range(frame.size, len(stream) + 1)
    expected = [stream[i - 13 : i - 3].decode().upper() for i in ends if is_frame(stream[i - frame.size : i], frame)]
    frames = TagFrames(frame)
    found = []
    while rest:
        cut = rng.randint(1, len(rest))
        found += frames.feed(rest[:cut])
        rest = rest[cut:]
        assert len(frames._pending) < frame.size
    assert found == expected
    done = stream.removesuffix(frames._pending)
    assert frames.stray_bytes == len(done.translate(None, b"\r\n\x03")) - (frame.size - 1) * len(expected)
