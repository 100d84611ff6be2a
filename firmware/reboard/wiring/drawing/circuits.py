"""How each circuit looks. What goes where is the pen's to know: here is only the place of things on the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from schemdraw import elements

from reboard.parts.keypad import LEGEND
from reboard.wiring.connections import USB
from reboard.wiring.drawing.pen import SMALL, End, Pen, Point

TAG_X = 3.2
"""Where flags on the left end, and wires begin."""


SLOT_PITCH = 1.35
"""Room for a resistor between two wires."""

READERS: Mapping[str, Sequence[str]] = {
    "rdm6300": ("5V", "TX", "GND"),
    "id12": ("VCC", "D0", "GND", "RES", "FORM"),
    "pn532": ("VCC", "TXD", "GND", "RXD"),
}
"""Each reader's terminals: what feeds it, what it says, its ground, and the others."""


class Look(NamedTuple):
    """A way to draw a circuit, and the paper that it takes: width and height."""

    draw: Callable[[Pen], None]
    size: Point


def look_of(circuit: str, kinds: set[str]) -> Look:
    """How to draw the *circuit* that has parts of these *kinds*."""
    if circuit.endswith(" slot"):
        return next(look for kind, look in SLOTS.items() if kind in kinds)
    if circuit == "lamp" and "transistor" in kinds:
        return Look(_bright_lamp, (9.0, 6.0))
    if circuit == "motor" and "mosfet" not in kinds:
        return Look(_motor_on_a_pin, (9.0, 2.2))
    if "battery-box" in kinds:
        return Look(_motor, (16.4, 6.4))
    if circuit == "speaker" and "usb-speaker" in kinds:
        return Look(_on_usb, (9.0, 2.4))
    return LOOKS[circuit]


def _button(pen: Pen) -> None:
    y = 1.3
    pen.leads_to(("button", "NO"), (TAG_X, y), "left")
    pen.part("button", ("NO", "C"), (TAG_X, y), (TAG_X + 2.2, y))
    pen.leads_to(("button", "C"), (TAG_X + 2.2, y), "down")


def _lever(pen: Pen) -> None:
    y = 1.3
    pen.leads_to(("lever", "NO"), (TAG_X, y), "left")
    pen.part("lever", ("NO", "C"), (TAG_X, y), (TAG_X + 2.2, y))
    pen.text("NO", (TAG_X + 0.35, y + 0.12), size=SMALL)
    pen.text("C", (TAG_X + 1.9, y + 0.12), size=SMALL)
    pen.leads_to(("lever", "C"), (TAG_X + 2.2, y), "down")


def _lamp(pen: Pen) -> None:
    y, x = 1.3, TAG_X
    if pen.has("lamp resistor"):
        pen.leads_to(("lamp resistor", "a"), (x, y), "left")
        pen.part("lamp resistor", ("a", "b"), (x, y), (x + 2, y))
        pen.wire([(x + 2, y), (x + 2.2, y)], ("lamp resistor", "b"), ("lamp", "+"))
        x += 2.2
    else:
        pen.leads_to(("lamp", "+"), (x, y), "left")
    pen.part("lamp", ("+", "-"), (x, y), (x + 2, y), beside="bottom")
    pen.leads_to(("lamp", "-"), (x + 2, y), "down")


def _bright_lamp(pen: Pen) -> None:
    y, x = 1.4, TAG_X
    pen.leads_to(("base resistor", "a"), (x, y), "left")
    pen.part("base resistor", ("a", "b"), (x, y), (x + 2, y))
    legs = pen.symbol(elements.BjtNpn(circle=True), (x + 2.2, y), "base")
    pen.wire([(x + 2, y), (x + 2.2, y)], ("base resistor", "b"), ("lamp transistor", "base"))
    pen.leads_to(("lamp transistor", "emitter"), legs["emitter"], "down")
    x, y = legs["collector"]
    pen.wire([(x, y), (x, y + 0.2)], ("lamp transistor", "collector"), ("lamp", "-"))
    pen.part("lamp", ("+", "-"), (x, y + 1.6), (x, y + 0.2), beside="bottom")
    if pen.has("lamp resistor"):
        pen.wire([(x, y + 1.6), (x, y + 1.7)], ("lamp", "+"), ("lamp resistor", "b"))
        pen.part("lamp resistor", ("a", "b"), (x, y + 3.1), (x, y + 1.7), beside="bottom")
        pen.leads_to(("lamp resistor", "a"), (x, y + 3.1), "up")
    else:
        pen.leads_to(("lamp", "+"), (x, y + 1.6), "up")


def _motor(pen: Pen) -> None:
    x, y = TAG_X, 2.0
    pen.leads_to(("gate resistor", "a"), (x, y), "left")
    pen.part("gate resistor", ("a", "b"), (x, y), (x + 2, y))
    gate = (x + 3.6, y)
    legs = pen.symbol(elements.NFet(bulk=False).reverse(), gate, "gate")
    pen.wire([(x + 2, y), gate], ("gate resistor", "b"), ("transistor", "G"))
    source, drain = legs["source"], legs["drain"]
    pen.text("G", (gate[0] - 0.15, y + 0.1), size=SMALL)
    pen.text("D", (drain[0] + 0.3, drain[1] - 0.35), size=SMALL)
    pen.text("S", (source[0] + 0.3, source[1] - 0.15), size=SMALL)
    pen.text(pen.printed_on("transistor"), (source[0] + 0.25, y - 0.1), size=SMALL, align="left")
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


def _motor_on_a_pin(pen: Pen) -> None:
    y = 1.3
    pen.leads_to(("motor", "+"), (TAG_X, y), "left")
    pen.part("motor", ("+", "-"), (TAG_X, y), (TAG_X + 2.2, y))
    pen.leads_to(("motor", "-"), (TAG_X + 2.2, y), "down")


def _line_slot(pen: Pen) -> None:
    """A reader on a serial line: the reader on the right, the header's pins or the adapter on the left."""
    reader = next(part for part in pen.parts.values() if part.name.endswith("reader"))
    name, adapter = reader.name, reader.name.replace("reader", "adapter")
    power, says, ground, *others = READERS[reader.kind.name]
    terminals = [power, says, ground, *others]
    corner = (TAG_X + 5.0, 0.4 + SLOT_PITCH * len(terminals))
    pen.box(name, corner, (2.4, SLOT_PITCH * len(terminals)), left=terminals, pitch=SLOT_PITCH)
    right = {terminal: pen.row(corner, place, SLOT_PITCH) for place, terminal in enumerate(terminals)}
    left = {terminal: (TAG_X, at[1]) for terminal, at in right.items()}
    if pen.has(adapter):
        gives = "5V" if "5V" in pen.parts[adapter].wires else "3V3"
        pairs = {power: gives, says: "RXD", ground: "GND"} | ({"RXD": "TXD"} if "RXD" in others else {})
        size = (2.2, SLOT_PITCH * len(pairs))
        pen.box(adapter, (TAG_X - 2.2, corner[1]), size, right=list(pairs.values()), pitch=SLOT_PITCH)
        pen.text("to USB", (TAG_X - 2.05, left[ground][1] - 0.5), size=SMALL, align="left", middle=True)
        pen.spare((adapter, USB))
        for terminal, given in pairs.items():
            if terminal != says:
                pen.wire([left[terminal], right[terminal]], (adapter, given), (name, terminal))
        _signal(pen, (name, says), (adapter, "RXD"), left[says], right[says], left[ground][1])
    else:
        for terminal in [power] + ["RXD"] * ("RXD" in others):
            pen.leads_to((name, terminal), left[terminal], "left")
            pen.wire([left[terminal], right[terminal]], (name, terminal))
        _ground_beside(pen, (name, ground), right[ground])
        _signal(pen, (name, says), None, left[says], right[says], left[ground][1])
    for terminal in others:
        if terminal != "RXD":
            other = power if pen.joined((name, terminal), (name, power)) else ground
            where = (right[terminal][0] + 2.15, right[terminal][1])
            pen.text(f"to {other}", where, size=SMALL, align="right", middle=True)
            pen.spare((name, terminal))


def _signal(pen: Pen, says: End, adapter: End | None, left: Point, right: Point, ground: float) -> None:
    """What a reader says, through its divider if it has one, to the adapter or to a pin."""
    side = says[0].removesuffix(" reader")
    upper, lower = f"{side} upper divider", f"{side} lower divider"
    line = (upper, "b") if pen.has(upper) else says
    if adapter is None:
        pen.leads_to(line, left, "left")
    if not pen.has(upper):
        pen.wire([left, right], says, *([adapter] if adapter else []))
        return
    y, fork = left[1], left[0] + 1.4
    pen.wire([left, (fork + 0.4, y)], line, (lower, "a"), *([adapter] if adapter else []))
    pen.part(upper, ("b", "a"), (fork + 0.4, y), (fork + 2.2, y))
    pen.wire([(fork + 2.2, y), right], (upper, "a"), says)
    pen.dot((fork, y))
    pen.part(lower, ("a", "b"), (fork, y), (fork, ground), beside="bottom")
    if adapter:
        pen.dot((fork, ground))
        pen.wire([(fork, ground), (right[0], ground)], (lower, "b"), (adapter[0], "GND"))
    else:
        pen.leads_to((lower, "b"), (fork, ground), "down")


def _switches(pen: Pen) -> None:
    for place, part in enumerate(pen.parts.values()):
        y = 4.0 - 1.25 * place
        pen.leads_to((part.name, "NO"), (TAG_X, y), "left")
        pen.part(part.name, ("NO", "C"), (TAG_X, y), (TAG_X + 2.2, y))
        pen.wire([(TAG_X + 2.2, y), (TAG_X + 3, y)], (part.name, "C"))
        if place:
            pen.dot((TAG_X + 3, y))
    first, *_, last = pen.parts
    pen.wire([(TAG_X + 3, 4.0), (TAG_X + 3, 1.5)], *((name, "C") for name in pen.parts))
    pen.leads_to((last, "C"), (TAG_X + 3, 1.5), "down")
    pen.spare((first, "C"))


def _keypad(pen: Pen) -> None:
    corner, rows = (TAG_X, 5.9), list(pen.parts["keypad"].wires)
    pen.box("keypad", corner, (4.2, 0.35 + 0.7 * len(rows)), left=rows)
    for place, terminal in enumerate(rows):
        pen.leads_to(("keypad", terminal), pen.row(corner, place), "left")
    for row, keys in enumerate(LEGEND):
        for column, key in enumerate(keys):
            pen.text(key, (TAG_X + 1.0 + 0.85 * column, 4.9 - 0.9 * row), size=SMALL, middle=True, pale=True)


def _display(pen: Pen) -> None:
    terminals = ["VCC", "SDA", "SCL", "GND"]
    corner = (TAG_X, 3.9)
    if pen.has("level shifter"):
        _behind_a_shifter(pen, corner, terminals)
        return
    pen.box("display", corner, (3.0, 3.15), left=terminals)
    for place, terminal in enumerate(terminals[:3]):
        pen.leads_to(("display", terminal), pen.row(corner, place), "left")
    _ground_beside(pen, ("display", "GND"), pen.row(corner, 3))


def _behind_a_shifter(pen: Pen, corner: Point, terminals: Sequence[str]) -> None:
    low, high = ["LV", "LV1", "LV2"], ["HV", "HV1", "HV2"]
    far = (corner[0] + 5.2, corner[1])
    pen.box("level shifter", corner, (2.4, 3.15), left=[*low, "GND"], right=high)
    pen.box("display", far, (2.4, 3.15), left=terminals)
    for place, terminal in enumerate(low):
        pen.leads_to(("level shifter", terminal), pen.row(corner, place), "left")
        there = pen.row(far, place)
        pen.wire([(corner[0] + 2.4, there[1]), there], ("level shifter", high[place]), ("display", terminals[place]))
    pen.leads_to(("display", "VCC"), (corner[0] + 3.3, pen.row(corner, 0)[1]), "up")
    for name, at in (("level shifter", corner), ("display", far)):
        _ground_beside(pen, (name, "GND"), pen.row(at, 3))


def _ground_beside(pen: Pen, end: End, at: Point) -> None:
    """A ground a little to the left of a box's terminal."""
    beside = (at[0] - 0.5, at[1])
    pen.wire([at, beside], end)
    pen.leads_to(end, beside, "down")


def _amplifier(pen: Pen) -> None:
    terminals = ["VIN", "BCLK", "LRC", "DIN", "GND"]
    corner = (TAG_X, 4.6)
    pen.box("amplifier", corner, (3.4, 3.85), left=terminals, right=["speaker +", "speaker -"])
    for place, terminal in enumerate(terminals[:4]):
        pen.leads_to(("amplifier", terminal), pen.row(corner, place), "left")
    _ground_beside(pen, ("amplifier", "GND"), pen.row(corner, 4))
    plus, minus = pen.row((TAG_X + 3.4, 4.6), 0), pen.row((TAG_X + 3.4, 4.6), 1)
    at = pen.symbol(elements.Speaker(), (plus[0] + 0.8, plus[1]), "in1")
    pen.wire([plus, at["in1"]], ("amplifier", "speaker +"), ("speaker", "+"))
    pen.wire(
        [minus, (minus[0] + 0.4, minus[1]), (minus[0] + 0.4, at["in2"][1]), at["in2"]],
        ("amplifier", "speaker -"),
        ("speaker", "-"),
    )
    pen.text("speaker", (plus[0] + 1.4, plus[1] + 0.85))


def _on_usb(pen: Pen) -> None:
    [name] = pen.parts
    pen.box(name, (TAG_X, 1.4), (3.0, 1.0))
    pen.text("to USB", (TAG_X - 0.2, 0.9), size=SMALL, align="right", middle=True)
    pen.spare((name, USB))


LOOKS: Mapping[str, Look] = {
    "button": Look(_button, (9.0, 2.2)),
    "lamp": Look(_lamp, (9.0, 2.2)),
    "lever": Look(_lever, (9.0, 2.2)),
    "motor": Look(_motor, (13.4, 6.4)),
    "keypad": Look(_keypad, (9.0, 7.0)),
    "display": Look(_display, (11.0, 5.0)),
    "speaker": Look(_amplifier, (9.0, 5.8)),
}
SLOTS: Mapping[str, Look] = {
    "rdm6300": Look(_line_slot, (10.6, 5.5)),
    "id12": Look(_line_slot, (10.6, 8.2)),
    "pn532": Look(_line_slot, (10.6, 6.9)),
    "card-switch": Look(_switches, (9.0, 5.2)),
    "typing-reader": Look(_on_usb, (9.0, 2.4)),
}
