"""The experiments: motor, lines of switches, display, card readers and lamp, each as the config of a table."""

from __future__ import annotations

from hardware.making.spice.netlist import PI, node
from hardware.making.spice.ngspice import Experiment
from reboard.devices.readers.reader_kind import READER_KINDS, SerialReader

HIGH, LOW = "drive=40 v0=3.3 v1=3.3", "drive=40"
"""The conditions of a pin that drives its net."""

INPUT = "up=50k"
"""The condition of a pin that reads a switch: the Pi pulls it up."""

WEAKEST_THRESHOLD_V, STRONGEST_PULL_OHM, LEAK_A = 1.0, 33e3, 10e-6
"""The lowest threshold of the MOSFET; what the Pi's documentation has for a pull-up and for an undriven pin."""

STARTS_S = 0.01
"""When the motor's pin goes high: its supply is connected at 0, so its capacitor is charged by then."""


def _table(*lines: str) -> str:
    return "\n".join(lines)


def _apple(**wiring: object) -> str:
    settings = [f"{name} = {_toml(value)}" for name, value in wiring.items()]
    return _table("[apple]", "lever = 22", "motor = 13", "[wiring.motor]", *settings)


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, (bool, int)) else f'"{value}"'


def gate(pin: str, **wiring: object) -> Experiment:
    """Return the motor whose pin is not driven, in the condition *pin*, when its batteries are connected."""
    conditions = {"GPIO13": pin, "transistor": f"vto={WEAKEST_THRESHOLD_V}"}
    return Experiment(_apple(**wiring), conditions, stop_s=0.1, step_s=20e-6)


def start(supply: str = "batteries", *, stalled: bool = False, stop_s: float = 0.5, **parts: str) -> Experiment:
    """Return the motor when its pin goes high, free or stalled. *parts* are parameters: ``fuse="cold=0.77"``."""
    conditions = {"GPIO13": f"drive=40 v1=3.3 at={STARTS_S}", "motor": f"stalled={int(stalled)}", **_named(parts)}
    return Experiment(_apple(supply=supply), conditions, stop_s=stop_s, step_s=stop_s / 10_000)


def short(supply: str = "batteries", fuse_ma: int = 500, **parts: str) -> Experiment:
    """Return the motor's board with its + and - touching."""
    more = f"Rshort {node('apple.motor: motor +')} 0 0.02"
    return Experiment(_apple(supply=supply, fuse_ma=fuse_ma), {"GPIO13": LOW, **_named(parts)}, 60, 6e-3, more)


def swapped_cells() -> Experiment:
    """Return the motor's board with the two wires of its cells swapped."""
    return Experiment(_apple(), {"GPIO13": LOW, "battery box": "gives_v=-4.5"}, 60, 6e-3)


def stop(**wiring: object) -> Experiment:
    """Return the stalled motor when its pin goes low after 5 ms."""
    conditions = {"GPIO13": f"drive=40 v1=3.3 at={STARTS_S} lasts=5m", "motor": "stalled=1"}
    return Experiment(_apple(**wiring), conditions, stop_s=STARTS_S + 7e-3, step_s=1e-6)


def _named(parts: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", " ") if name != "pi" else PI: condition for name, condition in parts.items()}


BUTTON = _table("[block]", "button = 17", "lamp = 27")
UNPROTECTED = _table(BUTTON, "[wiring.button]", "protected = false")
CARD_SWITCHES = _table("[bank]", 'left = { reader = "bumps", pins = [7, 8, 9] }')
CLOSES_S, OPENS_S = 1e-3, 4e-3


def press(table: str, name: str, pin: str, pull: str = INPUT) -> Experiment:
    """Return a switch that closes after 1 ms and opens 3 ms later. Its pin is in the condition *pull*."""
    conditions = {pin: pull, name: f"closes={CLOSES_S} held={OPENS_S - CLOSES_S}"}
    return Experiment(table, conditions, stop_s=0.01, step_s=0.5e-6)


def swapped(table: str) -> Experiment:
    """Return the pressed button whose line is by mistake on a pin that drives a lamp."""
    return Experiment(table, {"GPIO17": HIGH, "button": "closes=0"}, stop_s=1e-3)


def static(table: str) -> Experiment:
    """Return a discharge of 8 kV (150 pF, 330 ohms: IEC 61000-4-2) into the line of the button."""
    line = node("block.button: line" if table == BUTTON else "GPIO17")
    more = f"Vstatic st 0 PULSE(0 8k 1u 1n 1n 1)\nRstatic st su 330\nCstatic su {line} 150p"
    return Experiment(table, {"GPIO17": INPUT}, stop_s=20e-6, step_s=2e-9, more=more)


def display(power: str = "3.3V", *, level_shifter: bool = False) -> Experiment:
    """Return the display that answers on SDA from 20 µs on, for half of each 10 µs."""
    wiring = ["[wiring.display]", f'power = "{power}"', f"level_shifter = {_toml(level_shifter)}"]
    table = _table("[bank]", 'display = { driver = "hd44780-i2c" }', *wiring)
    return Experiment(table, {"display": "answers=20u"}, stop_s=60e-6, step_s=5e-9)


def reader(kind: str, port: str = "/dev/ttyUSB0", divider: bool | None = None) -> Experiment:
    """Return a card reader that sends 0101… on a USB adapter, or on the header if *port* is ``/dev/serial0``."""
    wiring = ["[wiring.left]", 'power = "5V"', *([] if divider is None else [f"divider = {_toml(divider)}"])]
    table = _table("[bank]", f'left = {{ reader = "{kind}", port = "{port}" }}', *wiring)
    conditions = {"GPIO15": INPUT} if port == "/dev/serial0" else {}
    of_kind = READER_KINDS[kind]
    assert isinstance(of_kind, SerialReader)
    return Experiment(table, conditions, stop_s=3 / of_kind.baud_rate, step_s=5e-9)


def lamp(
    driver: str = "pin", resistor_ohm: int = 330, led: str = "", pin: str = HIGH, lamp_pin: int = 27
) -> Experiment:
    """Return the lamp while its pin is in the condition *pin*. *led* are parameters of its LED: ``vf=3.2 at_ma=20``."""
    table = _table(
        "[block]", "button = 17", f"lamp = {lamp_pin}",
        "[wiring.lamp]", f'driver = "{driver}"', f"resistor_ohm = {resistor_ohm}",
    )  # fmt: skip
    return Experiment(table, {f"GPIO{lamp_pin}": pin, "lamp": led}, stop_s=1e-3)
