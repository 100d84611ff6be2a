"""How the circuits of the banker unit look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reboard.parts.keypad import LEGEND
from reboard.wiring.connections import USB
from reboard.wiring.drawing.look import TAG_X, Look, ground_beside, on_usb
from reboard.wiring.drawing.pen import SMALL, End, Pen, Point

SLOT_PITCH = 1.35
"""Room for a resistor between two wires."""

READERS: Mapping[str, Sequence[str]] = {
    "rdm6300": ("5V", "TX", "GND"),
    "id12": ("VCC", "D0", "GND", "RES", "FORM"),
    "pn532": ("VCC", "TXD", "GND", "RXD"),
}
"""Each reader's terminals: what feeds it, what it says, its ground, and the others."""


def look(circuit: str, kinds: set[str]) -> Look | None:
    """How to draw the *circuit* that has parts of these *kinds*, ``None``: it is not the unit's."""
    if circuit.endswith(" slot"):
        return next((look for kind, look in SLOTS.items() if kind in kinds), None)
    return LOOKS.get(circuit)


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
        ground_beside(pen, (name, ground), right[ground])
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
    ground_beside(pen, ("display", "GND"), pen.row(corner, 3))


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
        ground_beside(pen, (name, "GND"), pen.row(at, 3))


SLOTS: Mapping[str, Look] = {
    "rdm6300": Look(_line_slot, (10.6, 5.5)),
    "id12": Look(_line_slot, (10.6, 8.2)),
    "pn532": Look(_line_slot, (10.6, 6.9)),
    "card-switch": Look(_switches, (9.0, 5.2)),
    "typing-reader": Look(on_usb, (9.0, 2.4)),
}
"""How a slot looks, by the kind of its reader or switches."""
LOOKS: Mapping[str, Look] = {"keypad": Look(_keypad, (9.0, 7.0)), "display": Look(_display, (11.0, 5.0))}
