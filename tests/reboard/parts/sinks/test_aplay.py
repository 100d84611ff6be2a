"""aplay as a program at the end of two pipes: one that it plays from, and one that it complains into."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reboard.errors import PartError
from reboard.parts.sinks import aplay
from reboard.parts.sinks.aplay import Aplay
from reboard.parts.sinks.streaming import BLOCK_FRAMES

pytestmark = pytest.mark.realtime

BLOCK = bytes(2 * BLOCK_FRAMES)
BLOCKS = 400

RUNS_DRY = r"""
for _ in range(BLOCKS):
    sys.stdin.buffer.read(BLOCK)
    sys.stderr.write("underrun!!!" + 1000 * "." + "\n")
    sys.stderr.flush()
open("heard", "w").close()
"""
ENDS = """
sys.stdin.buffer.read(BLOCK)
sys.exit("aplay: the card is gone")
"""
HANGS = """
signal.pause()
"""


@pytest.fixture
def a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, story: str) -> Path:
    """An ``aplay`` that is set up as the real one is, and then does what the *story* says."""
    program = tmp_path / "aplay"
    set_up = r'sys.stderr.write("  buffer_size  : 1440\n"); sys.stderr.flush()'
    body = story.replace("BLOCKS", str(BLOCKS)).replace("BLOCK", str(len(BLOCK)))
    program.write_text(f"#!{sys.executable}\nimport signal, sys\n{set_up}\n{body}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.chdir(tmp_path)
    return program


@pytest.mark.parametrize("story", [RUNS_DRY])
def test_however_often_it_runs_dry_it_plays_to_the_end(a_program: Path) -> None:
    stream = Aplay(None).open()
    for _ in range(BLOCKS):
        stream.write(BLOCK)
    heard = a_program.parent / "heard"
    for _ in range(1000):
        if heard.exists():
            break
        stream.said(0.01)
    stream.close()
    assert heard.exists()


@pytest.mark.parametrize("story", [ENDS])
def test_what_it_said_last_is_told_when_it_has_ended(a_program: Path) -> None:
    stream = Aplay(None).open()
    with pytest.raises(PartError, match="the card is gone"):
        stream.write(BLOCKS * BLOCK)
    stream.close()


@pytest.mark.parametrize("story", [HANGS])
def test_one_that_stops_reading_is_told_of(a_program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aplay, "STALLED_S", 0.2)
    stream = Aplay(None).open()
    with pytest.raises(PartError, match="stopped reading"):
        stream.write(BLOCKS * BLOCK)
    stream.close()
