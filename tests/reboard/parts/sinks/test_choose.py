from __future__ import annotations

import shutil
import sys

import pytest

from reboard.errors import ConfigError
from reboard.parts.sinks.choose import BEST_FIRST, open_sink
from reboard.parts.sinks.silent import SilentSink


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    for module in ("alsa", "portaudio", "one_shot"):
        monkeypatch.delitem(sys.modules, f"reboard.parts.sinks.{module}", raising=False)


def causes(library: str | None) -> list[str | None]:
    reports: list[str | None] = []
    sink = open_sink(library, None)
    assert isinstance(sink, SilentSink)
    sink.start(lambda _: None, reports.append)
    sink.wake()
    sink.close()
    return reports


def test_a_name_that_is_none_is_answered_with_all_that_are_and_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"'asla'.*one of alsa, aplay, .*, silent \(nearest: alsa\)"):
        open_sink("asla", None)


def test_silence_can_be_chosen_and_is_no_fault() -> None:
    assert causes("silent") == []


def test_a_library_that_is_named_but_not_installed_is_silence_and_a_fault_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without(monkeypatch, "alsaaudio")
    [cause] = causes("alsa")
    assert cause
    assert cause.startswith("the sound library alsa cannot be used here: ")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="simpleaudio works up to Python 3.11")
def test_simpleaudio_is_refused_where_it_would_crash_python() -> None:
    [cause] = causes("simpleaudio")
    assert cause
    assert "crashes Python 3.12" in cause


def test_a_machine_with_nothing_to_play_on_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "alsaaudio", "sounddevice")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    [cause] = causes(None)
    assert cause
    assert "apt install" in cause


def test_aplay_serves_where_no_library_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "alsaaudio", "sounddevice")
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/aplay")
    assert open_sink(None, "plughw:1").description == "aplay on ALSA device plughw:1"


def test_the_best_is_tried_first() -> None:
    pytest.importorskip("alsaaudio", reason="pyalsaaudio is not installed", exc_type=ImportError)
    assert BEST_FIRST[0] == "alsa"
    assert open_sink(None, None).description == "ALSA device default"
