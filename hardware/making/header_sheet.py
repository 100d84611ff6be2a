"""A sheet to pin above the workbench: the forty pins of the header, and the job of each in our own wiring.

It is drawn in millimetres, on a page of A4. Each accessory has a colour, a pattern and a letter, and every word is
black on white: a printer without colour is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hardware.making.builds import BUILDS, ORIGINAL_CARDS
from hardware.making.cables import harness
from hardware.making.svg import head, paper, text
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.netlist.circuit import RAIL_NAMES, Circuit, at_pins, called, short_list
from reboard.netlist.hardware_data import GROUND, POWER_3V3, POWER_5V, gpio_number, header, jobs, pin_limits
from reboard.netlist.schematic import INK, PAPER, RAILS
from reboard.table_config import TableConfig, load_config
from reboard.wiring.drawing import colour_of
from reboard.wiring.table_netlist import circuit_of, title_of

WIDTH, HEIGHT = 210.0, 297.0
TOP, ROW, MIDDLE = 43.0, 10.4, WIDTH / 2
PIN_X, CHIP_X, NAME_X, JOB_X = 5.4, 14.6, 20.5, 39.5
"""Distance from the middle of a pin, of the chip beside it, of its name and of its job."""
LONGEST, LONGEST_JOB = 34, 29
"""Characters between the place of a job and the margin: of the smallest letters, and of the job's own."""

LETTERS: Mapping[str, str] = {"block": "B", "bank": "U", "apple": "A", "speaker": "S"}
RAIL_LETTERS: Mapping[str, str] = {GROUND: "G", POWER_3V3: "3", POWER_5V: "5"}
PATTERNS: Mapping[str, str] = {
    "block": '<path d="M0 0 2 2M-.5 1.5.5 2.5M1.5-.5 2.5.5" {pen}/>',
    "bank": '<path d="M0 .6H2M0 1.6H2" {pen}/>',
    "apple": '<circle cx="1" cy="1" r=".55" fill="{colour}"/>',
    "speaker": '<path d="M.6 0V2M1.6 0V2" {pen}/>',
}
"""The pattern of each accessory's chip, in a square of 2 mm. The chip of a rail is full."""


@dataclass(frozen=True, slots=True)
class HeaderPin:
    """A pin of the header: its *net*, the *accessory* that uses it, the terminals that go there, and its other uses."""

    number: int
    net: str
    accessory: str
    ends: tuple[str, ...]
    or_else: tuple[str, ...]


def header_pins() -> list[HeaderPin]:
    """Return all forty pins."""
    ours = BUILDS["all"].table()
    users = _users(harness("all").circuit)
    others = {words: _users(circuit_of(config)) for words, config in _variants(ours).items()}
    pins = []
    for number, net in enumerate(header(), start=1):
        here = users.get(number, {})
        variants = (
            f"{', '.join(there[number])} ({words})"
            for words, there in others.items()
            if gpio_number(net) is not None and not here and number in there
        )
        accessory = next(iter(here.values()), "")
        pins.append(HeaderPin(number, net, accessory, tuple(here), (*variants, *_jobs_besides(net))))
    return pins


def _users(circuit: Circuit) -> Mapping[int, Mapping[str, str]]:
    return {
        number: {called(end): end.part.subcircuit.accessory for end in ends}
        for number, ends in at_pins(circuit).items()
    }


def _variants(ours: TableConfig) -> Mapping[str, TableConfig]:
    """Return what can be built on the pins that are free."""
    bank = replace(ours.section("bank"), left=READER_KINDS["pn532"].config("pn532", "/dev/serial0"))
    on_header = ours.with_section("bank", bank)
    return {"original cards": load_config(ORIGINAL_CARDS), "a PN532 here": on_header}


def _jobs_besides(net: str) -> Iterator[str]:
    for job in jobs():
        if gpio_number(net) in job.gpios:
            yield job.name


def sheet() -> bytes:
    """Return the sheet as SVG."""
    parts = [*_head(), *_frame(), *(line for pin in header_pins() for line in _pin(pin)), *_legend(), "</svg>"]
    return ("\n".join(parts) + "\n").encode()


def _head() -> Iterator[str]:
    yield head(WIDTH, HEIGHT)
    yield "<defs>"
    for accessory, pattern in PATTERNS.items():
        colour = colour_of(accessory)
        drawn = pattern.format(colour=colour, pen=f'stroke="{colour}" stroke-width=".5"')
        yield f'<pattern id="{accessory}" width="2" height="2" patternUnits="userSpaceOnUse">{drawn}</pattern>'
    yield "</defs>"
    yield paper(WIDTH, HEIGHT)
    yield text("The forty pins", (12, 18), 8)
    yield text("All three accessories on one Pi, as in firmware/reboard/setup/table.toml.", (12, 25.5), 3.6, INK)
    yield text(
        "Pin 1 is in the corner of the board, beside the memory card; even pins are at the board's edge.",
        (12, 31),
        3.6,
        INK,
    )


def _frame() -> Iterator[str]:
    height = ROW * len(header()) / 2
    yield (
        f'<rect x="{MIDDLE - 10:g}" y="{TOP - ROW / 2:g}" width="20" height="{height:g}" rx="2" fill="none" '
        f'stroke="{INK}" stroke-width=".6"/>'
    )


def _pin(pin: HeaderPin) -> Iterator[str]:
    side = -1 if pin.number % 2 else 1
    x, y = MIDDLE + PIN_X * side, TOP + ROW * ((pin.number - 1) // 2)
    colour = RAILS.get(pin.net) or (colour_of(pin.accessory) if pin.accessory else INK)
    is_used = bool(pin.ends)
    shape = f'fill="{PAPER}" stroke="{colour if is_used else INK}" stroke-width="{1.4 if is_used else 0.3:g}"'
    if pin.number == 1:
        yield f'<rect x="{x - 4:g}" y="{y - 4:g}" width="8" height="8" fill="none" stroke="{INK}" stroke-width=".6"/>'
    yield f'<circle cx="{x:g}" cy="{y:g}" r="3.4" {shape}/>'
    yield text(str(pin.number), (x, y + 1.2), 3.2, INK, "middle", is_bold=is_used)
    if letter := RAIL_LETTERS.get(pin.net) or LETTERS.get(pin.accessory, ""):
        yield from _chip((MIDDLE + CHIP_X * side, y), "" if pin.net in RAILS else pin.accessory, colour, letter)
    anchor = "start" if side > 0 else "end"
    name = RAIL_NAMES.get(pin.net, pin.net)
    yield text(name, (MIDDLE + NAME_X * side, y + 1.3), 3.6, INK, anchor, is_bold=is_used)
    lines = [(words, 3.5, INK) for words in job_lines(pin)]
    lines += [(words, 2.7, INK) for other in pin.or_else for words in _short_lines(other)]
    pitch = 3.8 if len(lines) < 3 else 3.2
    first = y + 1.3 - pitch / 2 * (len(lines) - 1)
    for place, (words, size, ink) in enumerate(lines):
        yield text(words, (MIDDLE + JOB_X * side, first + pitch * place), size, ink, anchor)


def job_lines(pin: HeaderPin) -> list[str]:
    """Return the words beside a pin that is used."""
    return short_list(pin.ends, LONGEST_JOB) if pin.ends else []


def _short_lines(words: str) -> list[str]:
    return words.replace(" (", "\n(").split("\n") if len(words) > LONGEST else [words]


def _chip(at: tuple[float, float], accessory: str, colour: str, letter: str) -> Iterator[str]:
    x, y = at
    fill = f"url(#{accessory})" if accessory else colour
    yield (
        f'<rect x="{x - 3.6:g}" y="{y - 3.6:g}" width="7.2" height="7.2" rx="1" fill="{fill}" stroke="{colour}" '
        f'stroke-width=".5"/>'
    )
    yield f'<circle cx="{x:g}" cy="{y:g}" r="2.4" fill="{PAPER}"/>'
    yield text(letter, (x, y + 1.3), 3.6, INK, "middle", is_bold=True)


def _legend() -> Iterator[str]:
    y = TOP + ROW * len(header()) / 2 + 2
    legend = [(LETTERS[name], name, colour_of(name), title_of(name)) for name in LETTERS]
    legend += [(RAIL_LETTERS[rail], "", RAILS[rail], RAIL_NAMES.get(rail, rail)) for rail in RAIL_LETTERS]
    for place, (letter, accessory, colour, words) in enumerate(legend):
        x, row = 15.6 + 47 * (place % 4), y + 9.5 * (place // 4)
        yield from _chip((x, row), accessory, colour, letter)
        yield text(words, (x + 5.6, row + 1.3), 3.6)
    limits = pin_limits()
    notes = (
        "Thick ring: the pin is used. Thin ring: it is free. Small letters: what else can use it.",
        "All ground pins are interchangeable, and so are all 3.3 V pins and all 5 V pins.",
        f"A GPIO pin tolerates {limits.stands_v:g} V at most, and supplies {limits.most_ma:g} mA; all together supply "
        f"{limits.most_of_all_ma:g} mA.",
        "A pin takes one wire: ends that share one meet on the board or a terminal strip first.",
        "Pull the plug before you change a wire.",
    )
    for place, words in enumerate(notes):
        yield text(words, (12, y + 18.5 + 4.2 * place), 3.4)
