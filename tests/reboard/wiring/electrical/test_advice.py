"""Whoever does what is advised comes to a table with nothing wrong, whatever they choose, within a few rounds."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import pytest

from reboard.finding import Finding, Level
from reboard.wiring.electrical.check import electrical_findings
from tests.reboard.wiring.electrical.follower import MEASURED, Document, Meter, Way, config_of, done, ways, ways_at_once
from tests.reboard.wiring.tables import APPLE, BLOCK

ROUNDS = 3
"""How often one checks, and does something, until there is nothing left to do."""

BURNS = ("levels.high", "currents.pin", "currents.pins", "currents.lamp", "currents.adapter")
"""What must not come of following advice, where it was not before."""

TAME: Meter = {"5V": 3.0, "3.3V": 3.0}.__getitem__
LOUD: Meter = {"5V": 5.0, "3.3V": 3.3}.__getitem__


def reader(kind: str, port: str, wiring: str) -> str:
    return f'[bank]\nleft = {{ reader = "{kind}", port = "/dev/{port}" }}\n[wiring.left]\n{wiring}\n'


def lamp(wiring: str) -> str:
    return f"{BLOCK}[wiring.lamp]\n{wiring}\n"


def motor(wiring: str, *, pi: str = "zero-2-w", supply: str = "") -> str:
    return f'{APPLE}[wiring]\npi = "{pi}"\n{supply}\n[wiring.motor]\n{wiring}\n'


def full(lamp_pin: int, motor_pin: int, free: tuple[int, int] = (4, 12)) -> str:
    """Everything that has pins, beside an amplifier; of the pins without another job only two are *free*."""
    pins = [pin for pin in (4, 5, 6, 12, 13, 16, 17, 22, 23, 24, 25, 26, 27, 7, 8, 9, 10, 11) if pin not in free]
    button, lever, *pins = pins
    return (
        f"[block]\nbutton = {button}\nlamp = {lamp_pin}\n[apple]\nlever = {lever}\nmotor = {motor_pin}\n"
        f"[bank]\nkeypad = {{ rows = {pins[:4]}, columns = {pins[4:8]} }}\n"
        f'left = {{ reader = "bumps", pins = {pins[8:11]} }}\nright = {{ reader = "bumps", pins = {pins[11:14]} }}\n'
        'display = { driver = "hd44780-i2c" }\n[speaker]\n[wiring]\nspeaker = "max98357a"\n'
    )


READERS = [
    reader(kind, port, "\n".join(wiring))
    for kind in ("rdm6300", "id12", "pn532")
    for port in ("serial0", "ttyUSB0", "ttyAMA2")
    for wiring in (
        [],
        ["divider = false"],
        *([f'power = "{power}"', *said] for power in ("3.3V", "5V") for said in (
            [], ["tx_v = 3.0"], ["tx_v = 3.2"], ["tx_v = 5.0"], ["tx_v = 5.5"], ["tx_v = 1.5"],
            ["divider = true"], ["divider = false"],
            ["tx_v = 3.0", "divider = false"], ["tx_v = 5.0", "divider = false"], ["tx_v = 3.0", "divider = true"],
        )),
    )
]  # fmt: skip
LAMPS = [
    lamp(f'driver = "{driver}"\nled_v = {led_v}\nresistor_ohm = {ohm}')
    for driver in ("pin", "transistor")
    for led_v in (1.0, 1.6, 2.0, 2.5, 2.99, 3.0, 3.2, 3.3, 3.4, 4.0)
    for ohm in (0, 1, 5, 10, 22, 47, 100, 330, 3300, 330_000)
]
MOTORS = [
    motor('driver = "pin"'),
    motor('driver = "pin"\ngate_pull_down_ohm = 1'),
    motor('driver = "pin"\nrunning_ma = 3000\nstalled_ma = 3000'),
    motor('driver = "pin"\nstalled_ma = 12000'),
    *(motor(f"gate_pull_down_ohm = {ohm}") for ohm in (0, 1, 220, 2000, 1_000_000)),
    *(motor(f"{what} = false") for what in ("flyback_diode", "suppression_capacitor", "bulk_capacitor")),
    motor('supply = "batteries"\ncommon_ground = false'),
    *(
        motor(takes, pi=pi, supply=supply)
        for pi in ("zero-2-w", "3", "4", "5")
        for supply in ("", "supply_a = 0.5", "supply_a = 1.0", "supply_a = 8.0")
        for takes in ("", "stalled_ma = 2600", "stalled_ma = 4501", "running_ma = 5000\nstalled_ma = 20000")
    ),
]
PINS = [
    full(lamp_pin=18, motor_pin=19),
    full(lamp_pin=18, motor_pin=20),
    full(lamp_pin=4, motor_pin=18, free=(4, 12)),
    full(lamp_pin=4, motor_pin=18, free=(4, 5)),
    full(lamp_pin=18, motor_pin=19, free=(4, 5)),
    full(lamp_pin=14, motor_pin=15, free=(5, 6)),
    "[block]\nbutton = 14\nlamp = 15\n[apple]\nlever = 2\nmotor = 18\n[speaker]\n[wiring]\nspeaker = 'max98357a'\n",
    "[block]\nbutton = 18\nlamp = 2\n[apple]\nlever = 20\nmotor = 21\n[speaker]\n[wiring]\nspeaker = 'max98357a'\n",
]
OTHERS = [
    '[bank]\ndisplay = { driver = "hd44780-i2c" }\n[wiring]\ndisplay.power = "5V"\n',
    '[bank]\ndisplay = { driver = "hd44780-i2c", bus = 3 }\n[wiring]\ndisplay.power = "5V"\n',
    *(f'{BLOCK}[speaker]\n[wiring]\nspeaker = "jack"\npi = "{pi}"\n' for pi in ("zero-2-w", "5")),
    f'{BLOCK}[speaker]\nlibrary = "silent"\n[wiring]\nsupply_a = 0.5\n',
    "[block]\nbutton = 22\nlamp = 2\n[wiring]\nlamp = { led_v = 3.8, resistor_ohm = 0 }\n",
    f"{BLOCK}[wiring]\nleft.tx_v = 5.0\nright.divider = true\n",
]


NO_METER, A_TAME_READER, A_LOUD_READER = None, TAME, LOUD
TABLES = [
    *((text, meter) for text in READERS for meter in (NO_METER, A_TAME_READER, A_LOUD_READER)),
    *((text, NO_METER) for text in (*LAMPS, *MOTORS, *PINS, *OTHERS)),
]


@pytest.mark.parametrize(("text", "meter"), TABLES)
def test_who_does_all_that_is_advised_has_nothing_wrong_left(text: str, meter: Meter | None) -> None:
    follow(tomllib.loads(text), meter, all_at_once, [])


@pytest.mark.parametrize(("text", "meter"), TABLES)
def test_who_does_one_thing_and_checks_again_has_nothing_wrong_left_either(text: str, meter: Meter | None) -> None:
    follow(tomllib.loads(text), meter, one_after_another, [])


@pytest.mark.parametrize("text", PINS)
def test_pins_that_have_to_move_are_offered_to_one_setting_each(text: str) -> None:
    document = tomllib.loads(text)
    moves = [way for finding in advised(document) for way in ways(finding, document)]
    places = {(path, pin) for way in moves for path, pin in way.items() if path[0] != "wiring"}
    assert len({pin for _, pin in places}) == len({path for path, _ in places}) == len(places) >= 2


Chooses = Callable[[Sequence[Finding], Document, bool], Iterable[Way]]


def all_at_once(findings: Sequence[Finding], document: Document, measures: bool) -> Iterable[Way]:
    return ways_at_once(findings, document, measures=measures)


def one_after_another(findings: Sequence[Finding], document: Document, measures: bool) -> Iterable[Way]:
    return (way for finding in findings for way in ways(finding, document, measures=measures))


def follow(document: Document, meter: Meter | None, chooses: Chooses, before: list[Document]) -> None:
    """Check, do what is said in every way that there is, and check again."""
    findings = advised(document)
    story = "\n".join(map(json.dumps, [*before, document]))
    assert document not in before, f"a circle:\n{story}"
    if chooses is all_at_once:
        assert len(before) <= ROUNDS, f"and it does not end:\n{story}"
    changed = False
    for way in chooses(findings, document, meter is not None):
        after = done(document, way, meter)
        if after == document:
            continue
        changed = True
        burns = burning(advised(after))
        # who measures sees what was there before
        was_told = burning(findings) | ({"levels.high"} if MEASURED in way.values() else set())
        assert burns <= was_told, f"it got worse:\n{story}\n{json.dumps(after)}\n{burns}"
        follow(after, meter, chooses, [*before, document])
    left = [
        finding
        for finding in findings
        if finding.level is Level.WRONG and not (meter is None and waits_for_a_meter(finding, document))
    ]
    assert changed or not left, f"nothing helps:\n{story}\n{left}"


def advised(document: Document) -> Sequence[Finding]:
    """What is not as it should be. A config that is refused fails the test."""
    return _advised(json.dumps(document))


@cache
def _advised(document: str) -> Sequence[Finding]:
    config = config_of(json.loads(document))
    return [finding for finding in electrical_findings(config) if finding.level is not Level.FINE]


def waits_for_a_meter(finding: Finding, document: Document) -> bool:
    """Whether a figure was measured wrongly, which nobody can mend without measuring it once more."""
    return any(MEASURED in way.values() for way in ways(finding, document))


def burning(findings: Sequence[Finding]) -> set[str]:
    return {finding.name for finding in findings if finding.level is Level.WRONG} & set(BURNS)
