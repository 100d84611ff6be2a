"""The circuit of a card slot: a reader with its supply and voltage divider, or three switches.

``readers.measured``: a TX above its reader's supply: ``power`` or ``tx_v`` is wrong (10 % tolerance).
``readers.supply``: a reader without a serial line whose supply in ``[wiring]`` would destroy it.
``readers.unused``: ``power``, ``tx_v``, ``adapter_v`` or ``divider`` for a slot without a serial line, or ``adapter_v``
    for one without a USB adapter.
``readers.debug``: a reader on ``/dev/ttyAMA10``, a Pi 5's plug for debugging between its HDMI sockets. A note for
    ``/dev/serial0`` of a Pi 5, which usually is that plug: the header is ``/dev/ttyAMA0``. Source: Raspberry Pi
    documentation, *UART*.
``readers.unknown``: a reader on a line whose pins are unknown, such as ``uart3``, or without a parts file: not checked.
``readers.uart``: such a reader on a Zero or a Pi 3, which have the header's UART only. Source: Raspberry Pi
    documentation, *UART*.
``lines.current``: switches for the original cards with only the Pi's pull-ups (at most 0.1 mA). Source: Omron SS: 1 mA
    or more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from math import inf
from typing import TYPE_CHECKING, Any

from reboard.config.pins_and_ports import DEBUG_SOCKET, HEADER_UARTS, OTHER_UART
from reboard.devices.circuits.contact import ROW, draw_line
from reboard.devices.circuits.device_circuit import USB_DRAWING, CircuitDrawing, Device, DeviceCircuit, without_parts
from reboard.devices.readers.card_slot import SlotWiring
from reboard.finding import Finding, all_of, note, wrong
from reboard.netlist.circuit import USB, Circuit
from reboard.netlist.electrical_rules import to_be_fed_otherwise
from reboard.netlist.hardware_data import POWER_5V, RAILS, Model, PartKind, circuit_of_kind, pin_limits, with_kind
from reboard.netlist.hardware_data import kinds as part_kinds
from reboard.netlist.netlist_builder import Fact

if TYPE_CHECKING:
    from reboard.netlist.schematic import End, Pen, Point

MOST_OFF = 1.1
"""The largest plausible ratio of a measured output voltage to the nominal supply. A supply can be 5 % too high,
and meters are not exact."""


def _line(device: Device) -> str | None:
    """Return where the reader's serial port is: ``header`` or ``usb``.

    Return ``None`` for a slot without a serial port, and for a UART whose pins an overlay sets.
    """
    port = getattr(device.config, "port", None)
    if port in HEADER_UARTS:
        return "header"
    return None if port is None or OTHER_UART.fullmatch(port) else "usb"


class CardSlotCircuit(DeviceCircuit):
    """The circuit of a reader on a serial port or on USB, or of three switches for the original cards."""

    def facts(self, device: Device, wiring: SlotWiring) -> dict[str, Fact]:
        facts = super().facts(device, wiring)
        if line := _line(device):
            assert device.config is not None
            reader = circuit_of_kind("readers", device.config.reader) or {}
            power = wiring.power or ("5V" if line in reader.get("power_5v", ()) else "3.3V")
            divider = power == "5V" if wiring.divider is None else wiring.divider
            facts |= {"line": line, "wiring.power": power, "wiring.divider": divider}
        return facts

    def file(self, device: Device) -> Mapping[str, Any]:
        return with_kind(super().file(device), "readers", device.config and device.config.reader)

    def rules(self, circuit: Circuit, device: Device, wiring: SlotWiring, model: Model) -> Iterator[Finding]:
        port = getattr(device.config, "port", None)
        if device.config is not None and circuit_of_kind("readers", device.config.reader) is None:
            yield without_parts(
                device,
                device.config.reader,
                f"reader of the {device.title}",
                "Compare the supply and the highest voltage of TX in its data sheet with those of the serial port.",
            )
        settings = [
            f"`{field.name}`"
            for field in fields(wiring)
            if field.default is None and getattr(wiring, field.name) is not None
        ]
        if device.config is not None and port is None and settings:
            yield from [*_too_much_supply(circuit, device, wiring.power)] or [_unused(device, settings, "serial port")]
        elif wiring.adapter_v is not None and _line(device) != "usb":
            yield _unused(device, ["`adapter_v`"], "USB adapter")
        elif port == DEBUG_SOCKET or (port == "/dev/serial0" and model.has_debug_plug):
            yield _debug_plug(device, port, model)
        elif port is not None and _line(device) is None:
            yield _unknown(device, port) if model.has_more_uarts else _no_uart(device, port, model)
        yield from _too_much_measured(circuit, device)
        switches = (part for part in circuit.of_device(device.label).values() if part.kind.symbol == "switch")
        if any(switches) and not wiring.protected:
            yield _little_current(device)

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        parts = [part_kinds()[kind] for kind in kinds]
        if any(part.symbol == "switch" for part in parts):
            return CircuitDrawing(_switches, (11.0, 3 * ROW) if "line-capacitor" in kinds else (9.0, 6.4))
        reader = next((part for part in parts if part.symbol == "module" and not part.on_usb), None)
        if reader is None:
            return USB_DRAWING
        return CircuitDrawing(_reader, (10.6, round(1.45 + PITCH * len(reader.terminals), 2)))


def _too_much_supply(circuit: Circuit, device: Device, power: str | None) -> Iterator[Finding]:
    for part in circuit.of_device(device.label).values():
        highest_v = max((terminal.takes_v[1] for _, terminal in part.terminals() if terminal.takes_v), default=inf)
        if power is not None and RAILS[power] > highest_v:
            yield wrong(
                "readers.supply",
                f"`power` in [wiring.{device.wiring}] gives the {part.name} {RAILS[power]:g} V, which destroys it: it "
                f"takes {highest_v:g} V at most.",
                f"Connect it to 3.3 V, and remove `power` from [wiring.{device.wiring}].",
            )


def _unused(device: Device, settings: Sequence[str], lacking: str) -> Finding:
    assert device.config is not None
    them = "it" if len(settings) == 1 else "them"
    return note(
        "readers.unused",
        f"The {device.title} (`{device.config.reader}`) has no {lacking}, so reboard ignores {all_of(settings)} in "
        f"[wiring.{device.wiring}].",
        f"Remove {all_of(settings)} from [wiring.{device.wiring}], or move {them} to the table of another slot.",
    )


def _unknown(device: Device, port: str) -> Finding:
    limits = pin_limits()
    return note(
        "readers.unknown",
        f"The reader of the {device.title} is on {port}. An overlay sets the pins of this serial port, so the reader's "
        "supply, pins and signal levels are not checked.",
        "Run `dtoverlay -h` with the name of the overlay to list the pins, and use them for nothing else. Measure the "
        f"voltage of the reader's TX at rest. If it is above {limits.highest_v:g} V, TX needs a voltage divider: the "
        f"pins of a Pi tolerate {limits.stands_v:g} V.",
    )


def _no_uart(device: Device, port: str, model: Model) -> Finding:
    return wrong(
        "readers.uart",
        f"The reader of the {device.title} is on {port}, but a {model.name} has only one serial port for readers, "
        "the one on its header.",
        f'Connect the reader to the header, and write `port = "/dev/serial0"` into `{device.label}`. Or use a USB '
        "adapter. If you have another Pi, write its model as `pi` into [wiring].",
    )


def _debug_plug(device: Device, port: str, model: Model) -> Finding:
    do = f'Write `port = "/dev/ttyAMA0"`, the serial port on the header, into `{device.label}`.'
    reader = f"The reader of the {device.title} is on {port}"
    if port != DEBUG_SOCKET:
        return note("readers.debug", f"{reader}. On a {model.name} that usually is the plug for debugging.", do)
    if model.has_debug_plug:
        what = f"{reader}, the plug for debugging between the HDMI sockets of a {model.name}: it is not on the header."
        return wrong("readers.debug", what, do)
    return wrong("readers.debug", f"{reader}, which only a Raspberry Pi 5 has: its plug for debugging.", do)


def _little_current(device: Device) -> Finding:
    return wrong(
        "lines.current",
        f"Only the Pi's own pull-ups, some 50 kΩ, feed the switches of the {device.title}: 0.1 mA at most, too little "
        "for a contact of a microswitch. A contact that does not close is another player's card.",
        "For each switch, put a 1 kΩ resistor between pin and line, a 2.2 kΩ resistor between 3.3 V and line (1.5 mA), "
        "and 100 nF between line and ground, close to the Pi. Write `protected = true` into "
        f"[wiring.{device.wiring}].",
    )


def _too_much_measured(circuit: Circuit, device: Device) -> Iterator[Finding]:
    fed_otherwise = to_be_fed_otherwise(circuit)
    for part in circuit.of_device(device.label).values():
        power = circuit.power_of(part)
        fed_v = circuit.volts_of_supply(power) if power else None
        if part.drives_v is None or fed_v is None or part.drives_v <= fed_v * MOST_OFF or part.name in fed_otherwise:
            continue
        if fed_v >= RAILS[POWER_5V]:
            continue  # `power` can be no higher, so `levels.high` reports it
        yield wrong(
            "readers.measured",
            f"The {part.name} gets {fed_v:g} V (`power`), but its TX is at {part.drives_v:g} V (`tx_v`). TX is "
            "never above the reader's supply, so one of the two settings is wrong.",
            "Disconnect the reader's TX. Measure the voltages of the reader's supply and of its TX at rest, both "
            f'relative to ground. In [wiring.{device.wiring}], set `power` to the nearest supply, "3.3V" or "5V", and '
            "`tx_v` to the voltage of TX.",
        )


PITCH = 1.35
"""The distance between two terminals of a reader, in drawing units. A resistor fits between them."""


def _terminals(kind: PartKind) -> Sequence[str]:
    """Return the terminals of a reader: supply, signal and ground first, then any others."""
    facts = kind.terminals.items()
    first = [
        next(name for name, terminal in facts if terminal.takes_v),
        next(name for name, terminal in facts if terminal.drives_v),
        next(name for name, terminal in facts if terminal.ground),
    ]
    return [*first, *(name for name in kind.terminals if name not in first)]


def _reader(pen: Pen) -> None:
    """Draw the reader on the right, and the header pins or the USB adapter on the left."""
    name, reader = next((name, part) for name, part in pen.parts.items() if name.endswith(" reader"))
    adapter = name.removesuffix("reader") + "adapter"
    power, signal, ground, *others = _terminals(reader.kind)
    listening = [label for label in others if reader.kind.terminals[label].listens_v]
    terminals = [power, signal, ground, *others]
    corner = (pen.LEFT + 5.0, 0.4 + PITCH * len(terminals))
    pen.box(name, corner, (2.4, PITCH * len(terminals)), left=terminals, pitch=PITCH)
    right = {terminal: pen.row(corner, place, PITCH) for place, terminal in enumerate(terminals)}
    left = {terminal: (pen.LEFT, at[1]) for terminal, at in right.items()}
    if pen.has(adapter):
        gives = "5V" if "5V" in pen.parts[adapter].nets else "3V3"
        pairs = {power: gives, signal: "RXD", ground: "GND"} | dict.fromkeys(listening, "TXD")
        size = (2.2, PITCH * len(pairs))
        pen.box(adapter, (pen.LEFT - 2.2, corner[1]), size, right=list(pairs.values()), pitch=PITCH)
        pen.text("to USB", (pen.LEFT - 2.05, left[ground][1] - 0.5), small=True, align="left", middle=True)
        pen.spare((adapter, USB))
        for terminal, given in pairs.items():
            if terminal == power:
                pen.net((name, power), (left[power][0] + 0.1, left[power][1]))
            if terminal != signal:
                pen.wire([left[terminal], right[terminal]], (adapter, given), (name, terminal))
        _signal(pen, (name, signal), (adapter, "RXD"), left[signal], right[signal], left[ground][1])
    else:
        for terminal in [power, *listening]:
            pen.leads_to((name, terminal), left[terminal], "left")
            pen.wire([left[terminal], right[terminal]], (name, terminal))
        pen.ground_beside((name, ground), right[ground])
        _signal(pen, (name, signal), None, left[signal], right[signal], left[ground][1])
    for terminal in others:
        if terminal not in listening:
            other = power if pen.joined((name, terminal), (name, power)) else ground
            where = (right[terminal][0] + 2.15, right[terminal][1])
            pen.text(f"to {other}", where, small=True, align="right", middle=True)
            pen.spare((name, terminal))


def _signal(pen: Pen, signal: End, adapter: End | None, left: Point, right: Point, ground: float) -> None:
    """Draw the signal from a reader to the adapter or to a pin, with its voltage divider if there is one."""
    slot = signal[0].removesuffix(" reader")
    upper, lower = f"{slot} upper divider", f"{slot} lower divider"
    line = (upper, "b") if pen.has(upper) else signal
    if adapter is None:
        pen.leads_to(line, left, "left")
    if not pen.has(upper):
        pen.wire([left, right], signal, *([adapter] if adapter else []))
        return
    y, fork = left[1], left[0] + 1.3
    pen.wire([left, (fork + 0.2, y)], line, (lower, "a"), *([adapter] if adapter else []))
    pen.part(upper, ("b", "a"), (fork + 0.2, y), (fork + 2.0, y), beside="above")
    pen.wire([(fork + 2.0, y), right], (upper, "a"), signal)
    pen.net(signal, (right[0] - 0.1, y), align="right")
    if adapter:
        pen.net(line, (left[0] + 0.1, y))
    pen.dot((fork, y))
    pen.part(lower, ("a", "b"), (fork, y), (fork, ground), beside="right")
    if adapter:
        pen.dot((fork, ground))
        pen.wire([(fork, ground), (right[0], ground)], (lower, "b"), (adapter[0], "GND"))
    else:
        pen.leads_to((lower, "b"), (fork, ground), "down")


def _switches(pen: Pen) -> None:
    switches = [part.name for part in pen.parts.values() if part.kind.name == "card-switch"]
    row = 2.1 if len(switches) == len(pen.parts) else ROW
    for place, name in enumerate(reversed(switches)):
        draw_line(pen, name, row / 2 + row * place)


CIRCUIT = CardSlotCircuit()
