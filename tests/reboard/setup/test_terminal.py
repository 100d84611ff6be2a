"""The command itself, at a real terminal and at none."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from reboard.cli import main

WITHOUT_PINS = {**os.environ, "GPIOZERO_PIN_FACTORY": "mock"}


def command(file: Path) -> list[str]:
    return [sys.executable, "-m", "reboard", "setup", "-c", str(file)]


@pytest.mark.realtime
def test_answers_that_are_piped_in_are_taken_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('[block]\nbutton = 17\n[state]\ndirectory = "state"\n')
    answers = "nintendo\ns\nn\nn\nn\nn\ny\n"
    done = subprocess.run(
        command(file), input=answers, capture_output=True, text=True, env=WITHOUT_PINS, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert 'edition = "nintendo"' in file.read_text()


@pytest.mark.realtime
def test_the_end_of_what_is_piped_in_is_a_quit(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    done = subprocess.run(
        command(file), input="world\n", capture_output=True, text=True, env=WITHOUT_PINS, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("Nothing was written.\n")
    assert not file.exists()


@pytest.mark.realtime
def test_at_a_terminal_each_question_waits_for_its_answer(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    file = tmp_path / "table.toml"
    with subprocess.Popen(
        command(file), stdin=theirs, stdout=theirs, stderr=theirs, env=WITHOUT_PINS, start_new_session=True
    ) as asking:
        os.close(theirs)
        said = b""
        while b"[world]" not in said:
            said += os.read(ours, 1000)
        os.write(ours, b"q\n")
        while b"Nothing was written." not in said:
            said += os.read(ours, 1000)
        assert asking.wait(60) == 1
    os.close(ours)


def test_who_may_not_write_the_config_is_told_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert main(["setup", "-c", str(tmp_path / "table.toml")]) == 1
    assert "`sudo reboard setup`" in capsys.readouterr().err
