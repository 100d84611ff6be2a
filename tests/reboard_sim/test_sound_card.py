from __future__ import annotations

import asyncio
import io
import struct
import threading
import wave
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reboard_sim.sound_card import Recording, VirtualSoundCard
from reboard_sim.virtual_time import run

RATE_HZ = 48_000
LOUD = struct.pack("<h", 1000)
SILENT = struct.pack("<h", 0)


class Mixer:
    """Something to play: samples of one kind, for so long."""

    def __init__(self) -> None:
        self.pulled_at: list[float] = []
        self.reports: list[tuple[float, str | None]] = []
        self._left = 0
        self._sample = LOUD
        self._loop = asyncio.get_running_loop()

    def play(self, seconds: float, sample: bytes = LOUD) -> None:
        self._left = round(seconds * RATE_HZ)
        self._sample = sample

    def pull(self, count: int) -> bytes | None:
        self.pulled_at.append(round(self._loop.time(), 6))
        if self._left <= 0:
            return None
        heard = min(self._left, count)
        self._left -= heard
        return self._sample * heard + SILENT * (count - heard)

    def report(self, cause: str | None) -> None:
        self.reports.append((round(self._loop.time(), 3), cause))


Story = Callable[[VirtualSoundCard, Mixer], Awaitable[None]]


def with_card(story: Story, keep_s: float = 60, start: bool = True) -> Mixer:
    async def main() -> Mixer:
        card, mixer = VirtualSoundCard(keep_s=keep_s), Mixer()
        if start:
            card.start(mixer.pull, mixer.report)
        await story(card, mixer)
        card.close()
        card.close()
        return mixer

    mixer: Mixer = run(main)
    return mixer


def test_asleep_it_asks_for_nothing() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        await asyncio.sleep(3600)

    mixer = with_card(story)
    assert mixer.pulled_at == []
    assert mixer.reports == []


def test_awake_it_takes_twenty_milliseconds_every_twenty_until_there_is_no_more() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        await asyncio.sleep(1)
        mixer.play(0.1)
        card.wake()
        card.wake()
        await asyncio.sleep(0.05)
        card.wake()
        await asyncio.sleep(10)

    assert with_card(story).pulled_at == [1, 1.02, 1.04, 1.06, 1.08, 1.1]


def test_it_wakes_as_often_as_it_is_woken_and_from_any_thread() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        asyncio.get_running_loop().set_debug(True)  # it then insists on being called in the right way
        for _ in range(3):
            mixer.play(0.02)
            thread = threading.Thread(target=card.wake)
            thread.start()
            thread.join()
            await asyncio.sleep(1)

    assert with_card(story).pulled_at == [0, 0.02, 1, 1.02, 2, 2.02]


def test_what_was_heard_is_known_to_the_sample() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        await asyncio.sleep(1)
        mixer.play(0.105)
        card.wake()
        await asyncio.sleep(5)
        sample = 1 / RATE_HZ
        assert card.heard_between(0, 10)
        assert card.heard_between(1.04, 1.05)
        assert not card.heard_between(0, 1)
        assert card.heard_between(1, 1 + sample)
        assert card.heard_between(1.105 - sample, 1.105)
        assert not card.heard_between(1.105, 10)

    with_card(story)


def test_silence_is_taken_and_not_heard() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        blocks: list[tuple[float, int]] = []
        card.on_block.append(lambda t, samples: blocks.append((round(t, 6), len(samples))))
        mixer.play(0.06, SILENT)
        card.wake()
        await asyncio.sleep(1)
        assert blocks == [(0, 1920), (0.02, 1920), (0.04, 1920)]
        assert not card.heard_between(0, 1)
        assert not card._blocks, "silence needs no memory"

    with_card(story)


def test_only_the_last_seconds_are_kept() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        mixer.play(100)
        card.wake()
        await asyncio.sleep(101)
        assert not card.heard_between(0, 94.9)
        assert card.heard_between(95, 100)
        assert len(card._blocks) <= 251

    with_card(story, keep_s=5)


def test_a_wav_has_each_sound_at_its_time(tmp_path: Path) -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        for at in (1.0, 2.5):
            await asyncio.sleep(at - asyncio.get_running_loop().time())
            mixer.play(0.1)
            card.wake()
        await asyncio.sleep(1)
        card.write_wav(tmp_path / "all.wav", 4)
        card.write_wav(tmp_path / "cut.wav", 2.55)
        card.write_wav(str(tmp_path / "now.wav"))

    with_card(story)
    sound = LOUD * round(0.1 * RATE_HZ)

    def silence(seconds: float) -> bytes:
        return SILENT * round(seconds * RATE_HZ)

    assert samples_of(tmp_path / "all.wav") == silence(1) + sound + silence(1.4) + sound + silence(1.4)
    assert samples_of(tmp_path / "cut.wav") == silence(1) + sound + silence(1.4) + sound[: len(sound) // 2]
    assert len(samples_of(tmp_path / "now.wav")) == round(3.5 * RATE_HZ) * 2


def samples_of(file: Path) -> bytes:
    with wave.open(str(file)) as wav:
        assert (wav.getnchannels(), wav.getsampwidth(), wav.getframerate()) == (1, 2, RATE_HZ)
        samples: bytes = wav.readframes(wav.getnframes())
        return samples


def test_a_card_pulled_out_is_told_once_and_takes_at_the_speed_of_life_until_it_is_found_again() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        mixer.play(60)
        card.wake()
        await asyncio.sleep(5.01)
        card.unplug()
        await asyncio.sleep(20)
        card.plug()
        await asyncio.sleep(40)
        assert card.heard_between(5, 5.02)
        assert not card.heard_between(5.02, 25.01)
        assert card.heard_between(30.06, 30.08)

    mixer = with_card(story)
    [(lost_at, cause), (found_at, nothing)] = mixer.reports
    assert lost_at == 5.02
    assert cause == "there is no sound card: plug it in, or name another one in the config"
    assert nothing is None
    assert found_at == pytest.approx(5.02 + 1 + 2 + 4 + 8 + 10, abs=0.03)
    assert len(mixer.pulled_at) == 3001


def test_a_card_missing_at_the_start_is_told_and_looked_for_when_something_plays() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        card.unplug()
        card.start(mixer.pull, mixer.report)
        await asyncio.sleep(10)
        card.plug()
        await asyncio.sleep(10)
        assert len(mixer.reports) == 1, "nothing plays"
        mixer.play(1)
        card.wake()
        await asyncio.sleep(2)
        assert card.heard_between(20, 20.02)

    assert [t for t, _ in with_card(story, start=False).reports] == [0, 20]


def test_a_card_put_back_is_found_at_once_when_something_begins_to_play() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        card.unplug()
        mixer.play(10)
        card.wake()
        await asyncio.sleep(11)
        card.plug()
        mixer.play(1)
        card.wake()
        await asyncio.sleep(1)

    assert [t for t, _ in with_card(story).reports] == [0, 11]


def test_closed_it_asks_for_nothing_more() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        mixer.play(10)
        card.wake()
        await asyncio.sleep(0.01)
        card.close()
        card.wake()
        await asyncio.sleep(10)

    assert with_card(story).pulled_at == [0]


def test_closed_and_started_again_it_takes_no_more_than_before() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        mixer.play(0.05)
        card.wake()
        await asyncio.sleep(0.01)
        card.close()
        card.start(mixer.pull, mixer.report)
        card.wake()
        await asyncio.sleep(1)

    assert with_card(story).pulled_at == [0, 0.01, 0.03, 0.05]


def test_a_thread_that_wakes_it_when_all_is_over_does_no_harm() -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        cards.append(card)

    cards: list[VirtualSoundCard] = []
    with_card(story)
    cards[0].wake()


def test_a_recording_that_begins_or_ends_in_the_middle_of_a_block_has_the_rest_of_it() -> None:
    block = b"".join(struct.pack("<h", number) for number in range(960))
    file = io.BytesIO()
    Recording(begin=0.01, until=0.05, blocks=[(0.0, block), (0.04, block)]).write_wav(file)
    file.seek(0)
    with wave.open(file) as wav:
        assert wav.getnframes() == 0.04 * RATE_HZ
        samples = struct.unpack("<1920h", wav.readframes(1920))
    assert samples == (*range(480, 960), *([0] * 960), *range(480))
