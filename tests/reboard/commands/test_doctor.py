from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from reboard import __version__
from reboard.commands.doctor import doctor
from reboard.commands.output import FindingPrinter
from reboard.finding import Finding, fine, note
from tests.reboard.doctor.made_up import MadeUpMachine, good_pi_4

SILENT = '[block]\nbutton = 17\n[speaker]\nlibrary = "silent"\n[page]\nlisten = "0.0.0.0:8080"'
"""A table whose devices need not be opened."""


@pytest.fixture
def pi(tmp_path: Path) -> MadeUpMachine:
    return good_pi_4(tmp_path)


def printed(pi: MadeUpMachine, capsys: pytest.CaptureFixture[str], *, as_json: bool = False) -> tuple[bool, str]:
    file = pi.root / "table.toml"
    file.write_text(SILENT)
    is_well = asyncio.run(doctor(file, as_json=as_json, machine=pi))
    return is_well, capsys.readouterr().out


def test_what_is_wrong_is_listed_at_the_end_and_no_command_is_broken(
    pi: MadeUpMachine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    pi.taken_by(GPIO17="sysfs")
    pi.commands["vcgencmd get_throttled"] = "throttled=0x1"
    is_well, text = printed(pi, capsys)
    assert not is_well
    assert not {"\033", "\r"} & {*text}
    summary = text.partition("\n2 things are wrong:\n")[2]
    assert summary.startswith("   1.    GPIO17, the block's button, is used by sysfs.\n         -> A program")
    assert "`echo 17 | sudo tee /sys/class/gpio/unexport`." in summary
    assert max(len(line) for line in text.splitlines() if str(pi.root) not in line) < 60


@pytest.mark.parametrize(
    ("finding", "end"),
    [
        (fine("pins.taken", "All are free."), "is wrong."),
        (note("pins.asked", "Not tried."), "what was not tried, or could be better."),
    ],
)
def test_a_report_with_notes_does_not_end_as_if_all_was_tried(
    finding: Finding, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    printer = FindingPrinter()
    printer.show(finding)
    printer.sum_up()
    assert capsys.readouterr().out.endswith(f"{end}\n")


def test_as_json_it_is_one_object_with_every_finding(pi: MadeUpMachine, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(pi, capsys, as_json=True)[0]
    pi.taken_by(GPIO17="w1")
    is_well, text = printed(pi, capsys, as_json=True)
    said = json.loads(text)
    assert (is_well, said["well"], said["reboard"]) == (False, False, __version__)
    assert {"area": "config", "name": "config.file", "level": "fine"}.items() <= said["findings"][0].items()
    [found] = [finding for finding in said["findings"] if finding["level"] == "wrong"]
    assert (found["area"], found["name"]) == ("pins", "pins.taken")
    assert found.keys() == {"area", "name", "level", "what", "do"}


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("variables", "is_coloured", "shows_progress"),
    [({}, True, True), ({"NO_COLOR": "1"}, False, True), ({"TERM": "dumb"}, False, False)],
)
def test_a_terminal_shows_progress_and_colours(
    tmp_path: Path, variables: dict[str, str], is_coloured: bool, shows_progress: bool
) -> None:
    file = tmp_path / "table.toml"
    file.write_text("edition = ")
    ours, theirs = pty.openpty()
    environment = {"TERM": "xterm", **variables}
    command = [sys.executable, "-m", "reboard", "doctor", "-c", str(file)]
    said = b""
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**os.environ, "PATH": "", **environment}) as run:
        os.close(theirs)
        with suppress(OSError):  # the other end is closed
            while more := os.read(ours, 1000):
                said += more
    assert run.returncode == 1
    os.close(ours)
    assert (b"\033[1;31m  WRONG" in said) == is_coloured
    assert (b"\033" in said) == is_coloured
    assert (b"\rChecking: power\r" in said) == shows_progress
    assert b"WRONG" in said
