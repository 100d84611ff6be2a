"""The first try-out of setup, before any device: header lines that are stuck, connected, or without their pull-up.

The Pi's own resistors pull each line up and down. A line that follows both is free. Then one line after the other is
driven low, and a line that follows is connected to it. Only a line that is free, or that a resistor of the config holds
high, is driven: something else could drive another one high. Outputs are left out, because a pull-up could switch a
motor on.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from gpiozero import Factory, InputDevice, OutputDevice

from reboard.devices.gpio.gpio_pin import named_pin_errors
from reboard.errors import ConfigError, DeviceError
from reboard.finding import all_of
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import POWER_3V3, RAILS, gpio
from reboard.setup.setup_context import SetupContext
from reboard.table_config import parse_config
from reboard.wiring.table_netlist import circuit_of

SETTLE_S = 0.03
"""The time until a line has its level, in seconds: six time constants of the Pi's pull-up and 100 nF at the line."""

WHEN_LOW = (
    "Let go of buttons and keys, and take the cards out. If that does not help, a wire touches ground, a switch is "
    "connected at C and NC instead of C and NO, or a push button with four legs is turned by a quarter."
)
WHEN_HIGH = (
    "By the config, no resistor does that. Unplug the Pi now, and look for a wire that touches 3.3 V or 5 V: 5 V "
    "destroys the Pi."
)
WHEN_CONNECTED = (
    "Let go of all keys. If that does not help, look for a bridge of solder between them, or a wire in the wrong row."
)
WHEN_NOT_HIGH = "The resistor from this line to 3.3 V is missing or loose. Without it, noise can count as a press."


class Lines(NamedTuple):
    """The pins whose lines are held *low* or *high* or are *free*, and the pairs whose lines are *connected*."""

    low: Sequence[int]
    high: Sequence[int]
    free: Sequence[int]
    connected: Sequence[tuple[int, int]]


async def try_lines(context: SetupContext) -> None:
    """Report the lines of the header that are not as they should be, until the user goes on."""
    prompts = context.prompts
    prompts.show("\nThe wires")
    prompts.say("Setup can pull the lines of switches and keys up and down, before it tries them one by one.")
    question, default = "Test these lines? Keep fingers away from a motor: on a wrong line it could turn.", False
    while await prompts.yes(question, default) and await _report(context):
        question, default = "Test the lines again?", True


async def _report(context: SetupContext) -> bool:
    """Test the lines, and report what was found. Return whether something is wrong."""
    inputs, config, drawing = context.inputs(), _circuit(context.draft.document), _circuit(_drawing())
    held_up = {pin for pin in inputs if _is_held_up(config, gpio(pin))}
    lines = await look_at_lines(context.board.pins, inputs, held_up)
    unknown = {pin for pin in lines.high if gpio(pin) not in config.users}
    in_use = [*inputs.keys() - {*lines.low, *lines.high, *lines.free}]

    def named(*pins: int) -> str:
        return all_of([f"GPIO{pin} ({inputs[pin]})" for pin in pins])

    problems = [
        *(f"{named(pin)} is connected to ground. {WHEN_LOW}" for pin in lines.low),
        *(f"{named(pin)} is held high. {WHEN_HIGH}" for pin in lines.high if pin not in held_up | unknown),
        *(f"{named(pin)} is not held high. {WHEN_NOT_HIGH}" for pin in lines.free if pin in held_up),
        *(f"{named(*pair)} are connected. {WHEN_CONNECTED}" for pair in lines.connected),
    ]
    if not problems and not in_use:
        context.prompts.say("No line of a switch or a key is stuck, and no two of them are connected.")
    for problem in problems:
        context.prompts.say(problem)
    if in_use:
        context.prompts.say(f"Not tested: {named(*sorted(in_use))}. End the program that uses these pins first.")
    if surprising := [pin for pin in unknown if not _is_held_up(drawing, gpio(pin))]:
        context.prompts.say(
            f"Held high: {named(*surprising)}. A switch with a pull-up resistor does that. If there is none, unplug "
            "the Pi: a wire touches 3.3 V or 5 V."
        )
    return bool(problems or in_use)


def _circuit(document: Mapping[str, Any]) -> Circuit:
    try:
        return circuit_of(parse_config(document, path=Path(), where=""))
    except ConfigError:  # setup asks for the settings that are missing
        return Circuit((), {})


def _drawing() -> Mapping[str, Any]:
    return tomllib.loads(resources.files("reboard.setup").joinpath("table.toml").read_text(encoding="utf-8"))


def _is_held_up(circuit: Circuit, net: str) -> bool:
    """Return whether resistors connect *net* to 3.3 V and to nothing else."""
    nets, rails = [net], set()
    for each in nets:  # grows during the loop
        for end, _ in circuit.resistors(each):
            if end in RAILS:
                rails.add(end)
            elif end not in nets:
                nets.append(end)
    return rails == {POWER_3V3}


async def look_at_lines(pins: Factory, numbers: Collection[int], held_up: Collection[int]) -> Lines:
    """Return what the lines at the pins *numbers* are. Pins in use are left out. A resistor holds *held_up* high.

    Raises `DeviceError` if a pin can be read, but not driven.
    """
    pulled_up, pulled_down = [await _levels(pins, numbers, pull_up=pull_up) for pull_up in (True, False)]
    low = [pin for pin, level in pulled_up.items() if not level]
    high = [pin for pin, level in pulled_down.items() if level]
    free = sorted({*pulled_up} & {*pulled_down} - {*low, *high})
    driven = [*free, *(pin for pin in high if pin in held_up)]
    connected = []
    for place, pin in enumerate(driven, start=1):
        with ExitStack() as output:
            with named_pin_errors("line", pin):
                output.enter_context(closing(OutputDevice(pin, initial_value=False, pin_factory=pins)))
            levels = await _levels(pins, driven[place:], pull_up=True)
        connected += [(pin, other) for other, level in levels.items() if not level]
    return Lines(low, high, free, connected)


async def _levels(pins: Factory, numbers: Collection[int], *, pull_up: bool) -> dict[int, bool]:
    """Return the level of each pin that can be opened, after the Pi has pulled all of them up or down."""
    with ExitStack() as inputs:
        opened = {}
        for number in numbers:
            with suppress(DeviceError), named_pin_errors("line", number):
                opened[number] = inputs.enter_context(closing(InputDevice(number, pull_up=pull_up, pin_factory=pins)))
        await asyncio.sleep(SETTLE_S)
        return {number: bool(device.pin.state) for number, device in opened.items()}
