"""A circuit: parts, and the wires that join their terminals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from reboard.wiring.kinds import Kind, Terminal
from reboard.wiring.pi import GROUND, RAILS, gpio_number, pin_limits
from reboard.wiring.rail_pins import Claim


@dataclass(frozen=True, slots=True)
class Part:
    """One part in its place: what it is, what it belongs to, and the *wires* on its terminals.

    *stands_ma* is the most that may flow through it, where somebody has another one than the drawing. *drives_v* is
    how high its signal was measured to go; ``None``: nobody has, and what its kind says holds.
    """

    name: str
    circuit: str
    accessory: str
    kind: Kind
    wires: Mapping[str, str]
    ohm: float | None = None
    takes_ma: float = 0
    most_ma: float = 0
    stands_ma: float | None = None
    drives_v: float | None = None

    @property
    def is_to_be_measured(self) -> bool:
        """Whether boards of its kind differ in how high their signal goes, and nobody has measured this one."""
        return self.drives_v is None and any(terminal.drives_from_v for terminal in self.kind.terminals.values())

    def most_through(self, label: str) -> float:
        """The most that may flow through the terminal *label*, in mA; without a limit where nobody tells."""
        told_ma = self.kind.terminals[label].stands_ma if self.stands_ma is None else self.stands_ma
        return inf if told_ma is None else told_ma

    def terminals(self) -> Iterator[tuple[str, Terminal]]:
        """Each wire that it is on, and the terminal there."""
        for label, wire in self.wires.items():
            yield wire, self.kind.terminals[label]

    def other_end(self, wire: str) -> str:
        """Where a part with two terminals leads from *wire*."""
        return next((other for other in self.wires.values() if other != wire), wire)


@dataclass(frozen=True, slots=True)
class Circuit:
    """Everything that is wired to one Pi.

    *users* are those who want a pin for themselves, by its wire: settings of the config, or names of parts. *claims*
    are those who may need one of a rail's pins, in the order in which they get one.
    """

    parts: Sequence[Part]
    users: Mapping[str, Sequence[str]]
    claims: Sequence[Claim] = ()

    def on(self, wire: str) -> Iterator[Part]:
        """The parts with a terminal on *wire*."""
        return (part for part in self.parts if wire in part.wires.values())

    def terminals_at(self, wire: str) -> Iterator[Terminal]:
        """The terminals that are joined to *wire*."""
        return (terminal for part in self.on(wire) for at, terminal in part.terminals() if at == wire)

    def of_kind(self, *kinds: str) -> Iterator[Part]:
        """The parts of some kinds."""
        return (part for part in self.parts if part.kind.name in kinds)

    def resistors(self, wire: str) -> Iterator[tuple[str, float]]:
        """Where resistors lead from *wire*, each with its ohms; those inside parts and on the Pi's board too."""
        for part in self.on(wire):
            if part.ohm:
                yield part.other_end(wire), part.ohm
            for at, terminal in part.terminals():
                if at == wire and terminal.pulls_up_ohm and (power := self.power_of(part)):
                    yield power, terminal.pulls_up_ohm
        if ohm := pin_limits().pulls_up_ohm.get(wire):
            yield "3.3V", ohm

    def power_of(self, part: Part) -> str | None:
        """The wire that feeds *part*."""
        return next((wire for wire, terminal in part.terminals() if terminal.takes_v), None)

    def volts_of_supply(self, wire: str) -> float | None:
        """What *wire* is fed with, or ``None``: it is no supply."""
        if wire in RAILS:
            return RAILS[wire]
        if self.is_grounded(wire):
            return 0.0
        gives = (terminal.gives_v for part in self.on(wire) for at, terminal in part.terminals() if at == wire)
        return next((volts for volts in gives if volts is not None), None)

    def drivers(self, wire: str) -> list[tuple[Part, float]]:
        """The parts that put a signal on *wire*, and how high each goes."""
        return [
            (part, self._driven_v(part, terminal))
            for part in self.on(wire)
            for at, terminal in part.terminals()
            if at == wire and terminal.drives_v is not None
        ]

    def _driven_v(self, part: Part, terminal: Terminal) -> float:
        if part.drives_v is not None:
            return part.drives_v
        if terminal.drives_v != "power":
            return terminal.drives_v or 0.0
        power = self.power_of(part)
        return (power and self.volts_of_supply(power)) or 0.0

    def highest_volts(self, wire: str) -> float | None:
        """How high *wire* can go, ``None``: nothing puts a voltage on it.

        What is at the far end of its resistors has to be a supply or driven, as it is in all our circuits.
        """
        return self._volts(wire, lambda end: [volts for _, volts in self.drivers(end)])

    def least_high(self, wire: str) -> float | None:
        """How high the weakest signal on *wire* is when it says high, ``None``: no part says anything there."""
        ends = (wire, *(end for end, _ in self.resistors(wire)))
        return self._volts(wire, self._least_driven) if any(self.drivers(end) for end in ends) else None

    def _least_driven(self, wire: str) -> list[float]:
        terminals = [(part, terminal) for part in self.on(wire) for at, terminal in part.terminals() if at == wire]
        least = {
            part.name: terminal.drives_from_v
            for part, terminal in terminals
            if terminal.drives_from_v and part.is_to_be_measured
        }
        return [min(volts, least.get(part.name, volts)) for part, volts in self.drivers(wire)]

    def _volts(self, wire: str, driven: Callable[[str], list[float]]) -> float | None:
        """The volts on *wire* when whatever drives it does so as *driven* says of an end."""
        at_once = driven(wire)
        supply = self.volts_of_supply(wire)
        if supply is not None:
            at_once.append(supply)
        if at_once:
            return max(at_once)
        ends = [(self._end_volts(end, driven), ohm) for end, ohm in self.resistors(wire)]
        known = [(volts, ohm) for volts, ohm in ends if volts is not None]
        if not any(volts for volts, _ in known):
            return None
        return sum(volts / ohm for volts, ohm in known) / sum(1 / ohm for _, ohm in known)

    def _end_volts(self, wire: str, driven: Callable[[str], list[float]]) -> float | None:
        supply = self.volts_of_supply(wire)
        return supply if supply is not None else max(driven(wire), default=None)

    def is_grounded(self, wire: str) -> bool:
        """Whether *wire* is joined to the Pi's ground, be it through a USB plug."""
        return wire == GROUND or any(
            part.kind.on_usb and at == wire and terminal.ground
            for part in self.on(wire)
            for at, terminal in part.terminals()
        )

    def pin_wires(self) -> list[str]:
        """The wires of the pins that are used, by their numbers."""
        wires = {wire for part in self.parts for wire in part.wires.values()}
        return sorted(
            (wire for wire in wires if gpio_number(wire) is not None), key=lambda wire: gpio_number(wire) or 0
        )

    def only(self, accessories: Iterable[str]) -> Circuit:
        """The same without the other accessories."""
        wanted = set(accessories)
        parts = [part for part in self.parts if part.accessory in wanted]
        used = {wire for part in parts for wire in part.wires.values()}
        claims = [claim for claim in self.claims if claim.accessory in wanted]
        return Circuit(parts, {wire: users for wire, users in self.users.items() if wire in used}, claims)
