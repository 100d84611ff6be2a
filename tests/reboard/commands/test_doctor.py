from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reboard.commands.doctor import doctor, in_words
from reboard.doctor import examination
from reboard.finding import Finding, wrong
from reboard.machine import Machine
from reboard.version import __version__
from tests.reboard.doctor.made_up import MadeUpMachine, examined, good_pi_4

SILENT = '[block]\nbutton = 17\n[speaker]\nlibrary = "silent"\n[page]\nlisten = "0.0.0.0:8080"'
"""A table whose devices nobody has to open."""


@pytest.fixture
def pi(tmp_path: Path) -> MadeUpMachine:
    return good_pi_4(tmp_path)


def told(machine: Machine, capsys: pytest.CaptureFixture[str], *, as_json: bool = False) -> tuple[bool, str]:
    file = machine.root / "table.toml"
    file.write_text(SILENT)
    is_well = asyncio.run(doctor(file, as_json=as_json, machine=machine))
    return is_well, capsys.readouterr().out


def test_a_good_machine_is_told_area_by_area_and_nothing_is_wrong(
    pi: MadeUpMachine, capsys: pytest.CaptureFixture[str]
) -> None:
    is_well, text = told(pi, capsys)
    assert is_well
    areas = re.findall(r"^(\w+)$", text, re.MULTILINE)
    assert areas == [area for area in examination.LOOKS if area in areas]
    assert "\n  ok     It runs Debian GNU/Linux 12 (bookworm).\n" in text
    assert text.endswith("\nNothing is wrong.\n")


def test_what_is_wrong_is_summed_up_at_the_end(pi: MadeUpMachine, capsys: pytest.CaptureFixture[str]) -> None:
    pi.taken_by(GPIO17="w1")
    is_well, text = told(pi, capsys)
    assert not is_well
    assert "\n  WRONG  GPIO17, the block's button, is taken by w1.\n" in text
    assert text.endswith(
        "\nOne thing is wrong:\n"
        "   1.    GPIO17, the block's button, is taken by w1.\n"
        "         -> Take the line dtoverlay=w1-gpio out of /boot/firmware/config.txt,\n"
        "            then `sudo reboot`.\n"
    )


def test_two_things_that_are_wrong_are_counted(pi: MadeUpMachine, capsys: pytest.CaptureFixture[str]) -> None:
    pi.taken_by(GPIO17="w1")
    pi.commands["vcgencmd get_throttled"] = "throttled=0x1"
    assert "\n2 things are wrong:\n   1.    GPIO17" in told(pi, capsys)[1]


def test_no_line_is_wider_than_a_terminal_and_no_command_is_broken(
    pi: MadeUpMachine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    pi.taken_by(GPIO17="sysfs")
    text = told(pi, capsys)[1]
    assert "`echo 17 | sudo tee /sys/class/gpio/unexport`." in text
    assert max(len(line) for line in text.splitlines() if str(pi.root) not in line) < 60


def test_as_json_it_is_one_object_with_every_finding(pi: MadeUpMachine, capsys: pytest.CaptureFixture[str]) -> None:
    pi.taken_by(GPIO17="w1")
    is_well, text = told(pi, capsys, as_json=True)
    said = json.loads(text)
    assert (is_well, said["well"], said["reboard"]) == (False, False, __version__)
    assert {"area": "config", "name": "config.file", "level": "fine"}.items() <= said["findings"][0].items()
    [found] = [finding for finding in said["findings"] if finding["level"] == "wrong"]
    assert found == {
        "area": "pins",
        "name": "pins.taken",
        "level": "wrong",
        "what": "GPIO17, the block's button, is taken by w1.",
        "do": "Take the line dtoverlay=w1-gpio out of /boot/firmware/config.txt, then `sudo reboot`.",
    }


DOCUMENT = Path(__file__).parents[3] / "docs" / "doctor.md"


def test_the_documents_example_is_what_is_said(pi: MadeUpMachine, capsys: pytest.CaptureFixture[str]) -> None:
    pi.units = {}
    pi.commands |= {"id -nG anna": "anna dialout audio i2c", "id -nG": "anna dialout audio i2c"}
    pi.taken_by(GPIO4="onewire@4")
    table = '[bank]\nleft = { reader = "bumps", pins = [4, 10, 11] }\ndisplay = { driver = "hd44780-i2c" }\n'
    findings = examined(pi, table, wired=table.replace("driver", "address = 0x3F, driver")).findings

    async def told_before() -> AsyncIterator[Finding]:
        for finding in findings:
            yield finding

    asyncio.run(in_words(told_before()))
    said = capsys.readouterr().out
    example = re.search(r"```\n(user\n.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert example
    for area in example[1].split("\n\n"):
        assert area in said


def test_the_documents_json_has_the_keys_that_are_written() -> None:
    example = re.search(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert example
    said = json.loads(example[1])
    assert said.keys() == {"reboard", "well", "findings"}
    assert said["findings"][0].keys() == wrong("display.address", "").as_json().keys()


@pytest.mark.realtime
@pytest.mark.parametrize(("config", "code"), [(SILENT, 0), ("edition = ", 1)])
def test_the_exit_code_is_for_scripts_and_this_machine_is_looked_at_within_seconds(
    tmp_path: Path, config: str, code: int
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f'{config}\n[state]\ndirectory = "state"\n')
    run = subprocess.run(
        [sys.executable, "-m", "reboard", "doctor", "--json", "-c", str(file)],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": ""},
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stderr) == (code, "")
    assert json.loads(run.stdout)["well"] is (code == 0)


def test_a_wrong_command_line_exits_with_2() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "reboard", "doctor", "--quickly"], capture_output=True, timeout=60, check=False
    )
    assert run.returncode == 2
