"""The circuit of a motor: its fuse, MOSFET, gate resistors, flyback diode and capacitors."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from reboard.devices.circuits import motor_rules as rules
from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit
from reboard.devices.motor import MotorWiring
from reboard.finding import Finding
from reboard.netlist.circuit import FUSE, Circuit
from reboard.netlist.hardware_data import Model, gpio, pin_limits

if TYPE_CHECKING:
    from reboard.netlist.schematic import End, Pen

MOSFETS = {"mosfet", "irlb8721", "irf520"}
"""The kinds of transistors that can switch the motor."""

OWN_SUPPLIES = ("battery box", "second supply")
"""The names of the parts that supply the motor alone."""


class MotorCircuit(DeviceCircuit):
    """The circuit of a motor that a MOSFET switches, or that is connected directly to its pin by mistake."""

    def rules(self, circuit: Circuit, device: Device, wiring: MotorWiring, model: Model) -> Iterator[Finding]:
        if device.config is None:
            return
        parts, net = circuit.of_device(device.label), gpio(device.config)
        if device.config in pin_limits().pulled_up_at_start:
            yield rules.starts_on(device.label, net)
        if wiring.driver == "pin":
            yield rules.on_pin(net)
        else:
            yield from (rules.own_supply(wiring, parts[name]) for name in OWN_SUPPLIES if name in parts)
            yield rules.fuse(wiring)
            yield rules.gate(wiring, parts, net)
            yield from rules.transistor(wiring, parts["transistor"])
        yield rules.diode(wiring, parts.get("flyback diode"))
        yield from rules.capacitors(wiring)
        if wiring.driver == "mosfet":
            yield rules.ground(circuit, parts["transistor"])

    def pin_ma(self, circuit: Circuit, device: Device, wiring: MotorWiring) -> float:
        if wiring.driver == "pin" or not wiring.gate_pull_down_ohm:
            return 0.0  # a motor must come off its pin, whatever it takes
        gate = circuit.of_device(device.label)["gate resistor"]
        return pin_limits().gives_v / ((gate.ohm or 0.0) + wiring.gate_pull_down_ohm) * 1000

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        if not MOSFETS & set(kinds):
            return CircuitDrawing(_draw_on_pin, (9.0, 2.2))
        has_own_supply = "battery-box" in kinds or "second-supply" in kinds
        width, height = (16.0, 6.9) if has_own_supply else (13.2, 8.9 if FUSE in kinds else 7.3)
        return CircuitDrawing(_draw, (width, height))


def _draw(pen: Pen) -> None:
    x, y, low = pen.LEFT, 1.75, 0.55
    pen.leads_to(("gate resistor", "a"), (x, y), "left")
    pen.part("gate resistor", ("a", "b"), (x, y), (x + 2, y), beside="above")
    gate = (x + 3.8, y)
    legs = pen.symbol("transistor", gate, "gate", beside="right")
    pen.wire([(x + 2, y), gate], ("gate resistor", "b"), ("transistor", "G"))
    pen.net(("transistor", "G"), (x + 2.05, y))
    source, drain = legs["source"], legs["drain"]
    pen.text("G", (gate[0] + 0.1, y + 0.12), small=True)
    pen.text("D", (drain[0] - 0.25, drain[1] - 0.6), small=True)
    pen.text("S", (source[0] - 0.25, source[1] + 0.35), small=True)
    if pen.has("gate's pull-down"):
        at = x + 2.4
        pen.dot((at, y))
        pen.part("gate's pull-down", ("a", "b"), (at, y), (at, low), beside="right")
        pen.wire([(at, low), (source[0], low)], ("gate's pull-down", "b"), ("transistor", "S"))
        pen.spare(("gate's pull-down", "a"))
    pen.wire([source, (source[0], low)], ("transistor", "S"))
    minus = drain[1] + 0.2
    top, left, right = minus + 2.0, drain[0] - 2.6, drain[0] + 1.8
    pen.part("motor", ("+", "-"), (drain[0], top), (drain[0], minus), beside="left")
    pen.wire([drain, (drain[0], minus)], ("transistor", "D"), ("motor", "-"))
    pen.text("+", (drain[0] - 0.4, top - 0.45))
    pen.net(("motor", "+"), (drain[0] - 0.2, top), align="right")
    pen.net(("motor", "-"), (drain[0] - 0.2, minus - 0.55), align="right")
    if pen.has("flyback diode"):
        pen.dot((drain[0], minus))
        pen.dot((drain[0], top))
        pen.wire([(drain[0], minus), (right, minus)], ("flyback diode", "anode"), ("motor", "-"))
        pen.part("flyback diode", ("anode", "cathode"), (right, minus), (right, top), beside="right")
        pen.wire([(drain[0], top), (right, top)], ("flyback diode", "cathode"), ("motor", "+"))
    bulk, battery = right + 2.0, right + 5.5
    if pen.has("suppression capacitor"):
        pen.wire([(left, top), (drain[0], top)], ("suppression capacitor", "a"), ("motor", "+"))
        pen.part("suppression capacitor", ("a", "b"), (left, top), (left, minus), beside="left")
        pen.wire([(left, minus), (drain[0], minus)], ("suppression capacitor", "b"), ("motor", "-"))
    if pen.has("bulk capacitor"):
        pen.wire([(right, top), (bulk, top)], ("bulk capacitor", "+"), ("motor", "+"))
        pen.part("bulk capacitor", ("+", "-"), (bulk, top), (bulk, low), beside="left")
        pen.wire([(bulk, low), (source[0], low)], ("bulk capacitor", "-"), ("transistor", "S"))
    supplied: End = ("fuse", "a") if pen.has("fuse") else ("motor", "+")
    if own := [name for name in OWN_SUPPLIES if pen.has(name)]:
        plus = top - 2.2 if pen.has("fuse") else top
        pen.wire([(drain[0], top), (battery, top)], ("motor", "+"), ("fuse", "b") if pen.has("fuse") else (own[0], "+"))
        if pen.has("fuse"):
            pen.part("fuse", ("b", "a"), (battery, top), (battery, plus + 0.4), beside="left")
            pen.wire([(battery, plus + 0.4), (battery, plus)], supplied, (own[0], "+"))
            pen.net(supplied, (battery - 0.15, plus), align="right")
        pen.part(own[0], ("+", "-"), (battery, plus), (battery, low), beside="left")
        pen.text("+", (battery + 0.3, (plus + low) / 2 + 0.4))
        pen.wire([(battery, low), (source[0], low)], (own[0], "-"), ("transistor", "S"))
    elif pen.has("fuse"):
        start, end = (drain[0], top), (drain[0], top + 1.8)
        pen.part("fuse", ("b", "a"), start, end, beside="right")
        pen.spare(("fuse", "b"))
        pen.leads_to(supplied, end, "up")
    else:
        pen.leads_to(supplied, (drain[0], top), "up")
    if pen.goes_to_header("transistor", "S"):
        pen.leads_to(("transistor", "S"), (source[0], low), "down")


def _draw_on_pin(pen: Pen) -> None:
    y = 1.3
    pen.leads_to(("motor", "+"), (pen.LEFT, y), "left")
    pen.part("motor", ("+", "-"), (pen.LEFT, y), (pen.LEFT + 2.2, y), beside="above")
    pen.leads_to(("motor", "-"), (pen.LEFT + 2.2, y), "down")


CIRCUIT = MotorCircuit()
