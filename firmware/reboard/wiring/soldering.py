"""What a config stands for, as our drawings have it: the circuits of ``hardware`` with the config's pins in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from reboard.config import TableConfig
from reboard.settings.wiring import Wiring
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.facts import Facts, facts_of, holds, pin_or_itself
from reboard.wiring.kinds import kinds
from reboard.wiring.pi import RAILS, gpio_number
from reboard.wiring.rail_pins import Claim, claims_of
from reboard.wiring.shipped import shipped

ACCESSORIES = ("block", "apple", "bank", "speaker")
"""The files of ``hardware`` that describe circuits."""

NUMBERS = ("ohm", "takes_ma", "most_ma", "stands_ma", "drives_v")
"""What such a file may say of a part in figures, or by the name of a setting."""

DRAWN = Wiring(speaker="max98357a")
"""How our drawings have everything."""

LINES = ("bank.left.line", "bank.right.line")
"""The facts that tell whether a reader is on the header or on USB."""


def title_of(accessory: str) -> str:
    """What an accessory is called."""
    return str(shipped(accessory)["title"])


def circuit_of(config: TableConfig) -> Circuit:
    """Every part that *config* speaks of, wired as the drawings have it and as ``[wiring]`` says otherwise."""
    soldering = _Soldering(facts_of(config), _drawn(config))
    for accessory in ACCESSORIES:
        for circuit in shipped(accessory)["circuit"]:
            for side in circuit.get("sides", [""]):
                soldering.solder(accessory, _for_side(circuit, side))
    return soldering.done()


def _drawn(config: TableConfig) -> Facts:
    """The facts of *config* as they were if all of it were built as in our drawings, where readers are on USB."""
    facts = facts_of(replace(config, wiring=DRAWN))
    return {name: "usb" if name in LINES else fact for name, fact in facts.items()}


def _for_side(said: Any, side: str) -> Any:
    """*said* with ``{side}`` replaced in every text."""
    match said:
        case str():
            return said.replace("{side}", side)
        case list():
            return [_for_side(entry, side) for entry in said]
        case dict():
            return {key: _for_side(entry, side) for key, entry in said.items()}
    return said


class _Soldering:
    """Circuits coming about: parts, and which wires have become one.

    *facts* are the config's, and *drawn* are what they would be if everything were wired as in our drawings.
    """

    def __init__(self, facts: Facts, drawn: Facts) -> None:
        self._facts = facts
        self._drawn = drawn
        self._claims: list[Claim] = []
        self._parts: list[Part] = []
        self._same: dict[str, str] = {}
        self._users: dict[str, list[str]] = {}

    def solder(self, accessory: str, said: Mapping[str, Any]) -> None:
        """Put in the circuit that is *said*, if it is there at all."""
        self._claims += claims_of(accessory, said, self._facts, self._drawn)
        if not self._all_hold(said.get("when", ())):
            return
        circuit = said["name"]
        for wire in said.get("wire", ()):
            if self._all_hold(wire["when"]):
                self._join(*(self._wire(circuit, end, circuit) for end in wire["joins"]))
        for part in said.get("part", ()):
            if self._all_hold(part.get("when", ())):
                self._put(accessory, circuit, part)

    def done(self) -> Circuit:
        """All of it."""
        parts = [
            replace(part, wires={label: self._end(wire) for label, wire in part.wires.items()}) for part in self._parts
        ]
        return Circuit(parts, self._users, self._claims)

    def _put(self, accessory: str, circuit: str, said: Mapping[str, Any]) -> None:
        wires = {label: self._wire(circuit, target, said["name"]) for label, target in said["to"].items()}
        bridged_without = said.get("bridged_without")
        if bridged_without and not holds(bridged_without, self._facts):
            self._join(*wires.values())
            return
        kind = kinds()[said["kind"]]
        self._parts.append(Part(said["name"], circuit, accessory, kind, wires, **self._numbers(said)))

    def _wire(self, circuit: str, target: str, user: str) -> str:
        if target.startswith("@"):
            user, wire = target.removeprefix("@"), pin_or_itself(target, self._facts)
        elif target in RAILS or gpio_number(target) is not None:
            wire = target
        else:
            return f"{circuit}: {target}"
        if gpio_number(wire) is not None and user not in self._users.setdefault(wire, []):
            self._users[wire].append(user)
        return wire

    def _join(self, one: str, other: str) -> None:
        """Make one wire of two; a pin's or a rail's name stays."""
        one, other = self._end(one), self._end(other)
        if ":" not in one:
            one, other = other, one
        if one != other:
            self._same[one] = other

    def _end(self, wire: str) -> str:
        while wire in self._same:
            wire = self._same[wire]
        return wire

    def _numbers(self, said: Mapping[str, Any]) -> Mapping[str, float]:
        """The numbers of a part that is *said*, without those that the config leaves to its kind."""
        told = {key: said[key] for key in NUMBERS if key in said}
        facts = {key: self._facts[number] if isinstance(number, str) else number for key, number in told.items()}
        return {key: float(fact) for key, fact in facts.items() if fact is not None}

    def _all_hold(self, conditions: Iterable[str]) -> bool:
        return all(holds(condition, self._facts) for condition in conditions)
