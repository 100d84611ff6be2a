"""Volts: does every input get what it stands, and what it takes for high?"""

from __future__ import annotations

from collections.abc import Iterator

from reboard.finding import Finding, fine, wrong
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.electrical.feeding import DIVIDER, to_be_fed_otherwise
from reboard.wiring.electrical.figures import apart
from reboard.wiring.electrical.pins import on_header
from reboard.wiring.pi import pin_limits

PUT_A_DIVIDER = f"Put {DIVIDER}; then write `divider = true` into [wiring]."
TOO_MUCH_FOR_A_DIVIDER = (
    "Measure what feeds the reader, and its TX once more, and write that as `tx_v`: neither is above 5.25 V."
)
NO_DIVIDER = "Join the reader's TX to the line without a divider, and write `divider = false` into [wiring]."
NO_SIGNAL = (
    "Measure it once more, at rest and with no card on its coil, and write that as `tx_v`; measure what feeds the "
    "reader as well. If it stays so, the reader is broken."
)
NO_5V_ON_THE_BUS = (
    'Feed the display with 3.3 V (`power = "3.3V"`), or put a level shifter between it and the Pi '
    "(`level_shifter = true`)."
)


def too_high(circuit: Circuit) -> Iterator[Finding]:
    """Does more come to an input than it stands?"""
    unknown = _unknown(circuit)
    found = bool(unknown)
    for wire, where, stands_v in _inputs(circuit):
        volts, highest_v = circuit.highest_volts(wire), pin_limits().let_through(stands_v)
        if volts is None or volts <= highest_v or wire in unknown:
            continue
        found = True
        sources = [
            part.name for part in circuit.on(wire) if any(at == wire and t.pulls_up_ohm for at, t in part.terminals())
        ]
        who = sources[0] if sources else _driver(circuit, wire)
        what = f"{where} gets up to {apart(volts, highest_v, 1)} V from the {who}, and stands {stands_v:g} V."
        if sources:
            yield wrong("levels.high", what, NO_5V_ON_THE_BUS)
        elif any(part.is_to_be_measured for part in _drivers(circuit, wire)):
            # a note would let it pass, and it is the Pi that dies of it
            tamer = "Some boards are tamer, and nothing says that this one is."
            yield wrong("levels.high", f"{what} {tamer}", f"{_measure(highest_v)} {PUT_A_DIVIDER}")
        else:
            yield wrong("levels.high", what, TOO_MUCH_FOR_A_DIVIDER if _is_divided(circuit, wire) else PUT_A_DIVIDER)
    if not found:
        yield fine("levels.high", "No input gets more volts than it stands.")


def too_low(circuit: Circuit) -> Iterator[Finding]:
    """Does less come to an input than it takes for high?"""
    unknown = _unknown(circuit)
    found = bool(unknown)
    for wire, where, _ in _inputs(circuit):
        volts, wants_v = circuit.least_high(wire), pin_limits().high_from_v
        if volts is None or volts >= wants_v or wire in unknown:
            continue
        found = True
        yield wrong(
            "levels.low",
            f"{where} gets no more than {apart(volts, wants_v, 1)} V from the {_driver(circuit, wire)}, and wants "
            f"{wants_v:.1f} V.",
            NO_DIVIDER if _undivided_v(circuit, wire) >= wants_v else NO_SIGNAL,
        )
    if not found:
        yield fine("levels.low", "Every signal is high enough to be heard.")


def _measure(highest_v: float) -> str:
    return (
        "Measure its TX at rest, and write the volts into [wiring] as `tx_v`: "
        f"with {highest_v:g} V or less it may stay so. With more, or not measured:"
    )


def _inputs(circuit: Circuit) -> Iterator[tuple[str, str, float]]:
    for wire in circuit.pin_wires():
        yield wire, on_header(wire), pin_limits().stands_v
    for part in circuit.parts:
        for label, wire in part.wires.items():
            stands_v = part.kind.terminals[label].listens_v
            if stands_v is not None:
                yield wire, f"{label} of the {part.name}", stands_v


def _unknown(circuit: Circuit) -> set[str]:
    """The wires of which nothing can be said: who speaks there has to be fed otherwise first."""
    names = to_be_fed_otherwise(circuit)
    return {wire for wire, *_ in _inputs(circuit) if any(part.name in names for part in _drivers(circuit, wire))}


def _driver(circuit: Circuit, wire: str) -> str:
    return next((part.name for part in _drivers(circuit, wire)), "supply")


def _drivers(circuit: Circuit, wire: str) -> Iterator[Part]:
    for end in (wire, *(end for end, _ in circuit.resistors(wire))):
        yield from (part for part, _ in circuit.drivers(end))


def _undivided_v(circuit: Circuit, wire: str) -> float:
    """How high the signal on *wire* is where it comes from, before any resistor."""
    ends = (wire, *(end for end, _ in circuit.resistors(wire)))
    return max(circuit.least_high(end) or 0.0 for end in ends if circuit.drivers(end))


def _is_divided(circuit: Circuit, wire: str) -> bool:
    """Whether the signal on *wire* comes through a resistor."""
    return not circuit.drivers(wire)
