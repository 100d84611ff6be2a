"""The electrical rules of a motor: its pin, fuse, gate, transistor, diode, capacitors and ground.

``motor.supply``: batteries or a second supply outside 3 to 6 V; wrong above the capacitor's 10 V.
``motor.fuse``: no fuse, one that holds less than the turning motor takes when warm (0.8 of its hold current), or one
    whose trip current (twice its hold current) exceeds 1 A and the stalled motor's. It ends a short circuit; a stall
    ends with its time limit. Source: Bourns MF-R (0.8 is ours).
``motor.gate``: no resistor from gate to ground, or one above 100 kΩ, or one so small that it leaves less than 3 V at
    the gate. Source: Raspberry Pi documentation, *GPIO*; IRLZ44N.
``motor.transistor``: a stalled motor above ``transistor_ma``; a transistor that 3.3 V do not switch on, such as an
    IRF520 (10 V). Source: IRLZ44N, IRF520.
``motor.diode``: no flyback diode, or one too small: 1N5819 takes 1 A while turning, 2 A stalled. Source: 1N5819;
    International Rectifier PD-20590.
``motor.capacitors``: no 100 nF at the motor, or no 470 µF at its supply.
``motor.ground``: batteries or a second supply that do not share the Pi's ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil

from reboard.devices.motor import USUAL_FUSE_MA, MotorWiring
from reboard.finding import Finding, apart, fine, note, wrong
from reboard.netlist.circuit import TRIPS_AT, Circuit, Part, ohms
from reboard.netlist.electrical_rules import choose_another_pin, on_header
from reboard.netlist.hardware_data import pin_limits

WEAKEST_PULL_DOWN_OHM = 100_000
"""The largest useful gate pull-down resistor, in ohms. With it, the leakage current of an
undriven pin, up to 10 µA, raises the gate to 1 V. Some transistors begin to conduct at 1 V."""

CONDUCTS_FROM_V = 1.0
"""The lowest gate voltage at which the transistor can conduct, in volts. The threshold of an IRLZ44N is 1 to 2 V."""

PULSE = 2
"""The ratio of a diode's largest pulse current to its rated current. The rating is the average of a current that flows
half of the time."""

TAKE_10_KILOHM = "Use a resistor of 10 kΩ, and write `gate_pull_down_ohm = 10000` into [wiring.motor]."

FUSES_MA = (100, 170, 200, 250, 300, 400, 500, 650, 750, 900, 1100, 1350, 1600, 1850, 2500)
"""The hold currents of common resettable fuses with wires, in mA (Bourns MF-R)."""

HOLDS_WHEN_WARM = 0.8
"""The part of its hold current that a resettable fuse holds at 40 °C. Hold currents are specified at 23 °C."""

MOTOR_V = (3.0, 6.0)
"""The lowest and the highest supply voltage of the motor in the drawing (TT gear motor)."""

CAPACITOR_V = 10.0
"""The largest voltage of the capacitor in the drawing."""

LEAST_TRIP_MA = USUAL_FUSE_MA * TRIPS_AT
"""The trip current of the fuse in the drawing, in mA. A smaller one is never required, however weak the motor."""


def starts_on(label: str, net: str) -> Finding:
    """Return the finding on a motor whose pin is high while the Pi starts."""
    return wrong(
        "pins.start",
        f"The motor uses {on_header(net)}, which is high while a Pi starts: the motor would run on its own.",
        f"{choose_another_pin([label])} GPIO9 and higher are low while a Pi starts.",
    )


def on_pin(net: str) -> Finding:
    """Return the finding on a motor without a transistor."""
    return wrong(
        "currents.pin",
        f"The motor is connected directly to {on_header(net)}. A pin supplies at most {pin_limits().most_ma} mA, too "
        "little for a motor to start, and each stop of the motor causes a voltage spike.",
        "Put a MOSFET between the pin and the motor, with a 10 kΩ resistor from its gate to ground. Write "
        '`driver = "mosfet"` and `gate_pull_down_ohm = 10000` into [wiring.motor]. `reboard wiring` then lists the '
        "connections.",
    )


def own_supply(wiring: MotorWiring, source: Part) -> Finding:
    """Return the finding on the voltage of the batteries or of the second supply."""
    volts, (low_v, high_v) = wiring.supply_v or source.kind.terminals["+"].gives_v or 0.0, MOTOR_V
    what = f"The {source.name} gives {volts:g} V. The motor of the drawing is made for {low_v:g} to {high_v:g} V"
    do = f"Use {low_v:g} to {high_v:g} V, such as three cells of 1.5 V, and write `supply_v` into [wiring.motor]."
    if volts > CAPACITOR_V:
        return wrong("motor.supply", f"{what}, and its capacitor bursts above {CAPACITOR_V:g} V.", do)
    if not low_v <= volts <= high_v:
        how = "gets hot and too fast" if volts > high_v else "is weak, or does not start"
        return note("motor.supply", f"{what}: it {how}.", do)
    return fine("motor.supply", f"{what}.")


def fuse(wiring: MotorWiring) -> Finding:
    """Return the finding on the fuse in the positive wire of the motor's supply."""
    holds_ma, running_ma = wiring.fuse_ma, wiring.running_ma
    fitting_ma = next((size for size in FUSES_MA if size * HOLDS_WHEN_WARM >= running_ma), None)
    size_ma = max(fitting_ma or 0, USUAL_FUSE_MA)
    if fitting_ma is None:
        take = "Use a motor that draws less while it turns, and write its `running_ma` into [wiring.motor]."
    else:
        take = f"Use a resettable fuse that holds {size_ma} mA, and write `fuse_ma = {size_ma}` into [wiring.motor]."
    if not holds_ma:
        what = "The motor has no fuse: a short circuit heats wires and batteries until they burn."
        return wrong("motor.fuse", what, f"{take} Put it between the supply's + and the motor's board.")
    if holds_ma * HOLDS_WHEN_WARM < running_ma:
        what = f"The motor draws {running_ma} mA while it turns, but its fuse holds only {holds_ma} mA, less when warm"
        return wrong("motor.fuse", f"{what}: it interrupts the game.", take)
    if holds_ma * TRIPS_AT <= max(wiring.stalled_ma, LEAST_TRIP_MA):
        what = f"A fuse that holds {holds_ma} mA ends a short circuit. A stalled motor usually does not trip it"
        return fine("motor.fuse", f"{what}: it gets warm until its time limit.")
    what = f"The motor's fuse holds {holds_ma} mA and trips at {_amperes(holds_ma * TRIPS_AT)}, more than the stalled "
    what += f"motor's {_amperes(wiring.stalled_ma)}: it ends a short circuit late."
    if holds_ma > size_ma:
        return wrong("motor.fuse", what, take)
    return note("motor.fuse", what, "Use a motor with a lower `running_ma`, so that a smaller fuse is enough.")


def gate(wiring: MotorWiring, parts: Mapping[str, Part], pin: str) -> Finding:
    """Return the finding on the resistor that keeps the motor off while its pin is not driven."""
    down_ohm, needs_v = wiring.gate_pull_down_ohm, parts["transistor"].kind.terminals["G"].needs_v or 0
    if not down_ohm:
        return wrong(
            "motor.gate",
            "The gate of the motor's transistor has no resistor to ground: the motor can run on its own while "
            "the Pi starts, or when a wire comes off.",
            f"Connect a resistor of 10 kΩ from the gate to ground, and keep the wire to {on_header(pin)}. Write "
            "`gate_pull_down_ohm = 10000` into [wiring.motor].",
        )
    if down_ohm > WEAKEST_PULL_DOWN_OHM:
        return wrong(
            "motor.gate",
            f"The resistor from the transistor's gate to ground is {ohms(down_ohm)}, too high to keep the motor off.",
            TAKE_10_KILOHM,
        )
    if needs_v > pin_limits().gives_v:
        needs_v = 0.0  # `transistor` reports it
    volts = pin_limits().gives_v * down_ohm / (down_ohm + (parts["gate resistor"].ohm or 0.0))
    if volts < needs_v:
        then = "is only partly on and gets hot" if volts >= CONDUCTS_FROM_V else "stays off, and the motor does not run"
        return wrong(
            "motor.gate",
            f"The resistor from the transistor's gate to ground is only {ohms(down_ohm)}, so the gate gets at most "
            f"{apart(volts, needs_v, 1)} V but needs {needs_v:g} V: the transistor {then}.",
            TAKE_10_KILOHM,
        )
    return fine("motor.gate", f"A resistor of {ohms(down_ohm)} keeps the motor off while its pin is not driven.")


def transistor(wiring: MotorWiring, transistor: Part) -> Iterator[Finding]:
    """Yield the findings on the current through the transistor."""
    # at the lowest voltage that `gate` lets pass, not at the voltage of this gate
    stands_ma, gate_v = transistor.most_through("D"), transistor.kind.terminals["G"].needs_v or 0.0
    if gate_v > pin_limits().gives_v:
        yield wrong(
            "motor.transistor",
            f"The motor's transistor, {transistor.kind.value}, is fully on only from {gate_v:g} V at its gate, but a "
            f"pin gives {pin_limits().gives_v:g} V: the motor is weak or does not turn, and the transistor gets hot.",
            'Use an IRLZ44N, IRLZ34N or IRL540N, and write `transistor = "IRLZ44N"` into [wiring.motor].',
        )
        return
    if wiring.stalled_ma > stands_ma:
        yield wrong(
            "motor.transistor",
            f"The motor draws {_amperes(wiring.stalled_ma)} when it starts or stalls, but the limit of its "
            f"transistor{_value(transistor)} is {_amperes(stands_ma)} at a gate voltage of {gate_v:g} V.",
            "Use a motor with a lower `stalled_ma`, or a transistor whose data sheet allows this current at "
            f"a gate voltage of {gate_v:g} V (`transistor_ma = {wiring.stalled_ma:g}`). Write the new value into "
            "[wiring.motor].",
        )


def diode(wiring: MotorWiring, diode: Part | None) -> Finding:
    """Return the finding on the flyback diode."""
    if diode is None:
        return wrong(
            "motor.diode",
            "The motor has no flyback diode: each time the motor is switched off, a voltage spike hits "
            f"{'the transistor and ' if wiring.driver == 'mosfet' else ''}the Pi.",
            f"Connect a 1N5819 across the motor, with its stripe at the motor's +{_then(wiring, 'flyback_diode')}.",
        )
    stands_ma = diode.most_through("anode")
    needed_ma = max(wiring.running_ma, wiring.stalled_ma / PULSE)
    if needed_ma <= stands_ma:
        return fine("motor.diode", "The flyback diode is strong enough for the motor's current.")
    if wiring.running_ma > stands_ma:
        takes, stands = f"{_amperes(wiring.running_ma)} while it turns", _amperes(stands_ma)
    else:
        takes = f"{_amperes(wiring.stalled_ma)} when it starts or stalls"
        stands = f"{_amperes(stands_ma * PULSE)} in a pulse"
    size_ma = ceil(needed_ma / 1000) * 1000
    return wrong(
        "motor.diode",
        f"The motor draws {takes}, but the limit of its flyback diode{_value(diode)} is {stands}.",
        f"Use a Schottky diode for {_amperes(size_ma)} or more. Write `diode_ma = {size_ma}` into [wiring.motor].",
    )


def capacitors(wiring: MotorWiring) -> Iterator[Finding]:
    """Yield notes on missing capacitors."""
    if wiring.driver == "pin" or not wiring.suppression_capacitor:
        yield note(
            "motor.capacitors",
            "The motor has no capacitor across its terminals: sparks from its brushes can interfere with keypads, card "
            "readers and Wi-Fi.",
            f"Solder a 100 nF capacitor directly across the motor's terminals{_then(wiring, 'suppression_capacitor')}.",
        )
    if wiring.driver == "mosfet" and not wiring.bulk_capacitor:
        sags, between, minus = ("the Pi's 5 V supply sags", "from 5 V to ground", "ground")
        if wiring.supply != "5V":
            sags, between, minus = ("the voltage of its supply sags", "from the supply's + to its -", "-")
        yield note(
            "motor.capacitors",
            "The motor's board has no capacitor across its supply: at each start the motor draws as much current as "
            f"when it stalls, and {sags}.",
            f"Connect an electrolytic capacitor of 470 µF or more {between} on the motor's board, with its stripe at "
            f"{minus}{_then(wiring, 'bulk_capacitor')}.",
        )


def ground(circuit: Circuit, transistor: Part) -> Finding:
    """Return the finding on the ground that the motor's circuit and the Pi must share."""
    if circuit.is_grounded(transistor.nets["S"]):
        return fine("motor.ground", "The motor's circuit and the Pi share a ground.")
    return wrong(
        "motor.ground",
        "The motor's own supply and the Pi do not share a ground, so the pin cannot switch the motor.",
        "Connect the - of the motor's supply to a ground pin of the header. Write `common_ground = true` into "
        "[wiring.motor].",
    )


def _then(wiring: MotorWiring, setting: str) -> str:
    """Return the end of a remedy: the setting to write, or ``""`` for the driver ``pin``, which ignores it."""
    return f". Then write `{setting} = true` into [wiring.motor]" if wiring.driver == "mosfet" else ""


def _value(part: Part) -> str:
    """Return the value of *part* in parentheses, or ``""`` if the config sets its limit, because it may differ then."""
    return f" ({part.kind.value})" if part.stands_ma is None else ""


def _amperes(milliamperes: float) -> str:
    return f"{milliamperes / 1000:g} A"
