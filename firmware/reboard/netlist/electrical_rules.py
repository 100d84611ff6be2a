"""Electrical rules, which check the pins, signal levels and supplies of a circuit.

``pins.twice``: a pin used twice, for example by the amplifier, which no pin setting names.
``pins.job``: a pin of I²C, the serial port, SPI or I²S. With a MAX98357A the kernel takes GPIO20 too. Source: Raspberry
    Pi documentation, *GPIO*; HAT specification.
``levels.high``: more volts than an input takes: 3.3 V, and 0.2 V for tolerances. An unmeasured TX on 5 V counts as 5 V,
    until ``tx_v`` says what you measured. Source: Raspberry Pi documentation, *GPIO*; PCF8574; readers' data sheets.
``levels.low``: a high level below 2.0 V, or below 2.2 V behind a divider, whose resistors vary: a divider where none is
    needed, or a dead reader. Source: as ``levels.high``.
``levels.supply``: a part with too many or too few volts. Measure its TX again after a change. Source: its data sheet.
``wiring.open``: a terminal that a circuit file connects to nothing.
``currents.adapter``: a reader that takes more than its USB adapter's 3.3 V give: FT232R 50 mA, CP2102 100 mA, CH340
    nothing. Source: FT232R, CP2102, CH340.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reboard.finding import Finding, all_of, apart, fine, note, wrong
from reboard.netlist.circuit import RAIL_NAMES, Circuit, Part
from reboard.netlist.hardware_data import (
    POWER_3V3,
    POWER_5V,
    Terminal,
    gpio,
    gpio_number,
    header_pin,
    jobs,
    pin_limits,
)

WHICH_PIN = 'The section "Which pin" in docs/wiring.md lists the uses of each pin.'


def on_header(net: str) -> str:
    """Return the name of a GPIO pin for users, such as ``GPIO17 (pin 11 of the header)``."""
    return f"{net} (pin {header_pin(net)} of the header)"


def choose_another_pin(users: Sequence[str]) -> str:
    """Return the remedy for the settings *users*, whose pin cannot be used."""
    return f"Choose another pin for {all_of(users)}. {WHICH_PIN}"


def used_twice(circuit: Circuit) -> Iterator[Finding]:
    """Yield a finding for each pin that has more than one user, or one ``fine`` finding if there is no such pin."""
    used = circuit.used_pins()
    sharers = {gpio(number): circuit.takers(job.name) for job in jobs() for number in job.shared}
    twice = [
        net for net in used if len(circuit.users[net]) > 1 and not {*circuit.users[net]} <= sharers.get(net, set())
    ]
    for net in twice:
        users = circuit.users[net]
        names = " and ".join(user if _is_setting(user) else f"the {user}" for user in users)
        what = f"{on_header(net)} is used by {names}."
        yield wrong("pins.twice", what, choose_another_pin(list(filter(_is_setting, users))))
    if not twice:
        yield fine("pins.twice", f"No pin is used twice. Pins in use: {len(used)}.")


def other_jobs(circuit: Circuit) -> Iterator[Finding]:
    """Yield findings on pins in the config that the Pi can also use for another function, such as SPI."""
    found = False
    for job in jobs():
        takers = circuit.takers(job.name)
        used = [net for net in circuit.used_pins() if gpio_number(net) in job.gpios]
        found |= any(_is_setting(user) and user not in takers for net in used for user in circuit.users[net])
        # `used_twice` reports a pin with two users
        named = {net: circuit.users[net][0] for net in used if len(circuit.users[net]) == 1}
        named = {net: user for net, user in named.items() if _is_setting(user) and user not in takers}
        if not named:
            continue
        settings = list(dict.fromkeys(named.values()))
        belong = "also belong" if len(named) > 1 else "also belongs"
        why = job.why_taken if takers else job.why
        what = f"{all_of(list(named))} ({', '.join(settings)}) {belong} to {job.name}: {why}."
        if job.is_on or takers:
            yield wrong("pins.job", what, choose_another_pin(settings))
        else:
            yield note("pins.job", what, f"Switch {job.name} off: `{job.free}`." if job.free else "")
    if not found:
        yield fine("pins.job", "No pin set in the config has another function.")


def open_ends(circuit: Circuit) -> Iterator[Finding]:
    """Yield a finding for each device with terminals that are connected to nothing, such as by a mistyped net."""
    ends: dict[str, list[tuple[Part, str]]] = {}
    for part in circuit.parts:
        for terminal, net in part.nets.items():
            ends.setdefault(net, []).append((part, terminal))
    # a USB adapter has an output that most readers do not use
    alone = [(net, *met[0]) for net, met in ends.items() if ":" in net and len(met) == 1 and not met[0][0].kind.on_usb]
    for label in dict.fromkeys(part.subcircuit.label for _, part, _ in alone):
        of_device = [(net, part, end) for net, part, end in alone if part.subcircuit.label == label]
        names = all_of([f'{end} of the {part.name} (net "{net.partition(": ")[2]}")' for net, part, end in of_device])
        yield wrong(
            "wiring.open",
            f"Connected to nothing in the circuit of {label}: {names}.",
            f"Correct the names of the nets in the circuit file of {label}, or of the kind of its reader or display.",
        )


def _is_setting(user: str) -> bool:
    return "." in user


# {0} is the table of the reader or display, such as [wiring.left]
DIVIDER = (
    "a 1.8 kΩ resistor between the reader's TX and the serial port's RX, and a 3.3 kΩ resistor between the serial "
    "port's RX and ground"
)
PUT_A_DIVIDER = f"Connect {DIVIDER}. Then write `divider = true` into {{0}}."
TOO_MUCH_FOR_A_DIVIDER = (
    "Measure the voltages of the reader's supply and of its TX at rest again, both relative to ground. If the supply "
    "is above 5.25 V, replace the power supply. If only TX is above 5.25 V, replace the reader. Otherwise, set `tx_v` "
    "in {0} to the voltage of TX."
)
NO_DIVIDER = "Connect the reader's TX directly to the serial port's RX, and write `divider = false` into {0}."
NO_SIGNAL = (
    "With no card on the reader, measure the voltages of its supply and of its TX at rest, both relative to ground. "
    "Set `tx_v` in {0} to the voltage of TX. If the supply is right but TX is still too low, the reader is broken."
)
NO_5V_ON_THE_BUS = (
    'Supply the display with 3.3 V and write `power = "3.3V"` into {0}, or put a level shifter between the display and '
    "the Pi and write `level_shifter = true` into {0}."
)


def wrong_supplies(circuit: Circuit) -> Iterator[Finding]:
    """Yield a finding for each part whose supply voltage is outside its limits, or one ``fine`` finding."""
    found = False
    for part, terminal, volts in _wrongly_fed(circuit):
        low, high = terminal.takes_v or (0.0, 0.0)
        found = True
        yield wrong(
            "levels.supply",
            f"The {part.name} ({part.kind.value}) needs {low:g} to {high:g} V but gets {volts:g} V.",
            _feed(part, POWER_5V if low > volts else POWER_3V3),
        )
    if not found:
        yield fine("levels.supply", "Every part has the right supply voltage.")


def overloaded_adapters(circuit: Circuit) -> Iterator[Finding]:
    """Yield a finding for each supply output, such as 3.3 V of a USB adapter, that is too weak for its load."""
    for source, terminal, fed in _overloaded(circuit):
        takes_ma = sum(most_taken_at(taking) for part in fed for taking in part.kind.terminals.values())
        yield wrong(
            "currents.adapter",
            f"The load of {all_of([f'the {part.name}' for part in fed])} is up to {takes_ma:g} mA, but the "
            f"{terminal.gives_v:g} V output of the {source.name} supplies at most {terminal.gives_ma:g} mA.",
            " ".join(_feed(part, POWER_5V) for part in fed),
        )


def to_be_fed_otherwise(circuit: Circuit) -> set[str]:
    """Return the names of the parts that need another supply. Their signal levels are unknown."""
    wrongly = {part.name for part, *_ in _wrongly_fed(circuit)}
    return wrongly | {part.name for *_, fed in _overloaded(circuit) for part in fed}


def most_taken_at(terminal: Terminal) -> float:
    """Return the largest supply current of *terminal*, in mA."""
    return max(terminal.takes_ma, terminal.most_ma)


def _wrongly_fed(circuit: Circuit) -> Iterator[tuple[Part, Terminal, float]]:
    for part in circuit.parts:
        for net, terminal in part.terminals():
            volts = circuit.volts_of_supply(net)
            if terminal.takes_v is None or volts is None:
                continue
            low, high = terminal.takes_v
            if not low <= volts <= high:
                yield part, terminal, volts


def _overloaded(circuit: Circuit) -> Iterator[tuple[Part, Terminal, list[Part]]]:
    for source in circuit.parts:
        for net, terminal in source.terminals():
            takes_ma = sum(most_taken_at(taking) for _, taking in circuit.terminals_on(net))
            if terminal.gives_ma is not None and takes_ma > terminal.gives_ma:
                yield source, terminal, [part for part in circuit.on(net) if circuit.power_of(part) == net]


def _table(part: Part) -> str:
    return f"[wiring.{part.subcircuit.label.rpartition('.')[2]}]"


def _feed(part: Part, power: str) -> str:
    supplied = f'Supply the {part.name} with {RAIL_NAMES[power]} (`power = "{power}"` in {_table(part)}). '
    if not any(terminal.drives_v is not None for terminal in part.kind.terminals.values()):
        return supplied.strip()
    steps = f"Disconnect the reader's TX. {supplied}"
    if part.drives_v is not None:
        steps += f"Remove `tx_v` from {_table(part)}: you measured it with the old supply. "
    if power == POWER_5V:
        steps += f"Add a voltage divider (`divider = true` in {_table(part)}): {DIVIDER}. "
    measure = "Then measure the voltage of TX at rest, write it as"
    return f"{steps}{measure} `tx_v` into {_table(part)}, and connect TX again."


def too_high(circuit: Circuit) -> Iterator[Finding]:
    """Yield findings on inputs whose voltage is above their limit."""
    unknown = _unknown(circuit)
    found = bool(unknown)
    for net, where, stands_v in _inputs(circuit):
        volts, highest_v = circuit.highest_volts(net), pin_limits().let_through(stands_v)
        if volts is None or volts <= highest_v or net in unknown:
            continue
        found = True
        pull_ups = [part for part, terminal in circuit.terminals_on(net) if terminal.pulls_up_ohm]
        source = pull_ups[0] if pull_ups else _driver(circuit, net)
        name, table = (source.name, _table(source)) if source else ("supply", "[wiring]")
        what = f"{where} gets up to {apart(volts, highest_v, 1)} V from the {name}, but its limit is {stands_v:g} V."
        if pull_ups:
            yield wrong("levels.high", what, NO_5V_ON_THE_BUS.format(table))
        elif any(part.needs_measuring for part in _drivers(circuit, net)):
            # a note is not enough: a wrong guess destroys the Pi
            measure = f"Measure the voltage of the reader's TX at rest. If it is {highest_v:g} V or less, write "
            some = "Some boards have a lower signal voltage, and this board was not measured."
            otherwise = f"Otherwise, TX needs a voltage divider. {PUT_A_DIVIDER.format(table)}"
            yield wrong("levels.high", f"{what} {some}", f"{measure}it as `tx_v` into {table}. {otherwise}")
        else:
            is_divided = not circuit.drivers(net)
            do = TOO_MUCH_FOR_A_DIVIDER if is_divided else PUT_A_DIVIDER
            yield wrong("levels.high", what, do.format(table))
    if not found:
        yield fine("levels.high", "No input voltage is above its limit.")


def too_low(circuit: Circuit) -> Iterator[Finding]:
    """Yield findings on inputs whose high level is too low."""
    unknown = _unknown(circuit)
    found = bool(unknown)
    for net, where, _ in _inputs(circuit):
        volts, high_from_v = circuit.lowest_high(net), pin_limits().high_from_v
        if not circuit.drivers(net):
            high_from_v += pin_limits().tolerance_v
        if volts is None or volts >= high_from_v or net in unknown:
            continue
        found = True
        source = _driver(circuit, net)
        name, table = (source.name, _table(source)) if source else ("supply", "[wiring]")
        do = NO_DIVIDER if _undivided_v(circuit, net) >= high_from_v else NO_SIGNAL
        yield wrong(
            "levels.low",
            f"{where} gets at most {apart(volts, high_from_v, 1)} V from the {name}, but needs {high_from_v:.1f} V.",
            do.format(table),
        )
    if not found:
        yield fine("levels.low", "The high level of every signal is high enough.")


def _inputs(circuit: Circuit) -> Iterator[tuple[str, str, float]]:
    for net in circuit.used_pins():
        yield net, on_header(net), pin_limits().stands_v
    for part in circuit.parts:
        for label, net in part.nets.items():
            stands_v = part.kind.terminals[label].listens_v
            if stands_v is not None:
                yield net, f"{label} of the {part.name}", part.listens_v or stands_v


def _unknown(circuit: Circuit) -> set[str]:
    names = to_be_fed_otherwise(circuit)
    return {net for net, *_ in _inputs(circuit) if any(part.name in names for part in _drivers(circuit, net))}


def _driver(circuit: Circuit, net: str) -> Part | None:
    return next(_drivers(circuit, net), None)


def _drivers(circuit: Circuit, net: str) -> Iterator[Part]:
    for end in (net, *(end for end, _ in circuit.resistors(net))):
        yield from (part for part, _ in circuit.drivers(end))


def _undivided_v(circuit: Circuit, net: str) -> float:
    ends = (net, *(end for end, _ in circuit.resistors(net)))
    return max(circuit.lowest_high(end) or 0.0 for end in ends if circuit.drivers(end))
