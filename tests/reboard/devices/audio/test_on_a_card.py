"""The sinks of this machine, on a virtual sound card that takes samples at the real rate."""

from __future__ import annotations

import audioop
import queue
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reboard.board import RATE_HZ, Sink
from reboard.devices.audio import alsa, aplay, streaming
from reboard.devices.audio.libraries import LIBRARIES, SilentSink, open_sink
from reboard.devices.audio.mixer import Mixer
from reboard.sounds import SoundSet
from tests.listening import count_onsets
from tests.paced_card import CannotBuildError, PacedCard
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

SOUNDS = SoundSet.built_in()
STREAMING = [name for name, library in LIBRARIES.items() if not library.opens_each_sound]


@pytest.fixture
def card(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[PacedCard]:
    try:
        card = PacedCard(tmp_path, period_frames=getattr(request, "param", 64))
    except CannotBuildError as missing:
        pytest.skip(str(missing))
    with card:
        yield card


@pytest.fixture(params=LIBRARIES)
def sink(card: PacedCard, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sink]:
    monkeypatch.setattr(streaming, "FIRST_PAUSE_S", 0.1)
    sink = open_sink(request.param, None)
    if isinstance(sink, SilentSink):
        pytest.skip(f"{request.param} is not installed, or does not work with this Python")
    yield sink
    sink.close()


def start(sink: Sink, mixer: Mixer) -> queue.Queue[str | None]:
    """Start *sink*, wait until it has opened the card, and return its later reports."""
    reports = queue.Queue[str | None]()
    sink.start(mixer.pull, reports.put)
    assert reports.get(timeout=PATIENCE_S) is None
    return reports


def wait_for_sounds(card: PacedCard, count: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while len(card.sounds) < count:
        assert time.monotonic() < deadline, f"{len(card.sounds)} sounds instead of {count}"
        time.sleep(0.01)


def test_each_sound_is_heard(sink: Sink, card: PacedCard) -> None:
    mixer = Mixer(4)
    start(sink, mixer)
    for _ in range(4):
        mixer.add(SOUNDS["coin"].samples)
        sink.wake()
        time.sleep(0.4)
    time.sleep(SOUNDS["coin"].seconds + 0.5)
    sink.close()
    assert count_onsets(card.samples) == 4


@pytest.mark.parametrize("card", [1024], indirect=True)  # its smallest buffer has 4 × 1024 samples, 85 ms
@pytest.mark.parametrize("sink", STREAMING, indirect=True)
def test_a_sound_is_heard_to_its_end_on_a_card_with_a_large_buffer(sink: Sink, card: PacedCard) -> None:
    mixer = Mixer(4)
    start(sink, mixer)
    for _ in range(2):
        mixer.add(b"\0\x40" * (RATE_HZ // 5))
        sink.wake()
        time.sleep(1.5)  # a busy machine takes its time to start a player
    sink.close()
    assert card.samples.count(b"\0\x40") == 2 * (RATE_HZ // 5)


def test_a_card_that_hangs_is_a_fault_and_does_not_stop_python(
    sink: Sink, card: PacedCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((alsa, "OPENING_S"), (aplay, "OPENING_S"), (streaming, "HANGING_S")):
        monkeypatch.setattr(module, name, 0.5)
    mixer, reports = Mixer(4), queue.Queue[str | None]()
    card.hang()
    sink.start(mixer.pull, reports.put)
    last, longest_s = time.monotonic(), 0.0
    deadline = last + PATIENCE_S
    while reports.empty() and last < deadline:
        time.sleep(0.01)
        now = time.monotonic()
        last, longest_s = now, max(longest_s, now - last)
    assert "does not answer" in str(reports.get(timeout=0))
    assert longest_s < 0.3
    card.answer()
    while reports.empty():
        assert time.monotonic() < deadline + PATIENCE_S
        mixer.add(SOUNDS["key"].samples)
        sink.wake()
        time.sleep(0.2)
    assert reports.get() is None
    wait_for_sounds(card, 1)


def test_an_unplugged_card_is_reported_and_used_again_when_it_is_back(sink: Sink, card: PacedCard) -> None:
    mixer = Mixer(4)
    reports = start(sink, mixer)
    mixer.add(SOUNDS["key"].samples)
    sink.wake()
    wait_for_sounds(card, 1)
    time.sleep(0.3)
    card.pull_out()
    mixer.add(SOUNDS["key"].samples)
    sink.wake()
    cause = reports.get(timeout=PATIENCE_S)
    assert cause
    assert "check that it is plugged in" in cause
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.1
    card.put_back()
    deadline = time.monotonic() + PATIENCE_S
    while reports.empty():
        assert time.monotonic() < deadline
        mixer.add(audioop.mul(SOUNDS["volume"].samples, 2, 0.5))
        sink.wake()
        time.sleep(0.2)
    assert reports.get() is None
    wait_for_sounds(card, 2)
