"""aplay, on a program with its name that reads samples and prints messages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reboard.devices.audio import aplay
from reboard.devices.audio.aplay import Aplay
from reboard.devices.audio.streaming import BLOCK_FRAMES
from reboard.errors import DeviceError

pytestmark = pytest.mark.realtime

BLOCK = bytes(2 * BLOCK_FRAMES)
BLOCKS = 400
OPEN = r'sys.stderr.write("  buffer_size  : 1440\n"); sys.stderr.flush()'

UNDERRUNS = f"""
for _ in range({BLOCKS}):
    sys.stdin.buffer.read({len(BLOCK)})
    sys.stderr.write("underrun!!!" + 1000 * "." + "\\n")
    sys.stderr.flush()
open("heard", "w").close()
"""
ENDS = f"""
sys.stdin.buffer.read({len(BLOCK)})
sys.exit("aplay: the card is gone")
"""


def install(directory: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = directory / "aplay"
    program.write_text(f"#!{sys.executable}\nimport signal, sys\n{script}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(directory), prepend=":")
    monkeypatch.chdir(directory)
    monkeypatch.setattr(aplay, "STALLED_S", 0.2 if "pause" in script else 5)


def test_a_sound_is_played_to_its_end_however_many_messages_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, OPEN + UNDERRUNS)
    stream = Aplay(None).open()
    assert stream.buffered_frames == 1440
    for _ in range(BLOCKS):
        stream.write(BLOCK)
    for _ in range(1000):
        if (tmp_path / "heard").exists():
            break
        stream.read_messages(0.01)
    stream.close()
    assert (tmp_path / "heard").exists()


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        (OPEN + ENDS, "the card is gone"),
        (OPEN + "\nsignal.pause()", "stopped reading"),
        ("sys.exit('aplay: no such device')", "no such device"),
    ],
    ids=["ends", "hangs", "does not open"],
)
def test_an_aplay_that_fails_is_an_error_with_its_last_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, cause: str
) -> None:
    install(tmp_path, monkeypatch, script)

    def play() -> None:
        stream = Aplay(None).open()
        try:
            stream.write(BLOCKS * BLOCK)
        finally:
            stream.close()

    with pytest.raises(DeviceError, match=cause):
        play()
