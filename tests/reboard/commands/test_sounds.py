"""``reboard sounds play``, on a made-up aplay."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reboard.cli import main
from reboard.devices.audio import aplay

pytestmark = pytest.mark.realtime

OPENS = "sys.stderr.write('  buffer_size  : 1440\\n'); sys.stderr.flush()"
PLAYS = "for _ in iter(lambda: sys.stdin.buffer.read(480), b''): time.sleep(0.005)"


@pytest.mark.parametrize(
    ("script", "setting", "why"),
    [
        (f"{OPENS}\n{PLAYS}", "", ""),
        ("sys.exit('audio open error: Device or resource busy')", "", "Device or resource busy"),
        ("signal.pause()", "", "does not answer"),
        (f"{OPENS}\nsys.stdin.buffer.read(4800)\nsignal.pause()", "", "does not answer"),
        (f"{OPENS}\nsys.stdin.buffer.read(4800)", "", "aplay has exited"),
        ("", "volume = 0", "makes the table silent"),
    ],
    ids=["plays", "busy", "hangs when it opens", "hangs when it plays", "ends early", "volume 0"],
)
def test_a_sound_that_is_not_heard_is_an_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    script: str,
    setting: str,
    why: str,
) -> None:
    program = tmp_path / "aplay"
    program.write_text(f"#!{sys.executable}\nimport signal, sys, time\n{script}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for limit in ("OPENING_S", "STALLED_S"):
        monkeypatch.setattr(aplay, limit, 1.0 if "pause" in script else 10.0)
    config = tmp_path / "table.toml"
    config.write_text(f'[block]\nbutton = 17\n[speaker]\nlibrary = "aplay"\n{setting}\n')
    assert main(["sounds", "play", "coin", "-c", str(config)]) == bool(why)
    said = capsys.readouterr().err
    assert why in said
    assert bool(said) == bool(why)
