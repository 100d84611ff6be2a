from __future__ import annotations

import shutil
import sys
from types import ModuleType

import pytest

from reboard.devices.audio.libraries import SilentSink, open_sink
from reboard.errors import ConfigError


@pytest.fixture(autouse=True)
def _no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("alsaaudio", "sounddevice"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "reboard.devices.audio.portaudio", raising=False)
    monkeypatch.setattr(shutil, "which", lambda _: None)


@pytest.mark.parametrize(
    ("library", "cause"),
    [
        ("silent", None),
        ("alsa", "the sound library alsa cannot be used here"),
        ("sounddevice", "the sound library sounddevice cannot be used here"),
        ("aplay", "apt install alsa-utils"),
        (None, "apt install"),
        pytest.param(
            "simpleaudio",
            "crashes Python 3.12",
            marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="simpleaudio works up to Python 3.11"),
        ),
    ],
)
def test_a_library_that_cannot_be_used_is_a_silent_sink_with_one_fault(library: str | None, cause: str | None) -> None:
    reports: list[str | None] = []
    sink = open_sink(library, None)
    assert isinstance(sink, SilentSink)
    sink.start(lambda _: None, reports.append)
    sink.wake()
    sink.close()
    assert len(reports) == (cause is not None)
    assert cause is None or cause in str(reports[0])


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
