from __future__ import annotations

import sys
from types import ModuleType

import pytest

from reboard.parts.sinks.alsa_mixer import MixerControl, card_of, mixer


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
def test_the_card_behind_a_device_is_known_by_its_name_for_mixers(device: str | None, card: str) -> None:
    assert card_of(device) == card


class FakeControl:
    """A control as pyalsaaudio has it; *kind* is what the control can do."""

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

    class ALSAAudioError(Exception):
        pass

    def __init__(self, controls: dict[str, FakeControl]) -> None:
        super().__init__("alsaaudio")
        self.controls = controls

    def mixers(self, *, device: str) -> list[str]:
        if device != "hw:1":
            raise self.ALSAAudioError(f"Invalid card {device}")
        return [*self.controls, *self.controls]

    def Mixer(self, name: str, *, device: str) -> FakeControl:  # noqa: N802 - pyalsaaudio's own name
        return self.controls[name]


def with_controls(monkeypatch: pytest.MonkeyPatch, **controls: FakeControl) -> None:
    monkeypatch.setitem(sys.modules, "alsaaudio", FakeAlsa(controls))


def test_each_control_that_turns_sound_down_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with_controls(
        monkeypatch,
        PCM=FakeControl([70, 80], "Playback Volume", [0, 0]),
        Headphone=FakeControl([12], "Volume", None),
        Mic=FakeControl([90], "Capture Volume", None),
        Loopback=FakeControl([], "", None),
    )
    assert mixer("plughw:1,0") == [
        MixerControl("PCM", 80, is_muted=False),
        MixerControl("Headphone", 12, is_muted=False),
    ]


def test_a_control_is_muted_when_all_its_channels_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with_controls(
        monkeypatch,
        PCM=FakeControl([80, 80], "Playback Volume", [1, 0]),
        Speaker=FakeControl([80, 80], "Playback Volume", [1, 1]),
    )
    assert [control.is_muted for control in mixer("hw:1")] == [False, True]


def test_a_card_that_is_not_there_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with_controls(monkeypatch)
    assert mixer("plughw:7") == []


def test_without_pyalsaaudio_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "alsaaudio", None)
    assert mixer(None) == []
