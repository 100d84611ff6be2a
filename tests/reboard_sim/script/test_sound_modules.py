"""The sound libraries for programs, on the virtual sound card."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
import wave
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.script.modules.installed import libraries
from reboard_sim.script.modules.machine import Machine
from reboard_sim.virtual_time import run

Heard = Callable[[float, float], bool]

RATE_HZ = 44_100
TONE = (np.sin(np.arange(RATE_HZ) / 20) * 20_000).astype("<i2")
"""A tone of a second."""


@pytest.fixture
def tone(tmp_path: Path) -> str:
    file = str(tmp_path / "tone.wav")
    with wave.open(file, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(RATE_HZ)
        wav.writeframes(TONE.tobytes())
    return file


@pytest.fixture
def at_the_card(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Heard], Awaitable[None]]], None]:
    """Carries out a test on a loop in virtual time, whose clock the libraries read."""

    def carry_out(test: Callable[[Heard], Awaitable[None]]) -> None:
        async def main() -> None:
            card = VirtualSoundCard()
            now = asyncio.get_running_loop().time
            monkeypatch.setattr(time, "monotonic", now)
            with libraries(Machine(VirtualBoard(now, Random(1)), card)):
                await test(card.heard_between)
            monkeypatch.undo()
            card.close()

        run(main)

    return carry_out


def test_simpleaudio_plays_a_file_and_a_buffer(at_the_card: Any, tone: str) -> None:
    async def test(heard: Heard) -> None:
        import simpleaudio

        playing = simpleaudio.WaveObject.from_wave_file(tone).play()
        await asyncio.sleep(0.9)
        assert playing.is_playing()
        await asyncio.sleep(0.2)
        assert not playing.is_playing()
        assert heard(0.9, 1)
        assert not heard(1.1, 2)
        await asyncio.sleep(1)
        simpleaudio.play_buffer(TONE.repeat(2), 2, 2, RATE_HZ)
        await asyncio.sleep(0.5)
        simpleaudio.stop_all()
        await asyncio.sleep(1)
        assert heard(2.2, 2.5)
        assert not heard(2.7, 3.5)
        with pytest.raises(ValueError, match="Weird sample rates"):
            simpleaudio.play_buffer(TONE, 1, 2, 12345)
        with pytest.raises(AttributeError, match="has no load: use WaveObject"):
            simpleaudio.load(tone)

    at_the_card(test)


@pytest.mark.parametrize("array", [TONE / 32768, TONE, np.column_stack([TONE, TONE]), (TONE // 256 + 128).astype("u1")])
def test_sounddevice_plays_an_array(at_the_card: Any, array: Any) -> None:
    async def test(heard: Heard) -> None:
        import sounddevice

        sounddevice.play(array, RATE_HZ)
        await asyncio.sleep(2)
        assert heard(0.9, 1)
        assert not heard(1.1, 2)
        with pytest.raises(sounddevice.PortAudioError, match="no microphone"):
            sounddevice.rec(1000)

    at_the_card(test)


def test_aplay_plays_a_file(at_the_card: Any, tone: str, capfd: pytest.CaptureFixture[str]) -> None:
    def start() -> Any:
        process = subprocess.Popen(["aplay", "-q", "-D", "plughw:1,0", tone])
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0)
        return process

    def start_others() -> None:
        assert os.system(f"aplay -q {tone} >/dev/null 2>&1 &") == 0
        assert subprocess.run("aplay missing.wav", shell=True).returncode == 1
        assert os.system("exit 3; aplay {tone}") == 3 << 8
        assert subprocess.check_output(["echo", "real"]) == b"real\n"

    async def test(heard: Heard) -> None:
        process = start()
        await asyncio.sleep(1.1)
        assert process.poll() == 0
        assert heard(0.9, 1)
        start_others()
        await asyncio.sleep(0.5)
        assert heard(1.3, 1.5)

    at_the_card(test)
    assert capfd.readouterr().err == "aplay: missing.wav: No such file or directory\n"


def test_sounds_of_several_libraries_are_mixed(at_the_card: Any, tone: str) -> None:
    def start() -> None:
        subprocess.Popen(["aplay", tone])

    async def test(heard: Heard) -> None:
        import simpleaudio

        first = simpleaudio.WaveObject.from_wave_file(tone)
        first.play()
        await asyncio.sleep(2)
        start()
        await asyncio.sleep(2)
        first.play()
        await asyncio.sleep(1)
        assert heard(0.1, 0.9)
        assert heard(2.1, 2.9)
        assert heard(4.1, 4.9)

    at_the_card(test)
