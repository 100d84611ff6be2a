"""Feeding: does every part get the volts that it wants, and can what feeds it give what it takes?"""

from __future__ import annotations

from collections.abc import Iterator

from reboard.finding import Finding, fine, wrong
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.connections import RAIL_NAMES
from reboard.wiring.kinds import Terminal
from reboard.wiring.pi import POWER_3V3, POWER_5V

DIVIDER = "1.8 kΩ between the reader's TX and the line, and 3.3 kΩ from the line to ground"


def fed_wrongly(circuit: Circuit) -> Iterator[Finding]:
    """Is a part fed with more or less than it wants?"""
    found = False
    for part, terminal, volts in _fed_wrongly(circuit):
        low, high = terminal.takes_v or (0.0, 0.0)
        found = True
        yield wrong(
            "levels.supply",
            f"The {part.name} ({part.kind.value}) wants {low:g} to {high:g} V, and gets {volts:g} V.",
            _feed(part, POWER_5V if low > volts else POWER_3V3),
        )
    if not found:
        yield fine("levels.supply", "Every part gets the volts that it wants.")


def adapters(circuit: Circuit) -> Iterator[Finding]:
    """Can a supply inside a part give what others take from it?"""
    for source, terminal, fed in _overloaded(circuit):
        takes_ma = sum(most_taken_at(taking) for part in fed for taking in part.kind.terminals.values())
        yield wrong(
            "currents.adapter",
            f"The {' and '.join(part.name for part in fed)} takes up to {takes_ma:g} mA from the "
            f"{terminal.gives_v:g} V of the {source.name}, which gives {terminal.gives_ma:g} mA.",
            " ".join(_feed(part, POWER_5V) for part in fed),
        )


def to_be_fed_otherwise(circuit: Circuit) -> set[str]:
    """The parts of which nothing else is known as long as they are fed as they are, by their names."""
    wrongly = {part.name for part, *_ in _fed_wrongly(circuit)}
    return wrongly | {part.name for *_, fed in _overloaded(circuit) for part in fed}


def most_taken_at(terminal: Terminal) -> float:
    """The most that is taken at *terminal*, in mA."""
    return max(terminal.takes_ma, terminal.most_ma)


def _fed_wrongly(circuit: Circuit) -> Iterator[tuple[Part, Terminal, float]]:
    for part in circuit.parts:
        for wire, terminal in part.terminals():
            volts = circuit.volts_of_supply(wire)
            if terminal.takes_v is None or volts is None:
                continue
            low, high = terminal.takes_v
            if not low <= volts <= high:
                yield part, terminal, volts


def _overloaded(circuit: Circuit) -> Iterator[tuple[Part, Terminal, list[Part]]]:
    """Each supply inside a part that gives too little, and the parts that it feeds."""
    for source in circuit.parts:
        for wire, terminal in source.terminals():
            takes_ma = sum(map(most_taken_at, circuit.terminals_at(wire)))
            if terminal.gives_ma is not None and takes_ma > terminal.gives_ma:
                yield source, terminal, [part for part in circuit.on(wire) if circuit.power_of(part) == wire]


def _feed(part: Part, power: str) -> str:
    """How *part* comes to that *power*. What was measured of its signal before that says nothing of it after."""
    if not any(terminal.drives_v is not None for terminal in part.kind.terminals.values()):
        return f'Feed it from {RAIL_NAMES[power]} (`power = "{power}"`).'
    steps = f'Keep its TX off the line, and feed the reader from {RAIL_NAMES[power]} (`power = "{power}"`). '
    if part.drives_v is not None:
        steps += "Take `tx_v` out of [wiring]: that was measured while it was fed otherwise. "
    if power == POWER_5V:
        steps += f"Put a divider in the way of its signal (`divider = true`): {DIVIDER}. "
    return f"{steps}Then measure its TX at rest, and write the volts as `tx_v`."
