"""A circuit: parts, the nets that join them, and the pin of the header that each net uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from textwrap import wrap
from typing import NamedTuple

from reboard.netlist.hardware_data import (
    GROUND,
    POWER_3V3,
    RAILS,
    Kind,
    Terminal,
    gpio_number,
    header,
    header_pin,
    pin_limits,
)


@dataclass(frozen=True, slots=True)
class Subcircuit:
    """The circuit of one device: the device's *label* in ``table.toml``, its *title* for users and its *kind*."""

    label: str
    title: str
    kind: str

    @property
    def accessory(self) -> str:
        """The section of ``table.toml`` that the device is in."""
        return self.label.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a *subcircuit* to a pin of a *rail*, preferably close to the pin of the net *near*.

    A claim that *is_usual* is part of our drawings. Usual claims come first, because there are only two 5 V pins.
    """

    subcircuit: Subcircuit
    rail: str
    near: str
    is_usual: bool


def rail_pins(claims: Iterable[Claim]) -> Mapping[tuple[Subcircuit, str], int]:
    """Return the pin of each subcircuit on each rail. Subcircuits share a pin only when none is left."""
    pins: dict[tuple[Subcircuit, str], int] = {}
    for claim in sorted(claims, key=lambda claim: not claim.is_usual):
        if (claim.subcircuit, claim.rail) not in pins:
            taken = {pin for (_, rail), pin in pins.items() if rail == claim.rail}
            pin = header_pin(claim.rail, near=header_pin(claim.near), without=taken)
            pins[claim.subcircuit, claim.rail] = pin
    return pins


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a circuit, with the net on each of its terminals.

    *takes_ma* and *most_ma* are its usual and its largest current. *stands_ma* is the limit of the current through it.
    *drives_v* is the measured voltage of its signal. A value that is missing is that of its kind.
    """

    name: str
    subcircuit: Subcircuit
    kind: Kind
    nets: Mapping[str, str]
    ohm: float | None = None
    takes_ma: float = 0
    most_ma: float = 0
    stands_ma: float | None = None
    drives_v: float | None = None

    @property
    def needs_measuring(self) -> bool:
        """Whether the signal voltage differs between boards of its kind and was not measured on this one."""
        return self.drives_v is None and any(terminal.drives_from_v for terminal in self.kind.terminals.values())

    def most_through(self, label: str) -> float:
        """Return the current limit of the terminal *label* in mA; infinite if no limit is known."""
        stands_ma = self.kind.terminals[label].stands_ma if self.stands_ma is None else self.stands_ma
        return inf if stands_ma is None else stands_ma

    def terminals(self) -> Iterator[tuple[str, Terminal]]:
        """Yield each net of the part, with the terminal that is on it."""
        for label, net in self.nets.items():
            yield net, self.kind.terminals[label]

    def other_end(self, net: str) -> str:
        """Return the net at the other end of a part with two terminals."""
        return next((other for other in self.nets.values() if other != net), net)


@dataclass(frozen=True, slots=True)
class Circuit:
    """The circuit of everything that is wired to one Pi.

    *users* are the settings of the config, or names of parts, that need a pin of their own. They are sorted by the net
    of the pin.
    """

    parts: Sequence[Part]
    users: Mapping[str, Sequence[str]]
    claims: Sequence[Claim] = ()

    def on(self, net: str) -> Iterator[Part]:
        """Yield the parts with a terminal on *net*."""
        return (part for part in self.parts if net in part.nets.values())

    def terminals_on(self, net: str) -> Iterator[tuple[Part, Terminal]]:
        """Yield the terminals on *net*, each with its part."""
        return ((part, terminal) for part in self.on(net) for at, terminal in part.terminals() if at == net)

    def of_kind(self, *kinds: str) -> Iterator[Part]:
        """Yield the parts of the *kinds*."""
        return (part for part in self.parts if part.kind.name in kinds)

    def of_device(self, label: str) -> Mapping[str, Part]:
        """Return the parts of one device by their names."""
        return {part.name: part for part in self.parts if part.subcircuit.label == label}

    def resistors(self, net: str) -> Iterator[tuple[str, float]]:
        """Yield each resistor on *net*: the net at its other end and its ohms. Pull-ups inside boards are included."""
        for part in self.on(net):
            if part.ohm:
                yield part.other_end(net), part.ohm
        for part, terminal in self.terminals_on(net):
            if terminal.pulls_up_ohm and (power := self.power_of(part)):
                yield power, terminal.pulls_up_ohm
        if ohm := pin_limits().pulls_up_ohm.get(net):
            yield POWER_3V3, ohm

    def power_of(self, part: Part) -> str | None:
        """Return the net of the supply of *part*."""
        return next((net for net, terminal in part.terminals() if terminal.takes_v), None)

    def volts_of_supply(self, net: str) -> float | None:
        """Return the voltage of a supply; ``None`` for a net that is not a supply."""
        if net in RAILS:
            return RAILS[net]
        if self.is_grounded(net):
            return 0.0
        gives = (terminal.gives_v for _, terminal in self.terminals_on(net))
        return next((volts for volts in gives if volts is not None), None)

    def is_fed_by_the_pi(self, part: Part) -> bool:
        """Return whether the current of *part* comes from the Pi and not from a battery."""
        sources = (pair for net in part.nets.values() for pair in self.terminals_on(net))
        return not any(terminal.gives_v and not source.kind.on_usb for source, terminal in sources)

    def drivers(self, net: str) -> list[tuple[Part, float]]:
        """Return the parts that put a signal on *net*, each with its highest voltage."""
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
        """Return the highest voltage of *net*; ``None`` if no part puts a voltage on it.

        The far ends of its resistors have to be supplies or driven, as they are in all our circuits.
        """
        return self._volts(net, lambda end: [volts for _, volts in self.drivers(end)])

    def lowest_high(self, net: str) -> float | None:
        """Return the voltage of the weakest signal on *net* when it is high; ``None`` if no part drives *net*."""
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
        """Return whether *net* is joined to the Pi's ground, perhaps through a USB plug."""
        return net == GROUND or any(part.kind.on_usb and terminal.ground for part, terminal in self.terminals_on(net))

    def used_pins(self) -> list[str]:
        """Return the nets of the GPIO pins in use, in the order of their numbers."""
        nets = {net for part in self.parts for net in part.nets.values()}
        return sorted((net for net in nets if gpio_number(net) is not None), key=lambda net: gpio_number(net) or 0)

    def pull_ma(self, net: str) -> float:
        """Return the largest current of a pin through resistors to supplies, in mA."""
        pulls = ((self.volts_of_supply(end), ohm) for end, ohm in self.resistors(net))
        return sum(max(volts, pin_limits().gives_v - volts) / ohm * 1000 for volts, ohm in pulls if volts is not None)

    def only(self, accessories: Iterable[str]) -> Circuit:
        """Return the circuit of some accessories alone."""
        names = set(accessories)
        parts = [part for part in self.parts if part.subcircuit.accessory in names]
        used = {net for part in parts for net in part.nets.values()}
        claims = [claim for claim in self.claims if claim.subcircuit.accessory in names]
        return Circuit(parts, {net: users for net, users in self.users.items() if net in used}, claims)


USB = "USB"
NO_BREAK = "\u00a0"
UNNAMED = ("NO", "a", "b")
"""The terminals that need no name. The ends of a resistor are alike, and a switch is wired to the pin by NO."""

RAIL_NAMES = {"3.3V": "3.3 V", "5V": "5 V"}


class Connection(NamedTuple):
    """A wired terminal of a part. *to* describes the other end of its *net*: a *pin* of the header, or terminals."""

    part: Part
    terminal: str
    net: str
    to: str
    pin: int | None


def connections(circuit: Circuit) -> Iterator[Connection]:
    """Yield every terminal that is wired, part by part.

    A pin has space for one wire. Terminals that share a pin name each other, because their wires meet before the pin.
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
    pins = rail_pins(circuit.claims)
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
    """Return the terminals that are wired to each used pin of the header, by the number of the pin."""
    ends: dict[int, list[Connection]] = {}
    for end in connections(circuit):
        if end.pin is not None:
            ends.setdefault(end.pin, []).append(end)
    return ends


def called(end: Connection) -> str:
    """Return the name of the terminal at the far end of a wire: ``amplifier VIN``, ``gate resistor``.

    The name is never that of the next part. A maker who reads "motor" next to a pin would connect a bare motor.
    """
    return end.part.name if end.terminal in UNNAMED else f"{end.part.name} {end.terminal}"


def short_list(names: Sequence[str], width: int) -> list[str]:
    """Return *names* in one or two lines of *width* characters. Longer lists become the first name and a count."""
    whole = [name.replace(" ", NO_BREAK) for name in names]
    lines = wrap(", ".join(whole), width, break_long_words=False)
    if len(lines) > 2:
        lines = wrap(f"{whole[0]} and {len(whole) - 1} more", width, break_long_words=False)
    return [line.replace(NO_BREAK, " ") for line in lines]


def named(part: Part) -> str:
    """Return the name of a part, with its value if it has one: ``lamp resistor, 330 Ω``."""
    return f"{part.name}, {ohms(part.ohm)}" if part.ohm else part.name


def ohms(ohm: float) -> str:
    """Return a resistance as shops write it: ``330 Ω``, ``1.8 kΩ``."""
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
