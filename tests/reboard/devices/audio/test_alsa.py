"""ALSA's streams and volume controls, on a made-up pyalsaaudio."""

from __future__ import annotations

import errno
import sys
from types import ModuleType
from typing import Any

import pytest

from reboard.board import MixerControl
from reboard.devices.audio.alsa import Alsa, card_of, mixer_controls
from reboard.devices.audio.streaming import BLOCK_FRAMES
from reboard.errors import DeviceError

BLOCK = bytes(2 * BLOCK_FRAMES)


class Control:
    """A control of a card; *kind* is what it can do."""

    def __init__(self, volumes: list[int], kind: str, muted: list[int] | None) -> None:
        self.volumes, self.kind, self.muted = volumes, kind, muted

    def volumecap(self) -> list[str]:
        return [self.kind] if self.kind else []

    def switchcap(self) -> list[str]:
        return ["Playback Mute"] if self.muted else []

    def getvolume(self) -> list[int]:
        return self.volumes

    def getmute(self) -> list[int]:
        assert self.muted, "a control without a switch raises"
        return self.muted


class FakeAlsa(ModuleType):
    """pyalsaaudio on a machine with one card, ``hw:1``."""

    PCM_FORMAT_S16_LE = 2

    class ALSAAudioError(Exception):
        pass

    class PCM:
        """A device; *written* is what its next writes return or raise."""

        written: list[int | Exception] = []  # noqa: RUF012
        fails_to: set[str] = set()  # noqa: RUF012
        channels = 1
        calls: list[str] = []  # noqa: RUF012

        def __init__(self, **_: object) -> None:
            self._call("open")

        def info(self) -> dict[str, Any]:
            self._call("info")
            return {"rate": 48_000, "channels": self.channels, "format": 2, "buffer_size": 1440}

        def write(self, samples: bytes) -> int:
            self._call("write")
            written = self.written.pop(0) if self.written else len(samples) // 2
            if isinstance(written, Exception):
                raise written
            return written

        def drop(self) -> None:
            self._call("drop")

        def close(self) -> None:
            self._call("close")

        def _call(self, name: str) -> None:
            self.calls.append(name)
            if name in self.fails_to:
                raise FakeAlsa.ALSAAudioError("No such device [default]")

    def __init__(self) -> None:
        super().__init__("alsaaudio")
        self.controls: dict[str, Control] = {}
        self.PCM = type("PCM", (FakeAlsa.PCM,), {"calls": [], "written": [], "fails_to": set()})  # type: ignore

    def mixers(self, *, device: str) -> list[str]:
        if device != "hw:1":
            raise self.ALSAAudioError(f"Invalid card {device}")
        return [*self.controls, *self.controls]

    def Mixer(self, name: str, *, device: str) -> Control:  # noqa: N802 - pyalsaaudio's own name
        return self.controls[name]


@pytest.fixture
def alsa(monkeypatch: pytest.MonkeyPatch) -> FakeAlsa:
    alsa = FakeAlsa()
    monkeypatch.setitem(sys.modules, "alsaaudio", alsa)
    return alsa


UNDERRUNS = [-errno.EPIPE, FakeAlsa.ALSAAudioError("Broken pipe [default]")]
"""From pyalsaaudio 0.11, and from 0.10, which wrote twice in vain."""


@pytest.mark.parametrize("underrun", UNDERRUNS)
def test_an_underrun_is_repaired_by_writing_again(alsa: FakeAlsa, underrun: int | Exception) -> None:
    stream = Alsa(None).open()
    assert stream.buffered_frames == 1440
    alsa.PCM.written = [underrun, 100]
    stream.write(BLOCK)
    assert alsa.PCM.calls.count("write") == 3
    alsa.PCM.written = [underrun] * 100
    with pytest.raises(DeviceError, match="accepts no samples"):
        stream.write(BLOCK)
    stream.rest()
    stream.close()
    assert alsa.PCM.calls[-2:] == ["drop", "close"]


@pytest.mark.parametrize("what", ["open", "info", "write", "drop"])
def test_each_error_of_the_library_names_the_device(alsa: FakeAlsa, what: str) -> None:
    alsa.PCM.fails_to = {what, "close"}

    def play() -> None:
        stream = Alsa("plughw:1").open()
        stream.write(BLOCK)
        stream.rest()

    with pytest.raises(DeviceError, match=r"ALSA device plughw:1 \(No such device"):
        play()
    assert ("close" in alsa.PCM.calls) == (what == "info")


def test_a_device_with_another_format_is_closed_and_plughw_is_suggested(alsa: FakeAlsa) -> None:
    alsa.PCM.channels = 2
    with pytest.raises(DeviceError, match="plughw"):
        Alsa("hw:1").open()
    assert alsa.PCM.calls[-1] == "close"


@pytest.mark.parametrize(
    ("device", "card"),
    [
        (None, "default"),
        ("default", "default"),
        ("plughw:CARD=vc4hdmi,DEV=0", "hw:vc4hdmi"),
        ("hw:1,0", "hw:1"),
        ("plughw:1", "hw:1"),
        ("sysdefault:CARD=Device", "hw:Device"),
    ],
)
def test_the_card_of_a_device_is_found_in_its_name(device: str | None, card: str) -> None:
    assert card_of(device) == card


def test_each_playback_control_of_a_card_is_listed_once(alsa: FakeAlsa, monkeypatch: pytest.MonkeyPatch) -> None:
    alsa.controls = {
        "PCM": Control([70, 80], "Playback Volume", [1, 0]),
        "Speaker": Control([50, 50], "Playback Volume", [1, 1]),
        "Headphone": Control([12], "Volume", None),
        "Mic": Control([90], "Capture Volume", None),
        "Loopback": Control([], "", None),
    }
    assert mixer_controls("plughw:1,0") == [
        MixerControl("PCM", 80, is_muted=False),
        MixerControl("Speaker", 50, is_muted=True),
        MixerControl("Headphone", 12, is_muted=False),
    ]
    assert mixer_controls("plughw:7") == []
    monkeypatch.setitem(sys.modules, "alsaaudio", None)
    assert mixer_controls(None) == []
