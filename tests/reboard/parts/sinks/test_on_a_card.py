"""Every sink that this machine has, on a card made of software that takes samples at the speed of life."""

from __future__ import annotations

import audioop
import queue
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.paced_card import CannotBuildError, PacedCard
from reboard.board import RATE_HZ, Sink
from reboard.parts.mixer import Mixer
from reboard.parts.sinks import streaming
from reboard.parts.sinks.choose import open_sink
from reboard.parts.sinks.silent import SilentSink
from reboard.sounds import SoundSet
from tests.listening import count_onsets

pytestmark = pytest.mark.realtime

SOUNDS = SoundSet.built_in()
PATIENCE_S = 10.0


@pytest.fixture
def card(tmp_path: Path) -> Iterator[PacedCard]:
    try:
        card = PacedCard(tmp_path)
    except CannotBuildError as missing:
        pytest.skip(str(missing))
    with card:
        yield card


@pytest.fixture(params=["alsa", "aplay", "sounddevice", "simpleaudio"])
def sink(card: PacedCard, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sink]:
    monkeypatch.setattr(streaming, "FIRST_PAUSE_S", 0.1)
    sink = open_sink(request.param, None)
    if isinstance(sink, SilentSink):
        pytest.skip(f"{request.param} is not installed, or does not work with this Python")
    yield sink
    sink.close()


@pytest.fixture
def clumsy_card(tmp_path: Path) -> Iterator[PacedCard]:
    """A card that insists on a buffer of 4 × 1024 samples (85 ms) and more."""
    try:
        card = PacedCard(tmp_path, period_frames=1024)
    except CannotBuildError as missing:
        pytest.skip(str(missing))
    with card:
        yield card


def wait_for_sounds(card: PacedCard, count: int) -> None:
    given_up_at = time.monotonic() + PATIENCE_S
    while len(card.sounds) < count:
        assert time.monotonic() < given_up_at, f"{len(card.sounds)} sounds came, not {count}"
        time.sleep(0.01)


def test_every_ping_is_really_played(sink: Sink, card: PacedCard) -> None:
    mixer = Mixer(4)
    sink.start(mixer.pull, lambda _: None)
    for _ in range(4):
        mixer.add(SOUNDS["coin"].samples)
        sink.wake()
        time.sleep(0.4)
    time.sleep(SOUNDS["coin"].seconds + 0.5)
    sink.close()
    assert count_onsets(card.samples) == 4


@pytest.mark.parametrize("sink", ["alsa"], indirect=True)
def test_what_is_played_is_what_was_mixed_sample_for_sample(sink: Sink, card: PacedCard) -> None:
    mixer = Mixer(4)
    sink.start(mixer.pull, lambda _: None)
    mixer.add(SOUNDS["salary"].samples)
    sink.wake()
    wait_for_sounds(card, 1)
    time.sleep(SOUNDS["salary"].seconds + 1.0)
    sink.close()
    # a busy machine may leave gaps in time (underruns), but must lose or repeat no sample
    assert SOUNDS["salary"].samples.rstrip(b"\0") in card.samples


@pytest.mark.parametrize("library", ["alsa", "aplay", "sounddevice"])
def test_a_sound_is_heard_to_its_end_on_a_card_that_insists_on_a_large_buffer(
    clumsy_card: PacedCard, library: str
) -> None:
    sink = open_sink(library, None)
    if isinstance(sink, SilentSink):
        pytest.skip(f"{library} is not installed")
    mixer = Mixer(4)
    sink.start(mixer.pull, lambda _: None)
    for _ in range(2):
        mixer.add(b"\0\x40" * (RATE_HZ // 5))
        sink.wake()
        time.sleep(1.5)  # a busy machine takes its time to start a player
    sink.close()
    assert clumsy_card.samples.count(b"\0\x40") == 2 * (RATE_HZ // 5)


def test_a_card_pulled_out_is_told_and_one_put_back_is_heard(sink: Sink, card: PacedCard) -> None:
    mixer, reports = Mixer(4), queue.Queue[str | None]()
    sink.start(mixer.pull, reports.put)
    mixer.add(SOUNDS["key"].samples)
    sink.wake()
    wait_for_sounds(card, 1)
    time.sleep(0.3)
    card.pull_out()
    mixer.add(SOUNDS["key"].samples)
    sink.wake()
    cause = reports.get(timeout=PATIENCE_S)
    assert cause
    assert "is it plugged in" in cause
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.1
    card.put_back()
    given_up_at = time.monotonic() + PATIENCE_S
    while reports.empty():
        assert time.monotonic() < given_up_at
        mixer.add(audioop.mul(SOUNDS["volume"].samples, 2, 0.5))
        sink.wake()
        time.sleep(0.2)
    assert reports.get() is None
    wait_for_sounds(card, 2)


@pytest.mark.parametrize("sink", ["alsa", "aplay", "sounddevice"], indirect=True)
def test_a_table_without_a_card_says_so_at_once(sink: Sink, card: PacedCard) -> None:
    card.pull_out()
    reports = queue.Queue[str | None]()
    sink.start(Mixer(4).pull, reports.put)
    cause = reports.get(timeout=PATIENCE_S)
    assert cause
    assert sink.description in cause


def test_a_device_that_takes_no_single_channel_is_refused_with_the_name_of_one_that_does(card: PacedCard) -> None:
    pytest.importorskip("alsaaudio", reason="pyalsaaudio is not installed", exc_type=ImportError)
    both = "bindings { 0 { slave a channel 0 } 1 { slave a channel 1 } }"
    stereo = f'pcm.stereo {{ type multi slaves.a {{ pcm "null" channels 2 }} {both} }}'
    card.config.write_text(card.config.read_text("utf-8") + stereo, "utf-8")
    reports = queue.Queue[str | None]()
    sink = open_sink("alsa", "stereo")
    sink.start(Mixer(4).pull, reports.put)
    cause = reports.get(timeout=PATIENCE_S)
    sink.close()
    assert cause
    assert "plughw" in cause
