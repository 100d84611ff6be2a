from __future__ import annotations

from reboard.finding import wrong
from tests.reboard.doctor.made_up import MadeUpMachine, examined

ON_HEADER = '[bank]\nleft = { reader = "rdm6300", port = "/dev/serial0" }'


def test_a_port_that_is_switched_off_is_told_with_what_switches_it_on(pi: MadeUpMachine) -> None:
    assert examined(pi, ON_HEADER)["serial.port"] == wrong(
        "serial.port",
        "The header's serial port /dev/serial0, for the left reader, is switched off.",
        "`sudo raspi-config nonint do_serial_hw 0`, then `sudo reboot`.",
    )


def test_a_console_on_the_port_is_found_under_whatever_name(pi: MadeUpMachine) -> None:
    pi.write("/proc/cmdline", "console=ttyAMA0,115200 console=tty1")
    pi.link("/dev/serial0", "ttyAMA0")
    assert examined(pi, ON_HEADER)["serial.console"] == wrong(
        "serial.console",
        "Linux writes its messages to /dev/serial0, for the left reader.",
        "`sudo raspi-config nonint do_serial_cons 1`, then `sudo reboot`.",
    )


def test_a_login_on_the_port_is_found(pi: MadeUpMachine) -> None:
    pi.link("/dev/serial0", "ttyAMA0")
    pi.commands["systemctl is-active serial-getty@ttyAMA0.service"] = "active"
    assert examined(pi, ON_HEADER)["serial.login"] == wrong(
        "serial.login",
        "A login waits on /dev/serial0, for the left reader.",
        "`sudo raspi-config nonint do_serial_cons 1`, then `sudo reboot`.",
    )


def test_on_a_pi_5_serial0_is_not_on_the_header(pi: MadeUpMachine) -> None:
    pi.write("/dev/ttyAMA10")
    pi.link("/dev/serial0", "ttyAMA10")
    found = examined(pi, ON_HEADER)["serial.debug"]
    assert (
        found.what
        == "/dev/serial0, for the left reader, is this Pi's small socket for debugging, and not on the header."
    )
    assert '"/dev/ttyAMA0"' in found.do


def test_a_name_of_udevs_is_followed_to_the_header(pi: MadeUpMachine) -> None:
    pi.link("/dev/reboard-right", "ttyAMA0")
    pi.write("/proc/cmdline", "console=ttyAMA0,115200")
    config = '[bank]\nright = { reader = "id12", port = "/dev/reboard-right" }'
    assert "serial.console" in examined(pi, config)


def test_readers_on_usb_have_nothing_to_do_with_the_header(pi: MadeUpMachine) -> None:
    pi.write("/proc/cmdline", "console=serial0,115200")
    config = '[bank]\nleft = { reader = "rdm6300", port = "/dev/reboard-left" }'
    assert [finding.name for finding in examined(pi, config).findings if finding.area == "serial"] == []
