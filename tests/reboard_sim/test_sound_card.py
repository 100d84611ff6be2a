"""The virtual sound card takes samples at its rate, keeps each at its time, and can be unplugged."""

from __future__ import annotations

import asyncio
import struct
import wave
from pathlib import Path

import pytest

from reboard_sim.board.sound_card import VirtualSoundCard
from tests.virtual import now

RATE_HZ = 48_000
LOUD = struct.pack("<h", 1000)
SILENT = struct.pack("<h", 0)


class Mixer:
    """Plays loud samples on a card."""

    def __init__(self, card: VirtualSoundCard) -> None:
        self.pulls = 0
        self.reports: list[tuple[float, str | None]] = []
        self._card = card
        self._left = 0
        card.start(self._pull, lambda cause: self.reports.append((now(), cause)))

    def play(self, seconds: float) -> None:
        self._left = round(seconds * RATE_HZ)
        self._card.wake()

    def _pull(self, count: int) -> bytes | None:
        self.pulls += 1
        if self._left <= 0:
            return None
        heard = min(self._left, count)
        self._left -= heard
        return LOUD * heard + SILENT * (count - heard)


def samples_of(file: Path) -> bytes:
    with wave.open(str(file)) as wav:
        assert (wav.getnchannels(), wav.getsampwidth(), wav.getframerate()) == (1, 2, RATE_HZ)
        samples: bytes = wav.readframes(wav.getnframes())
        return samples


async def test_a_wav_has_each_sound_at_its_time(tmp_path: Path) -> None:
    card = VirtualSoundCard(keep_s=60)
    mixer = Mixer(card)
    for wait in (1.0, 1.5):
        await asyncio.sleep(wait)
        mixer.play(0.1)
    await asyncio.sleep(1)
    card.write_wav(tmp_path / "all.wav", 4)
    card.write_wav(tmp_path / "cut.wav", 2.55)
    card.close()
    sound = LOUD * round(0.1 * RATE_HZ)

    def silence(seconds: float) -> bytes:
        return SILENT * round(seconds * RATE_HZ)

    assert samples_of(tmp_path / "all.wav") == silence(1) + sound + silence(1.4) + sound + silence(1.4)
    assert samples_of(tmp_path / "cut.wav") == silence(1) + sound + silence(1.4) + sound[: len(sound) // 2]


async def test_an_unplugged_card_is_reported_once_and_keeps_its_rate_until_it_is_back() -> None:
    card = VirtualSoundCard(keep_s=60)
    mixer = Mixer(card)
    mixer.play(60)
    await asyncio.sleep(5.01)
    card.faults()["unplugged"](True)
    await asyncio.sleep(20)
    card.faults()["unplugged"](False)
    await asyncio.sleep(40)
    assert card.heard_between(5, 5.02)
    assert not card.heard_between(5.02, 25.01)
    assert card.heard_between(30.06, 30.08)
    [_, (lost_at, cause), (found_at, nothing)] = mixer.reports
    assert lost_at == 5.02
    assert cause
    assert nothing is None
    assert found_at == pytest.approx(5.02 + 1 + 2 + 4 + 8 + 10, abs=0.03)
    assert mixer.pulls == 3001
    card.close()
