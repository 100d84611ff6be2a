"""Which of the header's grounds, 3.3 V and 5 V each circuit has: no setting of ``[wiring]`` moves a finished wire.

What a circuit needs under any setting is handed out at once, and kept for it when it does without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reboard.wiring.facts import Facts, holds, pin_or_itself
from reboard.wiring.pi import RAILS, gpio_number, header_pin


@dataclass(frozen=True, slots=True)
class Claim:
    """A *circuit* that may need a pin of a *rail*, if possible close to the pin of the wire *near*.

    *is_usual*: our drawings have it so. There are two pins with 5 V, and more circuits that could do with one.
    """

    circuit: str
    accessory: str
    rail: str
    near: str
    is_usual: bool


def claims_of(accessory: str, circuit: Mapping[str, Any], facts: Facts, drawn: Facts) -> Iterator[Claim]:
    """What a *circuit* of the folder ``hardware`` may need with any ``[wiring]``; *drawn* are the drawings' facts."""
    found: list[tuple[str, bool]] = []
    for piece in (*circuit.get("part", ()), *circuit.get("wire", ())):
        conditions = [*circuit.get("when", ()), *piece.get("when", ())]
        if all(holds(condition, facts) for condition in conditions if not condition.startswith("wiring.")):
            is_usual = all(holds(condition, drawn) for condition in conditions)
            ends = piece["joins"] if "joins" in piece else piece["to"].values()
            found += [(pin_or_itself(end, facts), is_usual) for end in ends]
    near = next((wire for wire, _ in found if gpio_number(wire) is not None), "")
    for wire, is_usual in found:
        if wire in RAILS:
            yield Claim(circuit["name"], accessory, wire, near, is_usual)


def rail_pins(claims: Iterable[Claim]) -> Mapping[tuple[str, str], int]:
    """The pin of each circuit on each rail that it may need; first come those that are usual.

    Each has one of its own as long as there are any.
    """
    pins: dict[tuple[str, str], int] = {}
    for claim in sorted(claims, key=lambda claim: not claim.is_usual):
        if (claim.circuit, claim.rail) not in pins:
            taken = {pin for (_, rail), pin in pins.items() if rail == claim.rail}
            pin = header_pin(claim.rail, near=header_pin(claim.near), without=taken)
            pins[claim.circuit, claim.rail] = pin
    return pins
