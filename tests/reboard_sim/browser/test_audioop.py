"""The stand-in for audioop against the C module: the same bytes for any samples."""

import audioop
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from reboard_sim.browser import audioop as ours

SAMPLES = st.lists(st.integers(-0x8000, 0x7FFF), max_size=30).map(
    lambda samples: b"".join(sample.to_bytes(2, "little", signed=True) for sample in samples)
)


@given(SAMPLES, SAMPLES)
def test_add(one: bytes, other: bytes) -> None:
    size = min(len(one), len(other))
    assert ours.add(one[:size], other[:size], 2) == audioop.add(one[:size], other[:size], 2)


@given(SAMPLES, st.floats(0, 4))
@example(b"\xff\x7f\x01\x80", 0.1)
def test_mul(samples: bytes, factor: float) -> None:
    assert ours.mul(samples, 2, factor) == audioop.mul(samples, 2, factor)


@given(SAMPLES.filter(bool))
def test_minmax(samples: bytes) -> None:
    assert ours.minmax(samples, 2) == audioop.minmax(samples, 2)


@given(st.binary(max_size=48), st.sampled_from((1, 2, 3, 4)), st.sampled_from((1, 2, 3, 4)))
def test_the_samples_of_a_program(data: bytes, width: int, new_width: int) -> None:
    data = data[: len(data) // (2 * width) * 2 * width]
    assert ours.bias(data, 1, -128) == audioop.bias(data, 1, -128)
    assert ours.tomono(data, width, 0.5, 0.5) == audioop.tomono(data, width, 0.5, 0.5)
    assert ours.lin2lin(data, width, new_width) == audioop.lin2lin(data, width, new_width)


@given(st.lists(SAMPLES, max_size=3), st.sampled_from((8000, 11025, 22050, 44100, 48000, 96000)))
def test_ratecv(pieces: list[bytes], rate_hz: int) -> None:
    state: Any = None
    same_state: Any = None
    for samples in pieces:
        made, state = ours.ratecv(samples, 2, 1, rate_hz, 48000, state)
        same, same_state = audioop.ratecv(samples, 2, 1, rate_hz, 48000, same_state)
        assert made == same
