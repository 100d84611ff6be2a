from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from queue import SimpleQueue
from types import ModuleType

import pytest

from reboard.devices.audio.libraries import SilentSink, open_sink
from reboard.errors import ConfigError
from tests.waiting import PATIENCE_S


@pytest.fixture(autouse=True)
def _no_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in ("alsaaudio", "sounddevice", "simpleaudio"):
        monkeypatch.setitem(sys.modules, module, None)
    sinks = [f"reboard.devices.audio.{module}" for module in ("portaudio", "simpleaudio")]
    for sink in sinks:
        sys.modules.pop(sink, None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    yield
    for sink in sinks:  # it has the test's library
        sys.modules.pop(sink, None)


@pytest.mark.parametrize(
    ("library", "cause"),
    [
        ("silent", ""),
        ("alsa", "the sound library alsa cannot be used here"),
        ("sounddevice", "the sound library sounddevice cannot be used here"),
        ("aplay", "apt install alsa-utils"),
        (None, "apt install"),
        ("simpleaudio", "install the Python package simpleaudio-patched"),
    ],
)
def test_a_library_that_cannot_be_used_is_a_silent_sink_with_one_fault(library: str | None, cause: str) -> None:
    reports: list[str | None] = []
    sink = open_sink(library, None)
    assert isinstance(sink, SilentSink)
    sink.start(lambda _: None, reports.append)
    sink.wake()
    sink.close()
    [report] = reports
    assert cause in str(report) if cause else report is None


def test_an_unknown_name_is_rejected_with_all_names_and_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"'asla'.*one of alsa, aplay, .*, silent \(nearest: alsa\)"):
        open_sink("asla", None)


def test_alsa_is_preferred_to_aplay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/aplay")
    assert open_sink(None, "plughw:1").description == "aplay on ALSA device plughw:1"
    alsaaudio = ModuleType("alsaaudio")
    alsaaudio.PCM = type("PCM", (), {"info": None})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "alsaaudio", alsaaudio)
    assert open_sink(None, None).description == "ALSA device default"
    del alsaaudio.PCM.info
    assert open_sink(None, None).description == "aplay on ALSA device default", "pyalsaaudio is too old"


@pytest.mark.realtime
def test_simpleaudio_reports_a_device_that_fails_with_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_buffer(*_: object) -> None:
        raise RuntimeError("the card is gone")

    library = ModuleType("simpleaudio")
    vars(library).update(play_buffer=play_buffer, stop_all=lambda: None)
    monkeypatch.setitem(sys.modules, "simpleaudio", library)
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1.2.0")
    monkeypatch.setattr("reboard.devices.audio.alsa.hangs", lambda _: False)
    reports: SimpleQueue[str | None] = SimpleQueue()
    sink = open_sink("simpleaudio", None)
    sink.start(lambda _: None, reports.put)
    assert "the card is gone" in str(reports.get(timeout=PATIENCE_S))
    sink.close()
