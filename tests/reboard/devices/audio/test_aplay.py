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


HDMI = """
sys.exit("aplay: set_params:1343: Sample format non available\\nAvailable formats:\\n- IEC958_SUBFRAME_LE")
"""


def install(directory: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = directory / "aplay"
    program.write_text(f"#!{sys.executable}\nimport signal, sys\n{script}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(directory), prepend=":")
    monkeypatch.chdir(directory)
    monkeypatch.setattr(aplay, "STALLED_S", 0.2 if "pause" in script else 5)
    monkeypatch.setattr(aplay, "OPENING_S", 0.5 if OPEN not in script else 5)


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
        (OPEN + "\nsignal.pause()", "does not answer"),
        ("signal.pause()", "does not answer"),
        ("while True: print('ALSA lib', file=sys.stderr)", "does not answer"),
        ("sys.exit('aplay: no such device')", "no such device"),
        (HDMI, "also not as sysdefault:CARD=vc4hdmi or default:CARD=vc4hdmi"),
    ],
    ids=["ends", "hangs", "hangs when it opens", "opens never and prints", "does not open", "other format"],
)
def test_an_aplay_that_fails_is_an_error_with_its_last_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, cause: str
) -> None:
    install(tmp_path, monkeypatch, script)

    def play() -> None:
        stream = Aplay("plughw:CARD=vc4hdmi,DEV=0").open()
        try:
            stream.write(BLOCKS * BLOCK)
        finally:
            stream.close()

    with pytest.raises(DeviceError, match=cause):
        play()


def test_hdmi_that_takes_no_plain_samples_is_opened_under_its_other_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        tmp_path, monkeypatch, f"if sys.argv[2].startswith('plughw'):{HDMI.replace(chr(10), chr(10) + '  ')}\n{OPEN}"
    )
    opener = Aplay("plughw:CARD=vc4hdmi,DEV=0")
    opener.open().close()
    assert opener.description == "aplay on ALSA device sysdefault:CARD=vc4hdmi"
