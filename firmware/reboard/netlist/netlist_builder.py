"""The netlist builder, which makes one circuit from the circuit files of all devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reboard.netlist.circuit import Circuit, Claim, Part, Subcircuit
from reboard.netlist.hardware_data import RAILS, gpio, gpio_number, kinds
from reboard.netlist.parts_file import NUMBERS

Fact = str | float | bool | None
Facts = Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """The data of a device for its circuit file: its *pins*, keyed by name, and *facts* for conditions and values.

    *drawn* has the facts for the wiring in the documentation's drawings.
    """

    subcircuit: Subcircuit
    pins: Mapping[str, int]
    facts: Facts
    drawn: Facts

    def holds(self, conditions: Iterable[str]) -> bool:
        """Return whether all *conditions* are true. A condition is the name of a fact, or ``name = value``."""
        return all(_holds(condition, self.facts) for condition in conditions)

    def net(self, target: str) -> str:
        """Return the net of a *target* such as ``@pin``, a GPIO net, a rail, or a name inside the circuit."""
        if target.startswith("@"):
            name = target.removeprefix("@")
            return gpio(self.pins["" if name == "pin" else name])
        is_on_header = target in RAILS or gpio_number(target) is not None
        return target if is_on_header else f"{self.subcircuit.label}: {target}"

    def claims(self, file: Mapping[str, Any]) -> Iterator[Claim]:
        """Yield claims for all rails that the circuit could need, whatever the settings in ``[wiring]`` are.

        A change in ``[wiring]`` must not move wires that are already soldered.
        """
        ends: list[tuple[str, bool]] = []
        for piece in (*file.get("part", ()), *file.get("wire", ())):
            conditions = [*file.get("when", ()), *piece.get("when", ())]
            if self.holds(condition for condition in conditions if not condition.startswith("wiring.")):
                is_usual = all(_holds(condition, self.drawn) for condition in conditions)
                targets = piece["joins"] if "joins" in piece else piece["to"].values()
                ends += [(self.net(target), is_usual) for target in targets]
        near = next((net for net, _ in ends if gpio_number(net) is not None), "")
        for net, is_usual in ends:
            if net in RAILS:
                yield Claim(self.subcircuit, net, near, is_usual)


def _holds(condition: str, facts: Facts) -> bool:
    name, equals, value = condition.partition(" = ")
    fact = facts.get(name)
    return str(fact).lower() == value.lower() if equals else bool(fact)


class NetlistBuilder:
    """A builder of a circuit. It adds the devices one by one, and merges the nets that wires connect."""

    def __init__(self) -> None:
        self._claims: list[Claim] = []
        self._parts: list[Part] = []
        self._numbers: Counter[tuple[str, int]] = Counter()
        self._merged: dict[str, str] = {}
        self._users: dict[str, list[str]] = {}

    def add(self, device: DeviceFacts, file: Mapping[str, Any]) -> None:
        """Add the parts, wires and claims of a *device* from its circuit *file*."""
        self._claims += device.claims(file)
        if not device.holds(file.get("when", ())):
            return
        for wire in file.get("wire", ()):
            if device.holds(wire["when"]):
                self._merge(*(self._net(device, target, device.subcircuit.title) for target in wire["joins"]))
        for part in file.get("part", ()):
            if device.holds(part.get("when", ())):
                self._add_part(device, part)

    def circuit(self) -> Circuit:
        """Return the circuit of all devices that were added."""
        parts = [
            replace(part, nets={label: self._final(net) for label, net in part.nets.items()}) for part in self._parts
        ]
        return Circuit(parts, self._users, self._claims)

    def _add_part(self, device: DeviceFacts, part: Mapping[str, Any]) -> None:
        nets = {label: self._net(device, target, part["name"]) for label, target in part["to"].items()}
        bridged_without = part.get("bridged_without")
        if bridged_without and not device.holds([bridged_without]):
            self._merge(*nets.values())
            return
        values = {key: part[key] for key in NUMBERS if key in part}
        facts = {key: device.facts[value] if isinstance(value, str) else value for key, value in values.items()}
        numbers = {key: float(fact) for key, fact in facts.items() if fact is not None}
        kind, subcircuit = kinds()[part["kind"]], device.subcircuit
        designator = self._designator(kind.designator, subcircuit.sheet)
        self._parts.append(Part(part["name"], subcircuit, kind, nets, designator=designator, **numbers))

    def _designator(self, letters: str, sheet: int) -> str:
        self._numbers[letters, sheet] += 1
        return f"{letters}{100 * sheet + self._numbers[letters, sheet]}"

    def _net(self, device: DeviceFacts, target: str, user: str) -> str:
        net = device.net(target)
        if gpio_number(net) is not None:
            users = self._users.setdefault(net, [])
            user = device.subcircuit.label if target.startswith("@") else user
            if user not in users:
                users.append(user)
        return net

    def _merge(self, one: str, other: str) -> None:
        one, other = self._final(one), self._final(other)
        if ":" not in one:  # the name of a pin or rail stays
            one, other = other, one
        if one != other:
            self._merged[one] = other

    def _final(self, net: str) -> str:
        while net in self._merged:
            net = self._merged[net]
        return net
