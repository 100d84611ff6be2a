from __future__ import annotations

from reboard.finding import note, wrong
from tests.reboard.doctor.made_up import TABLE, MadeUpMachine, examined


def test_a_display_at_another_address_is_found_there(pi: MadeUpMachine) -> None:
    assert examined(pi, wired=TABLE.replace("0x27", "0x3F"))["display.address"] == wrong(
        "display.address",
        "Nothing answers at 0x27 on I²C bus 1, but something does at 0x3F.",
        "If that is the display, write `address = 0x3F` into the config.",
    )


def test_a_display_that_is_not_connected_is_told(pi: MadeUpMachine) -> None:
    said = examined(pi, hands=lambda virtual: virtual.misbehave("display", True))
    assert said["display.answers"] == wrong(
        "display.answers",
        "Nothing answers at 0x27 on I²C bus 1.",
        "Look at the display's power, and at SDA and SCL.",
    )


def test_a_bus_that_is_switched_off_is_told_with_what_switches_it_on(pi: MadeUpMachine) -> None:
    pi.remove("/dev/i2c-1")
    assert examined(pi)["display.bus"] == wrong(
        "display.bus",
        "I²C bus 1, where the display is, is not there.",
        "`sudo raspi-config nonint do_i2c 0`, then `sudo reboot`.",
    )


def test_a_bus_that_who_looks_may_not_use_is_not_called_broken(pi: MadeUpMachine) -> None:
    pi.kept_from.add("/dev/i2c-1")
    assert examined(pi)["display.asked"] == note(
        "display.asked",
        "Whether the display answers was not tried: anna may not use /dev/i2c-1.",
        "`sudo reboard doctor` tries it.",
    )
