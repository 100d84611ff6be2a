"""What ``[wiring]`` says of readers: can it be so, and is it said of one that it can be true of?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from reboard.config import SlotConfig, TableConfig
from reboard.finding import Finding, note, wrong
from reboard.settings.wiring import SlotWiring
from reboard.wiring.circuit import Circuit
from reboard.wiring.electrical.feeding import to_be_fed_otherwise
from reboard.wiring.facts import facts_of

MOST_OFF = 1.1
"""USB and the Pi's supplies may be 5 % above their name, and a meter and who reads it are off by some more."""


def measured(circuit: Circuit) -> Iterator[Finding]:
    """Was more measured at a reader than it can put out?"""
    otherwise = to_be_fed_otherwise(circuit)
    for part in circuit.parts:
        power = circuit.power_of(part)
        fed_v = circuit.volts_of_supply(power) if power else None
        if part.drives_v is None or fed_v is None or part.drives_v <= fed_v * MOST_OFF or part.name in otherwise:
            continue
        yield wrong(
            "readers.measured",
            f"The {part.name} puts out {part.drives_v:g} V and is fed with {fed_v:g} V, as [wiring] has it: no reader "
            "puts out more than it is fed with, so one of the two is not as it is there.",
            "Keep its TX off the line until you know. Measure once more what feeds it and its TX at rest, both against "
            "ground, and write them into [wiring] as `power` and `tx_v`.",
        )


def not_on_a_line(config: TableConfig) -> Iterator[Finding]:
    """Does ``[wiring]`` speak of a slot that has no serial line?"""
    facts = facts_of(config)
    for side in ("left", "right"):
        wiring: SlotWiring = getattr(config.wiring, side)
        said = [f"`{field.name}`" for field in fields(wiring) if getattr(wiring, field.name) is not None]
        if said and f"bank.{side}.line" not in facts:
            slot: SlotConfig | None = getattr(config.bank, side, None)
            kind = f'The {side} slot, `reader = "{slot.reader}"`, is on no serial line' if slot else ""
            who = kind or f"There is no {side} slot"
            yield note(
                "readers.unused",
                f"{who}, so that nothing looks at {' and '.join(said)} of `{side}` in [wiring].",
                "Take that out of [wiring], or see whether another slot is meant.",
            )
