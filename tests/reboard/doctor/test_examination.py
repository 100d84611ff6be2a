from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reboard.doctor import examination
from reboard.doctor.case import Case
from reboard.doctor.examination import LONGEST_LOOK_S, LOOKS
from reboard.finding import Finding, Level, fine
from reboard.machine import Header
from tests.reboard.doctor.made_up import MadeUpMachine, examined, installed

GOOD = """
kernel.machine   This is a Raspberry Pi 4 Model B Rev 1.5.
kernel.system    It runs Debian GNU/Linux 12 (bookworm).
kernel.version   Its kernel is 6.12.25+rpt-rpi-v8.
kernel.header    The header's pins are gpiochip0, pinctrl-bcm2711.
kernel.motor     The kernel stops the motor when a program that turned it is gone.
kernel.watchdog  The Pi resets itself when its kernel has hung for 10 s.
user.groups      reboard, who plays, may use all that the config names.
pins.taken       The 12 pins of the config are free.
serial.port      The header's serial port is on and free for the right reader.
readers.left     The left reader, RDM6300 on /dev/reboard-left, is plugged in; it says nothing until a card comes.
readers.right    The right reader, RDM6300 on /dev/ttyAMA0, is plugged in; it says nothing until a card comes.
display.answers  The display answers at 0x27 on I²C bus 1.
sound.device     Sound goes to the virtual sound card.
disk.space       20.0 GB are free for the ledger in /var/lib/reboard.
disk.speed       A small write is safe within 4 ms.
disk.ledger      There is no ledger yet; the first game begins one.
time.set         The clock was set by the network.
time.kept        This Pi has no clock of its own: without a network it goes on from when it was switched off.
service.state    The service is stopped.
service.door     No table is at work: its parts were looked at one by one.
page.answers     The page answers at 0.0.0.0:8080.
power.supply     The supply is strong enough.
"""
NOTES = {"time.kept", "service.state", "service.door"}


def test_a_good_pi_is_told_to_be_good_in_every_area(pi: MadeUpMachine) -> None:
    config, *others = examined(pi).findings
    assert config == fine("config.file", f"{pi.root}/table.toml can be played with.")
    assert "".join(f"{finding.name:<16} {finding.what}\n" for finding in others) == GOOD.lstrip()
    assert {finding.name for finding in others if finding.level is Level.NOTE} == NOTES


def test_a_pi_5_with_trixie_is_told_to_be_good(pi: MadeUpMachine) -> None:
    pi.write("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    pi.write("/etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_CODENAME=trixie\n')
    pi.write("/sys/module/pinctrl_rp1/parameters/persist_gpio_outputs", "N\n")
    pi.write("/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs", "Y\n")
    pi.write("/sys/class/rtc/rtc0/name", "rpi_rtc")
    pi.pins = Header(0, "pinctrl-rp1", {})
    said = examined(pi)
    assert said.wrong == []
    assert said["kernel.header"].what == "The header's pins are gpiochip0, pinctrl-rp1."
    assert "time.kept" not in said


def test_a_zero_2_w_as_it_comes_out_of_its_box_is_told_what_to_switch_on(pi: MadeUpMachine) -> None:
    pi.write("/proc/device-tree/model", "Raspberry Pi Zero 2 W Rev 1.0\0")
    pi.write("/proc/cmdline", "console=serial0,115200 console=tty1 root=PARTUUID=4e63a1c4-02")
    pi.write("/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs", "Y\n")
    pi.write("/boot/firmware/config.txt", "#dtparam=i2c_arm=on\n")
    pi.write("/dev/ttyS0")
    pi.link("/dev/serial0", "ttyS0")
    pi.remove("/dev/i2c-1")
    config = """
    [apple]
    lever = 22
    motor = 13
    [bank]
    left = { reader = "rdm6300", port = "/dev/serial0" }
    display = { driver = "hd44780-i2c" }
    """
    said = examined(pi, config)
    assert said.wrong == ["kernel.motor", "serial.console", "display.bus"]
    assert said["serial.console"].what == "Linux writes its messages to /dev/serial0, for the left reader."


def test_a_laptop_is_told_that_it_is_no_pi_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    laptop = MadeUpMachine(tmp_path)
    laptop.commands = {"id -nG anna": "anna", "id -nG": "anna"}
    said = examined(laptop, '[block]\nbutton = 17\n[speaker]\nlibrary = "silent"')
    assert said["kernel.machine"].what == "This is no Raspberry Pi: what only a Pi has was not looked at."
    assert said.wrong == []
    areas = {finding.area for finding in said.findings}
    assert areas == {"config", "kernel", "user", "sound", "disk", "time", "service", "page"}


def test_a_look_that_hangs_is_a_finding_and_holds_up_no_other(pi: MadeUpMachine) -> None:
    pi.hangs = {"timedatectl"}
    said = examined(pi)
    assert said.wrong == ["time.hangs"]
    assert said["time.hangs"].what == f'Looking at "time" took longer than {LONGEST_LOOK_S:g} s and was given up.'
    assert "power.supply" in said
    assert said.seconds == LONGEST_LOOK_S


def test_devices_that_hang_cost_only_their_own_areas(pi: MadeUpMachine) -> None:
    pi.hangs = {"work"}
    assert examined(pi).wrong == ["display.hangs", "sound.hangs", "disk.hangs"]


def test_what_was_found_before_a_look_hangs_is_told(pi: MadeUpMachine) -> None:
    pi.write("/sys/fs/ext4/mmcblk0p2/errors_count", "3\n")
    pi.hangs = {"work"}
    assert "disk.errors" in examined(pi, "[block]\nbutton = 17")


def test_a_systemd_that_hangs_is_told_of(pi: MadeUpMachine) -> None:
    pi.hangs = {"systemctl"}
    pi.who = "reboard"
    pi.commands["id -nG"] = pi.commands["id -nG reboard"]
    said = examined(pi, "[block]\nbutton = 17")
    assert said["service.systemd"].level is Level.NOTE
    assert said.seconds <= LONGEST_LOOK_S


def test_a_look_that_fails_is_a_finding_and_spoils_no_other(pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(case: Case) -> AsyncIterator[Finding]:
        yield fine("power.before", "That much is sure.")
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(examination, "LOOKS", {**LOOKS, "power": fail})
    said = examined(pi)
    assert said.wrong == ["power.fails"]
    assert said["power.fails"].what == 'Looking at "power" failed: ZeroDivisionError: oh.'
    assert "power.before" in said


def test_the_areas_are_looked_at_side_by_side(pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    times = []

    async def take_9_s(case: Case) -> AsyncIterator[Finding]:
        await asyncio.sleep(9)
        times.append(asyncio.get_running_loop().time())
        yield fine("slow.done", "It is done.")

    monkeypatch.setattr(examination, "LOOKS", {"one": take_9_s, "two": take_9_s})
    examined(pi)
    assert times[0] == times[1] < 10


def test_every_finding_belongs_to_the_area_that_told_it(pi: MadeUpMachine) -> None:
    areas = [finding.area for finding in examined(pi).findings]
    assert list(dict.fromkeys(areas)) == [area for area in LOOKS if area in areas]


def test_a_machine_on_which_nothing_is_right_is_told_so_in_sentences(pi: MadeUpMachine) -> None:
    pi.pins = "the GPIO chips in /dev cannot be opened: run as root, or join the group gpio and log in again"
    pi.units = {"reboard.service": installed(ActiveState="failed", Result="watchdog")}
    pi.commands = {"vcgencmd get_throttled": "throttled=0x50005"}
    for finding in examined(pi).findings:
        assert finding.what.endswith((".", "?")), finding
        assert not finding.what[0].islower() or finding.what.startswith("reboard"), finding
