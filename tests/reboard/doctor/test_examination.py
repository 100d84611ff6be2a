from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reboard.accessories.installed import accessories
from reboard.commands import doctor
from reboard.commands.doctor import LONGEST_CHECK_S
from reboard.doctor.doctor_context import DoctorContext
from reboard.doctor.machine import Header
from reboard.finding import Finding, Level, fine
from tests.reboard.doctor.made_up import MadeUpMachine, examined

GOOD = """
config.file kernel.machine kernel.system kernel.header kernel.motor kernel.watchdog user.groups
pins.taken serial.port readers.left readers.right display.answers sound.device disk.space disk.speed disk.ledger
time.set time.kept service.state service.answers page.answers power.supply
"""
NOTES = {"time.kept", "service.state", "service.answers"}


async def test_on_a_good_pi_nothing_is_wrong_in_any_area(pi: MadeUpMachine) -> None:
    findings = (await examined(pi)).findings
    assert [finding.name for finding in findings] == GOOD.split()
    assert {finding.name for finding in findings if finding.level is not Level.FINE} == NOTES


async def test_on_a_pi_5_nothing_is_wrong(pi: MadeUpMachine) -> None:
    pi.write("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    pi.write("/sys/module/pinctrl_rp1/parameters/persist_gpio_outputs", "N\n")
    pi.write("/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs", "Y\n")
    pi.write("/sys/class/rtc/rtc0/name", "rpi_rtc")
    pi.pins = Header("/dev/gpiochip0", "pinctrl-rp1", {})
    said = await examined(pi)
    assert said.wrong == []
    assert "time.kept" not in said


async def test_on_a_laptop_the_checks_for_a_pi_are_left_out(tmp_path: Path) -> None:
    laptop = MadeUpMachine(tmp_path)
    laptop.commands = {"id -nG anna": "anna", "id -nG": "anna"}
    said = await examined(laptop, '[block]\nbutton = 17\n[speaker]\nlibrary = "silent"')
    assert said.wrong == []
    areas = {finding.area for finding in said.findings}
    assert areas == {"config", "kernel", "user", "sound", "disk", "time", "service", "page"}


ACCESSORIES_HANG = [f"{name}.hangs" for name in accessories()]


@pytest.mark.parametrize(
    ("hanging", "wrong"),
    [
        ("timedatectl", ["disk.errors", "time.hangs"]),
        ("work", ["display.hangs", "sound.hangs", "disk.errors", "disk.hangs", *ACCESSORIES_HANG]),
    ],
)
async def test_a_check_that_hangs_keeps_its_findings_and_stops_no_other(
    pi: MadeUpMachine, hanging: str, wrong: list[str]
) -> None:
    pi.write("/sys/fs/ext4/mmcblk0p2/errors_count", "3\n")
    pi.hangs = {hanging}
    said = await examined(pi)
    assert said.wrong == wrong
    assert "power.supply" in said
    assert said.seconds == LONGEST_CHECK_S


async def test_a_systemd_that_hangs_is_a_note(pi: MadeUpMachine) -> None:
    pi.hangs = {"systemctl"}
    pi.who = "reboard"
    pi.commands["id -nG"] = pi.commands["id -nG reboard"]
    said = await examined(pi, "[block]\nbutton = 17")
    assert said["service.systemd"].level is Level.NOTE
    assert said.seconds <= LONGEST_CHECK_S


async def test_a_check_that_fails_is_a_finding_and_stops_no_other(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(context: DoctorContext) -> AsyncIterator[Finding]:
        yield fine("disk.before", "That much is sure.")
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(doctor, "check_disk", fail)
    said = await examined(pi)
    assert said.wrong == ["disk.fails"]
    assert {"disk.before", "power.supply"} <= {finding.name for finding in said.findings}
