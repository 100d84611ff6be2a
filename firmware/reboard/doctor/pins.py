"""The pins that the config names: has somebody else taken one?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from fnmatch import fnmatch

from reboard.config import BankConfig, BumpsConfig, TableConfig
from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, wrong
from reboard.header import CONSUMER
from reboard.machine import Header

LGPIO = "lg"
"""What lgpio, through which the table has its pins, calls itself to the kernel; so does any other program's lgpio."""

OURS = {LGPIO, CONSUMER}

HOW_TO_FREE = {
    "*onewire*": "Take the line dtoverlay=w1-gpio out of {boot_config}, then `sudo reboot`.",
    "w1*": "Take the line dtoverlay=w1-gpio out of {boot_config}, then `sudo reboot`.",
    "spi*": "`sudo raspi-config nonint do_spi 1`, then `sudo reboot`.",
    "sdmode": "The amplifier's overlay has it: make its line dtoverlay=max98357a,no-sdmode in {boot_config}, then "
    "`sudo reboot`.",
    "sysfs": "A program has exported it and gone: `echo {pin} | sudo tee /sys/class/gpio/unexport`.",
    CONSUMER: "Another table, or its setup, uses it: end that one. `sudo reboard doctor` names it.",
    LGPIO: "Another program uses it through lgpio or gpiozero: end that one. `sudo reboard doctor` names it.",
}
"""What to do about those who usually have a pin."""


def wires_of(config: TableConfig) -> dict[int, str]:
    """Every pin that the config names, and what it is for."""
    wires: dict[int | None, str] = {}
    if block := config.block:
        wires |= {block.button: "the block's button", block.lamp: "the block's lamp"}
    if apple := config.apple:
        wires |= {apple.lever: "the apple's lever", apple.motor: "the apple's motor"}
    bank = config.bank or BankConfig()
    for side, slot in (("left", bank.left), ("right", bank.right)):
        if isinstance(slot, BumpsConfig):
            wires |= dict.fromkeys(slot.pins, f"a switch of the {side} slot")
    if keypad := bank.keypad:
        wires |= dict.fromkeys(keypad.rows, "a row of the keypad")
        wires |= dict.fromkeys(keypad.columns, "a column of the keypad")
    return {pin: what for pin, what in wires.items() if pin is not None}


async def look_at_pins(case: Case) -> AsyncIterator[Finding]:
    """Who has the pins? Looking takes none of them."""
    if not isinstance(case.header, Header) or not case.config:
        return
    wires = wires_of(case.config)
    taken = {pin: case.header.users[pin] for pin in sorted(wires) if pin in case.header.users}
    others = {pin: user for pin, user in taken.items() if not (case.is_at_work and user in OURS)}
    chip = f"/dev/gpiochip{case.header.chip}"
    holders = case.machine.holders(chip) if others else []
    for pin, user in others.items():
        who = " and ".join(holders) if user in OURS and holders else user or "somebody who does not say who"
        yield wrong("pins.taken", f"GPIO{pin}, {wires[pin]}, is taken by {who}.", _how_to_free(case, pin, user))
    if case.is_at_work and not case.table:
        yield note("pins.asked", "A table may be at work: whether its pins are its own cannot be told.")
    elif not others:
        whose = "are the table's, which is at work" if case.table else "are free"
        yield fine("pins.taken", f"The {len(wires)} pins of the config {whose}.")


def _how_to_free(case: Case, pin: int, user: str) -> str:
    for pattern, advice in HOW_TO_FREE.items():
        if fnmatch(user, pattern):
            return advice.format(pin=pin, boot_config=case.boot_config)
    return f"End what uses it, or wire that part to another pin and change it in {case.config_file}."
