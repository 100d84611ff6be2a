"""What ``[wiring]`` says of readers: can it be so, and is it said of one that it can be true of?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from reboard.config import SlotConfig, TableConfig
from reboard.finding import Finding, note, wrong
from reboard.settings.wiring import SlotWiring
from reboard.wiring.circuit import Circuit
from reboard.wiring.electrical.feeding import to_be_fed_otherwise
from reboard.wiring.electrical.figures import all_of
from reboard.wiring.facts import facts_of
from reboard.wiring.pi import pin_limits

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


def on_unknown_pins(config: TableConfig) -> Iterator[Finding]:
    """Is a reader on a serial line of the Pi of which nobody knows here which pins it has?"""
    facts, limits = facts_of(config), pin_limits()
    for side in ("left", "right"):
        port: str | None = getattr(getattr(config.bank, side, None), "port", None)
        if port is not None and f"bank.{side}.line" not in facts:
            yield note(
                "readers.unknown",
                f"The {side} reader is on {port}, a serial line of the Pi itself, and which pins that has, an overlay "
                "decides: nothing looks at this reader, at what it takes, or at what else is on its pins.",
                "`dtoverlay -h` and the overlay's name tell its pins: put nothing else there. They stand "
                f"{limits.stands_v:g} V like all others: measure its TX at rest, and divide what is above "
                f"{limits.highest_v:g} V.",
            )


def not_on_a_line(config: TableConfig) -> Iterator[Finding]:
    """Does ``[wiring]`` speak of a slot that has no serial line?"""
    facts = facts_of(config)
    for side in ("left", "right"):
        wiring: SlotWiring = getattr(config.wiring, side)
        said = [f"`{field.name}`" for field in fields(wiring) if getattr(wiring, field.name) is not None]
        slot: SlotConfig | None = getattr(config.bank, side, None)
        if said and f"bank.{side}.line" not in facts and not hasattr(slot, "port"):
            kind = f'The {side} slot, `reader = "{slot.reader}"`, is on no serial line' if slot else ""
            who = kind or f"There is no {side} slot"
            yield note(
                "readers.unused",
                f"{who}, so that nothing looks at {all_of(said)} of `{side}` in [wiring].",
                f"Take {all_of(said)} out of [wiring], or see whether another slot is meant.",
            )
