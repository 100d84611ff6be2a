"""The command itself, at a real terminal and at none."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from reboard.cli import main
from tests.waiting import PATIENCE_S

WITHOUT_PINS = {**os.environ, "GPIOZERO_PIN_FACTORY": "mock"}


def command(file: Path) -> list[str]:
    return [sys.executable, "-m", "reboard", "setup", "-c", str(file)]


@pytest.mark.realtime
@pytest.mark.parametrize(("answers", "code"), [("n\nnintendo\ns\nn\nn\nn\nn\nn\nn\nn\ny\n", 0), ("n\nnintendo\n", 1)])
def test_piped_answers_are_taken_line_by_line_and_their_end_quits(tmp_path: Path, answers: str, code: int) -> None:
    file = tmp_path / "table.toml"
    file.write_text('[block]\nbutton = 17\n[state]\ndirectory = "state"\n')
    done = subprocess.run(
        command(file), input=answers, capture_output=True, text=True, env=WITHOUT_PINS, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (code, "")
    assert ('edition = "nintendo"' in file.read_text()) == (code == 0)


@pytest.mark.realtime
def test_at_a_terminal_each_question_waits_for_its_answer(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    file = tmp_path / "table.toml"
    with subprocess.Popen(
        command(file), stdin=theirs, stdout=theirs, stderr=theirs, env=WITHOUT_PINS, start_new_session=True
    ) as asking:
        os.close(theirs)
        said = b""
        while b"[y]" not in said:
            said += os.read(ours, 1000)
        os.write(ours, b"q\n")
        while b"was not written." not in said:
            said += os.read(ours, 1000)
        assert asking.wait(60) == 1
    os.close(ours)


def test_a_config_that_the_user_may_not_write_is_reported_before_any_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert main(["setup", "-c", str(tmp_path / "table.toml")]) == 1
    assert "Run this command with sudo" in capsys.readouterr().err
