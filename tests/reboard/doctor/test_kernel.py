from __future__ import annotations

import pytest

from reboard.finding import Level, note, wrong
from tests.reboard.doctor.made_up import WATCHDOG, MadeUpMachine, examined

PARAMETER = "/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs"


def test_a_kernel_that_would_leave_the_motor_running_is_wrong(pi: MadeUpMachine) -> None:
    pi.write(PARAMETER, "Y\n")
    pi.write("/boot/firmware/config.txt", "dtparam=i2c_arm=on\n")
    assert examined(pi)["kernel.motor"] == wrong(
        "kernel.motor",
        "When reboard dies, the kernel would leave the motor running.",
        "`echo dtparam=strict_gpiod | sudo tee -a /boot/firmware/config.txt`, then `sudo reboot`.",
    )


def test_who_has_written_the_line_already_need_only_start_again(pi: MadeUpMachine) -> None:
    pi.write(PARAMETER, "Y\n")
    assert examined(pi)["kernel.motor"].do == (
        "/boot/firmware/config.txt forbids it already, from the next start on: `sudo reboot`."
    )


def test_an_older_system_has_its_boot_config_elsewhere(pi: MadeUpMachine) -> None:
    pi.write(PARAMETER, "Y\n")
    pi.remove("/boot/firmware/config.txt")
    pi.write("/boot/config.txt", "")
    assert "/boot/config.txt" in examined(pi)["kernel.motor"].do


def test_a_kernel_that_does_not_say_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.remove(PARAMETER)
    found = examined(pi)["kernel.motor"]
    assert found.level is Level.NOTE
    assert found.what == "This kernel does not tell what becomes of a running motor when reboard dies."


def test_without_a_motor_nothing_is_said_of_one(pi: MadeUpMachine) -> None:
    pi.write(PARAMETER, "Y\n")
    assert "kernel.motor" not in examined(pi, "[apple]\nlever = 22")


@pytest.mark.parametrize("release", ["5.4.83-v7+", "4.19.97+", "5.9.0"])
def test_a_kernel_that_is_too_old_for_the_pins_is_wrong(pi: MadeUpMachine, release: str) -> None:
    pi.write("/proc/sys/kernel/osrelease", f"{release}\n")
    assert examined(pi)["kernel.version"] == wrong(
        "kernel.version",
        f"Its kernel is too old for the pins: it is {release}, and they need 5.10 or newer.",
        "`sudo apt full-upgrade`, then `sudo reboot`.",
    )


def test_a_system_that_it_was_not_made_for_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.write("/etc/os-release", 'PRETTY_NAME="Ubuntu 24.04.1 LTS"\nVERSION_CODENAME=noble\n')
    assert examined(pi)["kernel.system"] == note(
        "kernel.system", "It runs Ubuntu 24.04.1 LTS; reboard is made for and tested on Debian's bookworm and trixie."
    )


def test_pins_that_may_not_be_looked_at_are_told_with_the_pin_librarys_own_sentence(pi: MadeUpMachine) -> None:
    pi.pins = "the GPIO chips in /dev cannot be opened: run as root, or join the group gpio and log in again"
    said = examined(pi)
    assert said["kernel.header"].what == (
        "The GPIO chips in /dev cannot be opened: run as root, or join the group gpio and log in again."
    )
    assert "pins.taken" not in said


def test_pins_that_only_who_looks_may_not_use_are_no_fault(pi: MadeUpMachine) -> None:
    pi.pins = "the GPIO chips in /dev cannot be opened"
    pi.write("/dev/gpiochip0")
    pi.kept_from.add("/dev/gpiochip0")
    assert examined(pi)["kernel.header"] == note(
        "kernel.header",
        "The header's pins were not looked at: anna may not use them.",
        "`sudo reboard doctor` looks at them.",
    )


@pytest.mark.parametrize(
    ("said", "to_do"),
    [("t 0", "sudo make install"), ("t 60000000", "RuntimeWatchdogSec=10s"), ("t 10000000", "")],
    ids=["off", "more than a Pi's watchdog takes", "on"],
)
def test_a_motor_needs_a_watchdog_that_resets_a_kernel_that_hangs(pi: MadeUpMachine, said: str, to_do: str) -> None:
    pi.commands[WATCHDOG] = said
    found = examined(pi)["kernel.watchdog"]
    assert found.level is (Level.WRONG if to_do else Level.FINE)
    assert to_do in found.do


def test_a_watchdog_that_systemd_could_not_turn_on_is_wrong(pi: MadeUpMachine) -> None:
    pi.write("/sys/class/watchdog/watchdog0/state", "inactive\n")
    assert examined(pi)["kernel.watchdog"].level is Level.WRONG


def test_a_pi_whose_watchdog_is_off_needs_a_line_in_its_boot_config(pi: MadeUpMachine) -> None:
    pi.remove("/dev/watchdog")
    assert "dtparam=watchdog=on" in examined(pi)["kernel.watchdog"].do


def test_without_a_motor_the_watchdog_does_not_matter(pi: MadeUpMachine) -> None:
    pi.commands[WATCHDOG] = "t 0"
    assert "kernel.watchdog" not in examined(pi, "[apple]\nlever = 22")
