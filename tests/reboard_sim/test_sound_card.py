from __future__ import annotations

import asyncio
import struct
import wave
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.virtual_time import run

RATE_HZ = 48_000
LOUD = struct.pack("<h", 1000)
SILENT = struct.pack("<h", 0)


class Mixer:
    """Loud samples, for so long."""

    def __init__(self) -> None:
        self.pulled_at: list[float] = []
        self.reports: list[tuple[float, str | None]] = []
        self._left = 0
        self._loop = asyncio.get_running_loop()

    def play(self, seconds: float) -> None:
        self._left = round(seconds * RATE_HZ)

    def pull(self, count: int) -> bytes | None:
        self.pulled_at.append(round(self._loop.time(), 6))
        if self._left <= 0:
            return None
        heard = min(self._left, count)
        self._left -= heard
        return LOUD * heard + SILENT * (count - heard)

    def report(self, cause: str | None) -> None:
        self.reports.append((round(self._loop.time(), 3), cause))


Story = Callable[[VirtualSoundCard, Mixer], Awaitable[None]]


def with_card(story: Story) -> Mixer:
    async def main() -> Mixer:
        card, mixer = VirtualSoundCard(keep_s=60), Mixer()
        card.start(mixer.pull, mixer.report)
        await story(card, mixer)
        card.close()
        return mixer

    mixer: Mixer = run(main)
    return mixer


def test_a_wav_has_each_sound_at_its_time(tmp_path: Path) -> None:
    async def story(card: VirtualSoundCard, mixer: Mixer) -> None:
        for at in (1.0, 2.5):
            await asyncio.sleep(at - asyncio.get_running_loop().time())
            mixer.play(0.1)
            card.wake()
        await asyncio.sleep(1)
        card.write_wav(tmp_path / "all.wav", 4)
        card.write_wav(tmp_path / "cut.wav", 2.55)

    with_card(story)
    sound = LOUD * round(0.1 * RATE_HZ)

    def silence(seconds: float) -> bytes:
        return SILENT * round(seconds * RATE_HZ)

    assert samples_of(tmp_path / "all.wav") == silence(1) + sound + silence(1.4) + sound + silence(1.4)
    assert samples_of(tmp_path / "cut.wav") == silence(1) + sound + silence(1.4) + sound[: len(sound) // 2]


def samples_of(file: Path) -> bytes:
    with wave.open(str(file)) as wav:
        assert (wav.getnchannels(), wav.getsampwidth(), wav.getframerate()) == (1, 2, RATE_HZ)
        samples: bytes = wav.readframes(wav.getnframes())
        return samples


def test_an_unplugged_card_is_reported_once_and_keeps_its_rate_until_it_is_back() -> None:
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
    assert cause
    assert nothing is None
    assert found_at == pytest.approx(5.02 + 1 + 2 + 4 + 8 + 10, abs=0.03)
    assert len(mixer.pulled_at) == 3001
