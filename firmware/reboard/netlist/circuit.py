"""A circuit: parts, the nets that connect them, and the pins of the header that the nets use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from textwrap import wrap
from typing import NamedTuple

from reboard.netlist.hardware_data import (
    GROUND,
    POWER_3V3,
    RAILS,
    PartKind,
    Terminal,
    gpio_number,
    header,
    header_pin,
    pin_limits,
)

FUSE = "fuse"
"""The kind of fuses in ``parts.toml``. Current passes through them, so the rules see the supply behind them."""

TRIPS_AT = 2
"""The ratio of a resettable fuse's trip current to its hold current (Bourns MF-R, all sizes)."""


@dataclass(frozen=True, slots=True)
class Subcircuit:
    """The circuit of one device: the device's *label* in ``table.toml``, its *title* for users and its *kind*.

    *sheet* is the number of its accessory, which each reference designator begins with: ``R101``. The speaker has 0.
    """

    label: str
    title: str
    kind: str
    sheet: int = 0

    @property
    def accessory(self) -> str:
        """The name of the device's section in ``table.toml``."""
        return self.label.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Claim:
    """A connection of a *subcircuit* to a *rail*, such as ``5V``, which needs a header pin close to that of *near*.

    *near* is a net. *is_usual* is whether the drawings in the documentation have this connection. `rail_pins` serves
    usual claims first, because there are only two 5 V pins.
    """

    subcircuit: Subcircuit
    rail: str
    near: str
    is_usual: bool


def rail_pins(claims: Iterable[Claim]) -> Mapping[tuple[Subcircuit, str], int]:
    """Return a pin for each claim, keyed by subcircuit and rail.

    Subcircuits on a bus share a pin, because their wires are joined. Others share one only if no other is free, and
    first one that an unusual claim has.
    """
    claims = sorted(claims, key=lambda claim: not claim.is_usual)
    pins: dict[tuple[str | Subcircuit, str], int] = {}
    usual: set[int] = set()
    for claim in claims:
        wires = claim.near or claim.subcircuit
        if (wires, claim.rail) not in pins:
            taken = set(pins.values())
            is_full = taken >= {number for number, net in enumerate(header(), start=1) if net == claim.rail}
            near = header_pin(claim.near)
            pins[wires, claim.rail] = pin = header_pin(claim.rail, near=near, without=usual if is_full else taken)
            if claim.is_usual:
                usual.add(pin)
    return {(claim.subcircuit, claim.rail): pins[claim.near or claim.subcircuit, claim.rail] for claim in claims}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a circuit, with the net of each terminal in *nets*.

    *takes_ma* and *most_ma* are the usual and the largest current of the part. *stands_ma* is the maximum current
    through the part, *drives_v* the measured voltage of its signal, *listens_v* the maximum voltage of its inputs, and
    *gives_v* the voltage of a supply. If one of these four is ``None``, the value of *kind* applies. *count* is the
    number of boards of a row that is one part. *designator* is the reference designator, such as ``R101``.
    """

    name: str
    subcircuit: Subcircuit
    kind: PartKind
    nets: Mapping[str, str]
    ohm: float | None = None
    takes_ma: float = 0
    most_ma: float = 0
    stands_ma: float | None = None
    drives_v: float | None = None
    listens_v: float | None = None
    gives_v: float | None = None
    count: float = 1
    designator: str = ""

    @property
    def needs_measuring(self) -> bool:
        """True if the signal voltage differs between boards of this kind and was not measured on this part."""
        return self.drives_v is None and any(terminal.drives_from_v for terminal in self.kind.terminals.values())

    def most_through(self, label: str) -> float:
        """Return the maximum current of the terminal *label* in mA, or infinity if no limit is known."""
        stands_ma = self.kind.terminals[label].stands_ma if self.stands_ma is None else self.stands_ma
        return inf if stands_ma is None else stands_ma

    def terminals(self) -> Iterator[tuple[str, Terminal]]:
        """Yield the net and the electrical data of each connected terminal of the part."""
        for label, net in self.nets.items():
            yield net, self.kind.terminals[label]

    def other_end(self, net: str) -> str:
        """Return the net at the other end of a part with two terminals, given the *net* at one end.

        If both ends are on *net*, return *net*.
        """
        return next((other for other in self.nets.values() if other != net), net)


@dataclass(frozen=True, slots=True)
class Circuit:
    """The circuit of all devices that are wired to one Pi.

    *users* maps the net of each GPIO pin in use to the settings, parts or devices that use the pin. *board_pins*
    replace the pins that `rail_pins` chooses, keyed as there: a board needs only one wire to each rail.
    """

    parts: Sequence[Part]
    users: Mapping[str, Sequence[str]]
    claims: Sequence[Claim] = ()
    board_pins: Mapping[tuple[Subcircuit, str], int] = field(default_factory=dict)

    def on(self, net: str) -> Iterator[Part]:
        """Yield the parts with a terminal on *net*."""
        return (part for part in self.parts if net in part.nets.values())

    def terminals_on(self, net: str) -> Iterator[tuple[Part, Terminal]]:
        """Yield the terminals on *net*, each with its part."""
        return ((part, terminal) for part in self.on(net) for at, terminal in part.terminals() if at == net)

    def of_kind(self, *kinds: str) -> Iterator[Part]:
        """Yield the parts whose kind has one of these names."""
        return (part for part in self.parts if part.kind.name in kinds)

    def takers(self, job: str) -> set[str]:
        """Return the labels of the devices with a part for which the kernel reserves the pins of *job*."""
        return {part.subcircuit.label for part in self.parts if part.kind.job == job}

    def of_device(self, label: str) -> Mapping[str, Part]:
        """Return the parts of the device *label*, keyed by name."""
        return {part.name: part for part in self.parts if part.subcircuit.label == label}

    def resistors(self, net: str) -> Iterator[tuple[str, float]]:
        """Yield the net at the other end and the resistance in ohms of each resistor on *net*.

        This includes resistors inside boards and the Pi.
        """
        for part in self.on(net):
            if part.ohm:
                yield part.other_end(net), part.ohm
        for part, terminal in self.terminals_on(net):
            if terminal.pulls_up_ohm and (power := self.power_of(part)):
                yield power, terminal.pulls_up_ohm
        if ohm := pin_limits().pulls_up_ohm.get(net):
            yield POWER_3V3, ohm

    def power_of(self, part: Part) -> str | None:
        """Return the net that supplies *part*, or ``None`` if the part has no supply terminal."""
        return next((net for net, terminal in part.terminals() if terminal.takes_v), None)

    def volts_of_supply(self, net: str) -> float | None:
        """Return the voltage of a supply net or ground, or ``None`` for any other net."""
        if net in RAILS:
            return RAILS[net]
        if self.is_grounded(net):
            return 0.0
        gives = ((part.gives_v, terminal.gives_v) for part, terminal in self.terminals_on(net))
        return next((own or usual for own, usual in gives if usual is not None), None)

    def fuses(self, net: str) -> Iterator[Part]:
        """Yield the fuses on *net*."""
        return (part for part in self.on(net) if part.kind.name == FUSE)

    def is_fed_by_the_pi(self, part: Part) -> bool:
        """Return whether the Pi, not a battery, supplies *part*, directly or through USB."""
        nets = {end for net in part.nets.values() for end in (net, *(fuse.other_end(net) for fuse in self.fuses(net)))}
        sources = (pair for net in nets for pair in self.terminals_on(net))
        return not any(terminal.gives_v and not source.kind.on_usb for source, terminal in sources)

    def drivers(self, net: str) -> list[tuple[Part, float]]:
        """Return the parts with an output on *net*, each with the highest voltage of its signal."""
        return [
            (part, self._driven_v(part, terminal))
            for part, terminal in self.terminals_on(net)
            if terminal.drives_v is not None
        ]

    def _driven_v(self, part: Part, terminal: Terminal) -> float:
        if part.drives_v is not None:
            return part.drives_v
        if terminal.drives_v != "power":
            return terminal.drives_v or 0.0
        power = self.power_of(part)
        return (power and self.volts_of_supply(power)) or 0.0

    def highest_volts(self, net: str) -> float | None:
        """Return the highest voltage of *net*, or ``None`` if no output, supply or resistor sets it.

        The other end of each resistor on *net* must be a supply or driven, as in all circuits of this package.
        """
        return self._volts(net, lambda end: [volts for _, volts in self.drivers(end)])

    def lowest_high(self, net: str) -> float | None:
        """Return the lowest possible voltage of a high signal on *net*, or ``None`` if no part drives *net*."""
        ends = (net, *(end for end, _ in self.resistors(net)))
        return self._volts(net, self._least_driven) if any(self.drivers(end) for end in ends) else None

    def _least_driven(self, net: str) -> list[float]:
        least = {
            part.name: terminal.drives_from_v
            for part, terminal in self.terminals_on(net)
            if terminal.drives_from_v and part.needs_measuring
        }
        return [min(volts, least.get(part.name, volts)) for part, volts in self.drivers(net)]

    def _volts(self, net: str, driven: Callable[[str], list[float]]) -> float | None:
        direct = driven(net)
        supply = self.volts_of_supply(net)
        if supply is not None:
            direct.append(supply)
        if direct:
            return max(direct)
        ends = [(self._end_volts(end, driven), ohm) for end, ohm in self.resistors(net)]
        known = [(volts, ohm) for volts, ohm in ends if volts is not None]
        if not any(volts for volts, _ in known):
            return None
        return sum(volts / ohm for volts, ohm in known) / sum(1 / ohm for _, ohm in known)

    def _end_volts(self, net: str, driven: Callable[[str], list[float]]) -> float | None:
        supply = self.volts_of_supply(net)
        return supply if supply is not None else max(driven(net), default=None)

    def is_grounded(self, net: str) -> bool:
        """Return whether *net* is connected to the ground of the Pi, directly or through a USB plug."""
        return net == GROUND or any(part.kind.on_usb and terminal.ground for part, terminal in self.terminals_on(net))

    def used_pins(self) -> list[str]:
        """Return the nets of the GPIO pins in use, in the order of their BCM numbers."""
        nets = {net for part in self.parts for net in part.nets.values()}
        return sorted((net for net in nets if gpio_number(net) is not None), key=lambda net: gpio_number(net) or 0)

    def pull_ma(self, net: str) -> float:
        """Return the largest current of the pin on *net* through resistors to supplies, in mA."""
        pulls = ((self.volts_of_supply(end), ohm) for end, ohm in self.resistors(net))
        return sum(max(volts, pin_limits().gives_v - volts) / ohm * 1000 for volts, ohm in pulls if volts is not None)


USB = "USB"
NO_BREAK = "\u00a0"
UNNAMED = ("NO", "a", "b")
"""The terminals that `called` does not name. The ends of a resistor are interchangeable, and of a switch only the
terminal NO is on a GPIO pin."""

RAIL_NAMES = {"3.3V": "3.3 V", "5V": "5 V"}


class Connection(NamedTuple):
    """A connection from a terminal of a part. *to* describes the other end: a header pin, a USB socket or terminals.

    *pin* is the number of the header pin, or ``None`` if the net has none.
    """

    part: Part
    terminal: str
    net: str
    to: str
    pin: int | None


def connections(circuit: Circuit) -> Iterator[Connection]:
    """Yield the connection of each wired terminal, part by part.

    If several terminals share a pin, *to* also names the others, because a pin has space for only one wire.
    """
    ends = list(_ends(circuit))
    for end in ends:
        meets = [
            f"{other.part.name} {other.terminal}"
            for other in ends
            if end.pin and other.pin == end.pin and other is not end
        ]
        yield end._replace(to=f"{end.to}, with {'; '.join(meets)}") if meets else end


def _ends(circuit: Circuit) -> Iterator[Connection]:
    pins = {**rail_pins(circuit.claims), **circuit.board_pins}
    for part in circuit.parts:
        if part.kind.on_usb:
            yield Connection(part, USB, USB, "a USB socket of the Pi", None)
        for terminal, net in part.nets.items():
            if net in RAILS:
                pin = pins[part.subcircuit, net]
                yield Connection(part, terminal, net, f"{RAIL_NAMES.get(net, net)}, pin {pin}", pin)
            elif net in header():
                yield Connection(part, terminal, net, f"{net}, pin {header_pin(net)}", header_pin(net))
            elif to := _others(circuit, part, terminal, net):
                yield Connection(part, terminal, net, to, None)


def at_pins(circuit: Circuit) -> Mapping[int, Sequence[Connection]]:
    """Return the connections to each used pin of the header, keyed by pin number."""
    ends: dict[int, list[Connection]] = {}
    for end in connections(circuit):
        if end.pin is not None:
            ends.setdefault(end.pin, []).append(end)
    return ends


def called(end: Connection) -> str:
    """Return the name of a connection's part and, if useful, terminal: ``amplifier VIN`` or ``gate resistor``.

    At a motor's pin, this is the gate resistor. If the pin were labelled "motor", users would connect a bare motor.
    """
    return end.part.name if end.terminal in UNNAMED else f"{end.part.name} {end.terminal}"


def short_list(names: Sequence[str], width: int) -> list[str]:
    """Wrap *names* to at most two lines of *width* characters. Shorten a longer list to the first name and a count."""
    whole = [name.replace(" ", NO_BREAK) for name in names]
    lines = wrap(", ".join(whole), width, break_long_words=False)
    if len(lines) > 2:
        lines = wrap(f"{whole[0]} and {len(whole) - 1} more", width, break_long_words=False)
    return [line.replace(NO_BREAK, " ") for line in lines]


def net_label(circuit: Circuit, net: str) -> str:
    """Return the name of a net for users: ``lever line``, ``left reader TX``; a supply has its volts."""
    device, colon, name = net.partition(": ")
    if not colon:
        return RAIL_NAMES.get(net, net)
    device = device.rpartition(".")[2]
    name = name if device in name.split() else f"{device} {name}"
    behind_fuse = (fuse.other_end(net) for fuse in circuit.fuses(net))
    volts = next(filter(None, map(circuit.volts_of_supply, (net, *behind_fuse))), None)
    if volts is None:
        return name.replace("-", "\N{MINUS SIGN}")
    return f"{name.removesuffix(' +')} +{volts:g} V"


def named(part: Part) -> str:
    """Return the designator and name of a part, with its size if it has one: ``R203 gate resistor, 220 Ω``."""
    size = size_of(part)
    return f"{part.designator} {part.name}, {size}" if size else f"{part.designator} {part.name}"


def size_of(part: Part) -> str:
    """Return the resistance of a resistor or the hold current of a fuse, and ``""`` for any other part."""
    if part.kind.name == FUSE:
        return f"{part.most_through('a'):g} mA"
    return ohms(part.ohm) if part.ohm else ""


def ohms(ohm: float) -> str:
    """Return a resistance as text with a unit: ``330 Ω``, ``1.8 kΩ``."""
    for size, unit in ((1_000_000, "MΩ"), (1000, "kΩ")):
        if ohm >= size:
            return f"{ohm / size:g} {unit}"
    return f"{ohm:g} Ω"


def _others(circuit: Circuit, part: Part, terminal: str, net: str) -> str:
    ends = (
        f"{other.name} {label}"
        for other in circuit.on(net)
        for label, at in other.nets.items()
        if at == net and not (other is part and label == terminal)
    )
    return "; ".join(ends)
