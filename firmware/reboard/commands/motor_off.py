"""``reboard motor-off``: take the motor's pin and hold it low, whatever became of the table.

systemd runs it when the table has ended, in whichever way, and while the Pi starts. It must begin quickly, so it
imports little: above all not gpiozero, unless that was asked for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from reboard.errors import PartError
from reboard.motor_pins import motor_pins


def motor_off(config: Path) -> None:
    """Drive the pin of the motor in *config* low, and let it go.

    Raises `PartError` when a pin cannot be had: a table that is at work holds it, and watches over it itself.
    """
    if pins := motor_pins(config):
        drive_low(pins)


def drive_low(pins: Sequence[int]) -> None:
    """Drive *pins* low, and let them go. Raises `PartError` when one cannot be had."""
    factory = os.environ.get("GPIOZERO_PIN_FACTORY", "lgpio")
    (_drive_low if factory == "lgpio" else _drive_low_by_gpiozero)(pins)


def _drive_low(pins: Sequence[int]) -> None:
    from reboard.header import header_chip, load_lgpio

    lgpio = load_lgpio()
    chip = lgpio.gpiochip_open(header_chip(lgpio))
    try:
        problems = []
        for pin in pins:
            try:
                lgpio.gpio_claim_output(chip, pin, 0)
            except lgpio.error as problem:
                problems.append(f"the motor on GPIO{pin} could not be stopped: {problem}")
    finally:
        lgpio.gpiochip_close(chip)
    if problems:
        raise PartError("; ".join(problems))


def _drive_low_by_gpiozero(pins: Sequence[int]) -> None:
    """The same with another library: what drives the pin may live on in its daemon."""
    from contextlib import closing

    from gpiozero import DigitalOutputDevice

    from reboard.parts.wire import naming
    from reboard.raspberry_pi import RaspberryPi

    with closing(RaspberryPi()) as board:
        for pin in pins:
            with naming("motor", pin):
                DigitalOutputDevice(pin, initial_value=False, pin_factory=board.pins).close()
