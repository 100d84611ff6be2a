from __future__ import annotations

import pytest

from reboard.config import load_config
from reboard.doctor.pins import wires_of
from reboard.finding import fine, wrong
from tests.reboard.doctor.made_up import MadeUpMachine, examined
from tests.reboard.test_shipped_table import SHIPPED

BUMPS = '[bank]\nleft = { reader = "bumps", pins = [4, 10, 11] }'


def test_a_pin_that_the_one_wire_driver_has_is_told_with_how_to_free_it(pi: MadeUpMachine) -> None:
    pi.taken_by(GPIO4="onewire@4")
    assert examined(pi, BUMPS)["pins.taken"] == wrong(
        "pins.taken",
        "GPIO4, a switch of the left slot, is taken by onewire@4.",
        "Take the line dtoverlay=w1-gpio out of /boot/firmware/config.txt, then `sudo reboot`.",
    )


@pytest.mark.parametrize(
    ("user", "how"),
    [
        ("w1", "Take the line dtoverlay=w1-gpio out of /boot/firmware/config.txt, then `sudo reboot`."),
        ("spi0 CS0", "`sudo raspi-config nonint do_spi 1`, then `sudo reboot`."),
        (
            "sdmode",
            "The amplifier's overlay has it: make its line dtoverlay=max98357a,no-sdmode in /boot/firmware/config.txt, "
            "then `sudo reboot`.",
        ),
        ("sysfs", "A program has exported it and gone: `echo 17 | sudo tee /sys/class/gpio/unexport`."),
    ],
)
def test_each_usual_suspect_has_its_remedy(pi: MadeUpMachine, user: str, how: str) -> None:
    pi.taken_by(GPIO17=user)
    assert examined(pi)["pins.taken"].do == how


def test_somebody_unknown_is_named_as_the_kernel_names_them(pi: MadeUpMachine) -> None:
    pi.taken_by(GPIO27="heartbeat")
    found = examined(pi)["pins.taken"]
    assert found.what == "GPIO27, the block's lamp, is taken by heartbeat."
    assert found.do.startswith("End what uses it, or wire that part to another pin and change it in ")


def test_somebody_who_gives_no_name_is_told_of_all_the_same(pi: MadeUpMachine) -> None:
    pi.taken_by(GPIO13="")
    assert examined(pi)["pins.taken"].what == "GPIO13, the apple's motor, is taken by somebody who does not say who."


def test_another_program_with_lgpio_is_named_if_it_can_be_seen(pi: MadeUpMachine) -> None:
    pi.taken_by(GPIO17="lg")
    pi.link("/proc/612/fd/5", "/dev/gpiochip0")
    pi.write("/proc/612/comm", "python3\n")
    assert examined(pi)["pins.taken"].what == "GPIO17, the block's button, is taken by python3 (process 612)."


def test_pins_that_the_config_does_not_name_may_be_anybodys(pi: MadeUpMachine) -> None:
    pi.taken_by(GPIO4="onewire@4", GPIO8="spi0 CS0")
    assert examined(pi)["pins.taken"] == fine("pins.taken", "The 12 pins of the config are free.")


def test_every_pin_of_the_shipped_table_has_its_use() -> None:
    wires = wires_of(load_config(SHIPPED))
    assert sorted(wires) == [5, 6, 12, 13, 16, 17, 22, 23, 24, 25, 26, 27]
    assert (wires[13], wires[23]) == ("the apple's motor", "a row of the keypad")
