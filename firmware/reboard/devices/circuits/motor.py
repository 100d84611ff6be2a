"""The circuit of a motor: MOSFET, gate resistors, flyback diode, capacitors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import ceil
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit
from reboard.devices.motor import MotorWiring
from reboard.finding import Finding, apart, fine, note, wrong
from reboard.netlist.circuit import Circuit, Part, ohms
from reboard.netlist.electrical_rules import choose_another_pin, on_header
from reboard.netlist.hardware_data import Model, gpio, pin_limits

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

WEAKEST_PULL_DOWN_OHM = 100_000
"""The largest useful gate pull-down resistor, in ohms. With it, the leakage current of an
undriven pin, up to 10 µA, raises the gate to 1 V. Some transistors begin to conduct at 1 V."""

CONDUCTS_FROM_V = 1.0
"""The lowest gate voltage at which the transistor can conduct, in volts. The threshold of an IRLZ44N is 1 to 2 V."""

PULSE = 2
"""The ratio of a diode's largest pulse current to its rated current. The rating is the average of a current that flows
half of the time."""

TAKE_10_KILOHM = "Use a resistor of 10 kΩ, and write `gate_pull_down_ohm = 10000` into [wiring.motor]."


class MotorCircuit(DeviceCircuit):
    """The circuit of a motor that a MOSFET switches, or that is connected directly to its pin by mistake."""

    def rules(self, circuit: Circuit, device: Device, wiring: MotorWiring, model: Model) -> Iterator[Finding]:
        if device.config is None:
            return
        parts, net = circuit.of_device(device.label), gpio(device.config)
        if device.config in pin_limits().pulled_up_at_start:
            yield wrong(
                "pins.start",
                f"The motor uses {on_header(net)}, which is high while a Pi starts: the motor would run on its own.",
                f"{choose_another_pin([device.label])} GPIO9 and higher are low while a Pi starts.",
            )
        if wiring.driver == "pin":
            yield _on_pin(net)
        else:
            yield _gate(wiring, parts, net)
            yield from _transistor(wiring, parts["transistor"])
        yield _diode(wiring, parts.get("flyback diode"))
        yield from _capacitors(wiring)
        if wiring.driver == "mosfet":
            yield _ground(circuit, parts["transistor"])

    def pin_ma(self, circuit: Circuit, device: Device, wiring: MotorWiring) -> float:
        if wiring.driver == "pin" or not wiring.gate_pull_down_ohm:
            return 0.0  # a motor must come off its pin, whatever it takes
        gate = circuit.of_device(device.label)["gate resistor"]
        return pin_limits().gives_v / ((gate.ohm or 0.0) + wiring.gate_pull_down_ohm) * 1000

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        if "mosfet" not in kinds:
            return CircuitDrawing(_draw_on_pin, (9.0, 2.2))
        return CircuitDrawing(_draw, (17.0, 6.4)) if "battery-box" in kinds else CircuitDrawing(_draw, (13.4, 6.4))


def _on_pin(net: str) -> Finding:
    return wrong(
        "currents.pin",
        f"The motor is connected directly to {on_header(net)}. A pin supplies at most {pin_limits().most_ma} mA, too "
        "little for a motor to start, and each stop of the motor causes a voltage spike.",
        "Put a MOSFET between the pin and the motor, with a 10 kΩ resistor from its gate to ground. Write "
        '`driver = "mosfet"` and `gate_pull_down_ohm = 10000` into [wiring.motor]. `reboard wiring` then lists the '
        "connections.",
    )


def _gate(wiring: MotorWiring, parts: Mapping[str, Part], pin: str) -> Finding:
    down_ohm, needs_v = wiring.gate_pull_down_ohm, parts["transistor"].kind.terminals["G"].needs_v or 0
    if not down_ohm:
        return wrong(
            "motor.gate",
            "The gate of the motor's transistor has no resistor to ground: the motor can run on its own while "
            "the Pi starts, or when a wire comes off.",
            f"Connect a resistor of 10 kΩ from the gate to ground, and keep the wire to {on_header(pin)}. Write "
            "`gate_pull_down_ohm = 10000` into [wiring.motor].",
        )
    if down_ohm > WEAKEST_PULL_DOWN_OHM:
        return wrong(
            "motor.gate",
            f"The resistor from the transistor's gate to ground is {ohms(down_ohm)}, too high to keep the motor off.",
            TAKE_10_KILOHM,
        )
    volts = pin_limits().gives_v * down_ohm / (down_ohm + (parts["gate resistor"].ohm or 0.0))
    if volts < needs_v:
        then = "is only partly on and gets hot" if volts >= CONDUCTS_FROM_V else "stays off, and the motor does not run"
        return wrong(
            "motor.gate",
            f"The resistor from the transistor's gate to ground is only {ohms(down_ohm)}, so the gate gets at most "
            f"{apart(volts, needs_v, 1)} V but needs {needs_v:g} V: the transistor {then}.",
            TAKE_10_KILOHM,
        )
    return fine("motor.gate", f"A resistor of {ohms(down_ohm)} keeps the motor off while its pin is not driven.")


def _transistor(wiring: MotorWiring, transistor: Part) -> Iterator[Finding]:
    # at the lowest voltage that `_gate` lets pass, not at the voltage of this gate
    stands_ma, gate_v = transistor.most_through("D"), transistor.kind.terminals["G"].needs_v
    if wiring.stalled_ma > stands_ma:
        yield wrong(
            "motor.transistor",
            f"The motor draws {_amperes(wiring.stalled_ma)} when it starts or stalls, but the limit of its "
            f"transistor{_value(transistor)} is {_amperes(stands_ma)} at a gate voltage of {gate_v:g} V.",
            "Use a motor with a lower `stalled_ma`, or a transistor whose data sheet allows this current at "
            f"a gate voltage of {gate_v:g} V (`transistor_ma = {wiring.stalled_ma:g}`). Write the new value into "
            "[wiring.motor].",
        )


def _diode(wiring: MotorWiring, diode: Part | None) -> Finding:
    if diode is None:
        return wrong(
            "motor.diode",
            "The motor has no flyback diode: each time the motor is switched off, a voltage spike hits "
            f"{'the transistor and ' if wiring.driver == 'mosfet' else ''}the Pi.",
            f"Connect a 1N5819 across the motor, with its stripe at the motor's +{_then(wiring, 'flyback_diode')}.",
        )
    stands_ma = diode.most_through("anode")
    needed_ma = max(wiring.running_ma, wiring.stalled_ma / PULSE)
    if needed_ma <= stands_ma:
        return fine("motor.diode", "The flyback diode is strong enough for the motor's current.")
    if wiring.running_ma > stands_ma:
        takes, stands = f"{_amperes(wiring.running_ma)} while it turns", _amperes(stands_ma)
    else:
        takes = f"{_amperes(wiring.stalled_ma)} when it starts or stalls"
        stands = f"{_amperes(stands_ma * PULSE)} in a pulse"
    size_ma = ceil(needed_ma / 1000) * 1000
    return wrong(
        "motor.diode",
        f"The motor draws {takes}, but the limit of its flyback diode{_value(diode)} is {stands}.",
        f"Use a Schottky diode for {_amperes(size_ma)} or more. Write `diode_ma = {size_ma}` into [wiring.motor].",
    )


def _capacitors(wiring: MotorWiring) -> Iterator[Finding]:
    if wiring.driver == "pin" or not wiring.suppression_capacitor:
        yield note(
            "motor.capacitors",
            "The motor has no capacitor across its terminals: sparks from its brushes can interfere with keypads, card "
            "readers and Wi-Fi.",
            f"Solder a 100 nF capacitor directly across the motor's terminals{_then(wiring, 'suppression_capacitor')}.",
        )
    if wiring.driver == "mosfet" and not wiring.bulk_capacitor:
        sags, between, minus = ("the Pi's 5 V supply sags", "from 5 V to ground", "ground")
        if wiring.supply == "batteries":
            sags, between, minus = ("the batteries' voltage sags", "from the batteries' + to their -", "-")
        yield note(
            "motor.capacitors",
            "The motor's board has no capacitor across its supply: at each start the motor draws as much current as "
            f"when it stalls, and {sags}.",
            f"Connect an electrolytic capacitor of 470 µF or more {between} on the motor's board, with its stripe at "
            f"{minus}{_then(wiring, 'bulk_capacitor')}.",
        )


def _ground(circuit: Circuit, transistor: Part) -> Finding:
    if circuit.is_grounded(transistor.nets["S"]):
        return fine("motor.ground", "The motor's circuit and the Pi share a ground.")
    return wrong(
        "motor.ground",
        "The motor's batteries and the Pi do not share a ground, so the pin cannot switch the motor.",
        "Connect the batteries' - to a ground pin of the header. Write `common_ground = true` into [wiring.motor].",
    )


def _then(wiring: MotorWiring, setting: str) -> str:
    """Return the end of a remedy: the setting to write, or ``""`` for the driver ``pin``, which ignores it."""
    return f". Then write `{setting} = true` into [wiring.motor]" if wiring.driver == "mosfet" else ""


def _value(part: Part) -> str:
    """Return the value of *part* in parentheses, or ``""`` if the config sets its limit, because it may differ then."""
    return f" ({part.kind.value})" if part.stands_ma is None else ""


def _amperes(milliamperes: float) -> str:
    return f"{milliamperes / 1000:g} A"


def _draw(pen: Pen) -> None:
    x, y = pen.LEFT, 2.0
    pen.leads_to(("gate resistor", "a"), (x, y), "left")
    pen.part("gate resistor", ("a", "b"), (x, y), (x + 2, y))
    gate = (x + 3.6, y)
    legs = pen.symbol("transistor", gate, "gate")
    pen.wire([(x + 2, y), gate], ("gate resistor", "b"), ("transistor", "G"))
    source, drain = legs["source"], legs["drain"]
    pen.text("G", (gate[0] - 0.15, y + 0.1), small=True)
    pen.text("D", (drain[0] + 0.3, drain[1] - 0.35), small=True)
    pen.text("S", (source[0] + 0.3, source[1] - 0.15), small=True)
    pen.text(pen.printed_on("transistor"), (source[0] + 0.25, y - 0.1), small=True, align="left")
    low = 0.55
    if pen.has("gate's pull-down"):
        at = x + 2.6
        pen.dot((at, y))
        pen.part("gate's pull-down", ("a", "b"), (at, y), (at, low), beside="bottom")
        pen.wire([(at, low), (source[0], low)], ("gate's pull-down", "b"), ("transistor", "S"))
        pen.spare(("gate's pull-down", "a"))
    pen.wire([source, (source[0], low)], ("transistor", "S"))
    top, right = drain[1] + 2.0, drain[0] + 1.9
    pen.part("motor", ("+", "-"), (drain[0], top), (drain[0], drain[1] + 0.2), beside="top")
    pen.wire([drain, (drain[0], drain[1] + 0.2)], ("transistor", "D"), ("motor", "-"))
    pen.text("+", (drain[0] - 0.6, top - 0.5))
    if pen.has("flyback diode"):
        pen.dot((drain[0], drain[1] + 0.2))
        pen.dot((drain[0], top))
        pen.wire([(drain[0], drain[1] + 0.2), (right, drain[1] + 0.2)], ("flyback diode", "anode"), ("motor", "-"))
        pen.part("flyback diode", ("anode", "cathode"), (right, drain[1] + 0.2), (right, top), beside="bottom")
        pen.wire([(drain[0], top), (right, top)], ("flyback diode", "cathode"), ("motor", "+"))
    left, bulk = drain[0] - 2.4, right + 2.0
    if pen.has("suppression capacitor"):
        pen.wire([(left, top), (drain[0], top)], ("suppression capacitor", "a"), ("motor", "+"))
        pen.part("suppression capacitor", ("a", "b"), (left, top), (left, drain[1] + 0.2), beside="top")
        pen.wire([(left, drain[1] + 0.2), (drain[0], drain[1] + 0.2)], ("suppression capacitor", "b"), ("motor", "-"))
    if pen.has("bulk capacitor"):
        pen.wire([(right, top), (bulk, top)], ("bulk capacitor", "+"), ("motor", "+"))
        pen.part("bulk capacitor", ("+", "-"), (bulk, top), (bulk, low), beside="top")
        pen.wire([(bulk, low), (source[0], low)], ("bulk capacitor", "-"), ("transistor", "S"))
    if pen.has("battery box"):
        battery = bulk + 2.4
        pen.wire([(drain[0], top), (battery, top)], ("battery box", "+"), ("motor", "+"))
        pen.part("battery box", ("+", "-"), (battery, top), (battery, low), beside="bottom")
        pen.wire([(battery, low), (source[0], low)], ("battery box", "-"), ("transistor", "S"))
    else:
        pen.leads_to(("motor", "+"), (drain[0], top), "up")
    if pen.goes_to_header("transistor", "S"):
        pen.leads_to(("transistor", "S"), (source[0], low), "down")


def _draw_on_pin(pen: Pen) -> None:
    y = 1.3
    pen.leads_to(("motor", "+"), (pen.LEFT, y), "left")
    pen.part("motor", ("+", "-"), (pen.LEFT, y), (pen.LEFT + 2.2, y))
    pen.leads_to(("motor", "-"), (pen.LEFT + 2.2, y), "down")


CIRCUIT = MotorCircuit()
