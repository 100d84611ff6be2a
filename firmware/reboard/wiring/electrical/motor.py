"""The motor: what keeps it still, what it does to others, and what it shares with the Pi."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from reboard.finding import Finding, fine, note, wrong
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.connections import ohms
from reboard.wiring.electrical.figures import apart
from reboard.wiring.electrical.pins import on_header
from reboard.wiring.pi import POWER_5V, gpio_number, pin_limits

WEAKEST_PULL_DOWN_OHM = 100_000
"""A pin that nobody drives leaks up to 10 µA. Through more than this they are more than a volt, at which some
transistors begin to let current through."""

CONDUCTS_FROM_V = 1.0
"""From here on an IRLZ44N begins to let current through (its threshold is 1 to 2 V)."""

WHILE_IT_FLOWS = 2
"""A diode's figure is what it stands on average, of a current that flows half of the time: it stands twice as much
while it flows."""

PI_SAGS = ("the Pi's 5 V sag", "from 5 V to ground", "ground")
BATTERIES_SAG = ("the batteries' volts sag", "from the batteries' + to their -", "-")
"""What a start does to the motor's supply, and between what the capacitor against that is, its stripe where."""

TAKE_10_KILOHM = "Take 10 kΩ: `gate_pull_down_ohm = 10000`."
A_MOSFET = '`driver = "mosfet"`, `gate_pull_down_ohm = 10000`'
"""What is written of a motor that comes off its pin."""


def gate(circuit: Circuit) -> Iterator[Finding]:
    """Is the motor still while nobody drives its pin?"""
    for transistor in circuit.of_kind("mosfet"):
        yield _about_gate(circuit, transistor)


def _about_gate(circuit: Circuit, transistor: Part) -> Finding:
    wire, wants_v = transistor.wires["G"], transistor.kind.terminals["G"].wants_v or 0
    downs = [ohm for end, ohm in circuit.resistors(wire) if end == transistor.wires["S"]]
    if not downs:
        pin = next((on_header(end) for end, _ in circuit.resistors(wire) if gpio_number(end) is not None), wire)
        return wrong(
            "motor.gate",
            "The gate of the motor's transistor has no resistor to ground: the worms dance on their own "
            "while the Pi starts, or when a wire comes off.",
            f"Put 10 kΩ from the gate to ground; {pin} stays where it is. Then `gate_pull_down_ohm = 10000`.",
        )
    down_ohm = min(downs)
    if down_ohm > WEAKEST_PULL_DOWN_OHM:
        return wrong(
            "motor.gate",
            f"The resistor from the motor's gate to ground has {ohms(down_ohm)}, which is too weak to hold it.",
            TAKE_10_KILOHM,
        )
    volts = _gate_volts(circuit, wire, down_ohm)
    if volts < wants_v:
        happens = "is half on, and gets hot" if volts >= CONDUCTS_FROM_V else "stays off, and the worms do not dance"
        return wrong(
            "motor.gate",
            f"The resistor from the motor's gate to ground has {ohms(down_ohm)}, and lets no more than "
            f"{apart(volts, wants_v, 1)} V come to the gate, which wants {wants_v:g} V: the transistor {happens}.",
            TAKE_10_KILOHM,
        )
    return fine("motor.gate", f"{ohms(down_ohm)} hold the motor still while nobody drives its pin.")


def _gate_volts(circuit: Circuit, gate: str, down_ohm: float) -> float:
    """How high the pin can make the *gate*: what is left of its volts between its resistor and the one to ground."""
    series_ohm = next((ohm for end, ohm in circuit.resistors(gate) if gpio_number(end) is not None), 0.0)
    return pin_limits().gives_v * down_ohm / (down_ohm + series_ohm)


def diode(circuit: Circuit) -> Iterator[Finding]:
    """Where does the motor's current go when it is switched off?"""
    for motor in circuit.of_kind("motor"):
        ends = {"anode": motor.wires["-"], "cathode": motor.wires["+"]}
        across = next((part for part in circuit.of_kind("diode") if dict(part.wires) == ends), None)
        if across:
            yield _about_diode(motor, across)
        else:
            yield wrong(
                "motor.diode",
                "The motor has no flyback diode: each time it is switched off, a spike of many volts hits "
                f"{'the transistor and the Pi' if any(circuit.of_kind('mosfet')) else 'the Pi'}.",
                f"Put a 1N5819 across the motor, its stripe at the motor's +{_then(circuit, 'flyback_diode')}.",
            )


def _about_diode(motor: Part, diode: Part) -> Finding:
    stands_ma = diode.most_through("anode")
    needed_ma = max(motor.takes_ma, motor.most_ma / WHILE_IT_FLOWS)
    if needed_ma <= stands_ma:
        return fine("motor.diode", "The flyback diode takes the motor's current when it is switched off.")
    if motor.takes_ma > stands_ma:
        takes, stands = f"{_amperes(motor.takes_ma)} while it turns", _amperes(stands_ma)
    else:
        takes = f"{_amperes(motor.most_ma)} when it starts or is held fast"
        stands = f"{_amperes(stands_ma * WHILE_IT_FLOWS)} at each pulse"
    size_ma = ceil(needed_ma / 1000) * 1000
    return wrong(
        "motor.diode",
        f"The motor takes {takes}, and its flyback diode{_which(diode)} stands {stands}.",
        f"Take a Schottky diode for {_amperes(size_ma)} or more, and write what it is for: `diode_ma = {size_ma}`.",
    )


def carried(circuit: Circuit) -> Iterator[Finding]:
    """Does the transistor carry what the motor takes at the most?"""
    for transistor in circuit.of_kind("mosfet"):
        # not what this gate gets: a transistor has to do in every circuit that `gate` lets pass
        stands_ma, gate_v = transistor.most_through("D"), transistor.kind.terminals["G"].wants_v
        for motor in circuit.of_kind("motor"):
            if motor.wires["-"] == transistor.wires["D"] and motor.most_ma > stands_ma:
                yield wrong(
                    "motor.transistor",
                    f"The motor takes {_amperes(motor.most_ma)} when it starts or is held fast, and its transistor"
                    f"{_which(transistor)} is good for {_amperes(stands_ma)} with {gate_v:g} V at its gate.",
                    f"Take a smaller motor; or a transistor whose data sheet promises that much with {gate_v:g} V at "
                    f"its gate, and write what it is good for: `transistor_ma = {motor.most_ma:g}`.",
                )


def _which(part: Part) -> str:
    """What *part* is, if it is the drawing's; somebody else's is known by its figure alone."""
    return f" ({part.kind.value})" if part.stands_ma is None else ""


def _amperes(milliamperes: float) -> str:
    return f"{milliamperes / 1000:g} A"


def capacitors(circuit: Circuit) -> Iterator[Finding]:
    """Is what the motor's brushes and its starts do kept away from the Pi?"""
    for motor in circuit.of_kind("motor"):
        ends = set(motor.wires.values())
        if not any(set(part.wires.values()) == ends for part in circuit.of_kind("suppression-capacitor")):
            yield note(
                "motor.capacitors",
                "The motor has no capacitor across its terminals: its brushes' sparks disturb keys, readers and Wi-Fi.",
                "Solder 100 nF across the motor's two terminals, as close to it as can be"
                f"{_then(circuit, 'suppression_capacitor')}.",
            )
        plus = motor.wires["+"]
        if gpio_number(plus) is not None:
            continue  # without a board there is no place for it, and what is wrong is told of the pin
        if not any(part.wires["+"] == plus for part in circuit.of_kind("bulk-capacitor")):
            sags, between, minus = PI_SAGS if plus == POWER_5V else BATTERIES_SAG
            yield note(
                "motor.capacitors",
                "The motor's board has no capacitor across its supply: each start takes as much as a motor that is "
                f"held fast, and {sags}.",
                f"Put 470 µF or more {between} where the motor's wires begin, the stripe at {minus}"
                f"{_then(circuit, 'bulk_capacitor')}.",
            )


def _then(circuit: Circuit, setting: str) -> str:
    """What to write when it is there; without a transistor the drawing has no place for it, whatever is written."""
    return f". Then `{setting} = true`" if any(circuit.of_kind("mosfet")) else ""


def common_ground(circuit: Circuit) -> Iterator[Finding]:
    """Do the Pi and the motor's own batteries share a ground?"""
    for transistor in circuit.of_kind("mosfet"):
        if circuit.is_grounded(transistor.wires["S"]):
            yield fine("motor.ground", "The motor's circuit and the Pi share their ground.")
        else:
            yield wrong(
                "motor.ground",
                "The motor's batteries and the Pi have no ground in common, so that the pin cannot switch the motor.",
                "Join the batteries' - to a ground of the header. Then `common_ground = true`.",
            )
