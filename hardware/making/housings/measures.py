"""Reads the measures of all housings, and reports measures that are wrong."""

from __future__ import annotations

import math
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "housings.toml"

ANY = 0
"""A list of any length."""

Form = tuple[int, ...]
"""The lengths of the lists, from the outermost."""


def _forms(numbers: str, pairs: str = "", threes: str = "") -> dict[str, Form]:
    forms: dict[str, Form] = {**dict.fromkeys(numbers.split(), ()), **dict.fromkeys(pairs.split(), (2,))}
    return forms | dict.fromkeys(threes.split(), (3,))


FORMS: Mapping[str, Mapping[str, Form]] = {
    "printer": _forms("bed gap steepest"),
    "shell": _forms("wall floor corner rim"),
    "vents": _forms("wide apart"),
    "speaker": _forms("diameter deep magnet rim"),
    "pi-zero": _forms(
        "width depth supply_from_middle usb_from_middle hole board above standoff", "holes_apart holes_from_middle"
    ),
    "pi-3-4-5": _forms("width depth supply_from_middle hole board above standoff", "holes_apart holes_from_middle"),
    "screw": _forms("m3_hole m3_countersunk m3_pilot m2_5_pilot pillar base_screw", "m3_head insert"),
    "solder-board": _forms("", threes="size"),
    "amplifier": _forms("", threes="size"),
    "reader-board": _forms("", threes="size"),
    "usb-adapter": _forms("", threes="size"),
    "usb-hub": _forms("", threes="size"),
    "usb-plug": _forms("", threes="size"),
    "block": _forms(
        "button_hole led_hole speaker grille_hole plug amplifier speaker_place",
        "button cable button_place",
        "outside board",
    )
    | {"solder_board": (2, 2)},
    "led-modules": _forms("", threes="row plug"),
    "die": _forms("speaker_place row", "button_place lip", "outside board") | {"solder_board": (2, 2)},
    "microswitch": _forms(
        "holes_apart hole screw hole_from_hinge_end hole_above_bottom operates_at free_at_most travels_back overtravel "
        "roller_from_hole bracket",
        "roller",
        "body terminals terminal",
    ),
    "slot": _forms("card_goes_in play play_beside below_panel bump_clearance rail bottom clicks_at")
    | {"screws": (4, 2)},
    "switch-box": _forms("well_gap end_gap turns pin pin_gap", "bridge"),
    "antenna": _forms("apart bottom wires height", threes="coil pn532"),
    "display": _forms("behind pillar", "holes_apart", "board bezel"),
    "keypad": _forms("", "foil plug"),
    "unit": _forms(
        "keypad_from_front sign_from_front", "slots display speaker sign solder_board amplifier usb_hub pi", "outside"
    )
    | {"reader_boards": (2, 2), "usb_adapters": (2, 2)},
    "motor": _forms("shaft_from_end fit screw foot free_below", "shaft shaft_long holes", "body"),
    "apple": _forms(
        "diameter edge hole_gap stroke shows screws grille_hole",
        "worm collar fence cable pi solder_board amplifier speaker",
    )
    | {"rings": (ANY, 2)},
    "cam": _forms("above_motor socket above_socket diameter spindle hub plate gap tongue_gap", "tongue"),
    "lever": _forms("travel stop nose switch pressed switch_slit band_post", "bar foot knob neck"),
}
"""Every section, and the form of each measure by name: ``()`` is one number, ``(4, 2)`` four lists of two."""

PLACES: Mapping[str, Sequence[str]] = {
    "pi-zero": ["holes_from_middle", "supply_from_middle", "usb_from_middle"],
    "pi-3-4-5": ["holes_from_middle", "supply_from_middle"],
    "slot": ["screws"],
    "unit": [
        *("slots", "display", "speaker", "solder_board", "amplifier", "reader_boards"),
        *("usb_adapters", "usb_hub", "pi"),
    ],
    "block": ["solder_board", "button_place", "speaker_place"],
    "die": ["solder_board", "button_place", "speaker_place", "row"],
    "apple": ["pi", "solder_board", "amplifier", "speaker"],
    "lever": ["stop", "switch", "band_post"],
}
"""Measures that are places and may be negative. All others are sizes."""

MAY_BE_0: Mapping[str, Sequence[str]] = {"shell": ["corner"]}
"""Sizes that may be 0."""

LARGEST = int(sys.float_info.max)
"""The largest whole number that a float can hold."""

DIGITS = len(str(LARGEST))


class MeasureError(ValueError):
    """A measure is missing, is not a measure, or does not go with the others. Names it and its section."""


def require(condition: bool, message: str) -> None:
    """Raise ``MeasureError`` with *message* unless *condition* holds. Unlike ``assert`` it works with ``python -O``."""
    if not condition:
        raise MeasureError(f"{FILE.name}: {message}")


class Measures(dict[str, Any]):
    """One section: measures by name, in millimetres or degrees, or lists of them."""

    def __init__(self, section: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.section = section

    def __missing__(self, name: str) -> Any:
        raise MeasureError(f"[{self.section}] in {FILE.name} has no `{name}`: write it there")


def measures(section: str) -> Measures:
    """Return one section of ``hardware/housings.toml``. Raises ``MeasureError`` for a missing section or measure."""
    if section not in _file():
        raise MeasureError(f"{FILE.name} has no section [{section}]: write it there")
    return _file()[section]


def check() -> None:
    """Raise ``MeasureError`` if a measure is larger than the printer's bed, or walls and rims cannot be printed."""
    printer, shell = measures("printer"), measures("shell")
    bed, gap = printer["bed"], printer["gap"]
    for section, names in FORMS.items():
        for name in names if section != "printer" else ():
            largest = max(map(abs, numbers(measures(section)[name])), default=0)
            require(
                largest <= bed,
                f"the bed has {bed:g} mm. Decrease [{section}] {name} ({largest:g}) or increase [printer] bed.",
            )
    require(gap >= 0.05, "a base does not go into its shell. Increase [printer] gap to 0.05 or more.")
    require(45 <= printer["steepest"] <= 90, "the pieces slope at 45°. Set [printer] steepest to 45 or more, up to 90.")
    require(shell["wall"] >= 0.8, "a wall is two lines of a 0.4 mm nozzle. Increase [shell] wall to 0.8 or more.")
    require(shell["wall"] >= 2 * gap, "rims get too thin. Increase [shell] wall or decrease [printer] gap.")
    require(shell["rim"] >= 1, "a rim does not hold its shell. Increase [shell] rim to 1 or more.")


@cache
def _file() -> Mapping[str, Measures]:
    try:
        return read(FILE.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise MeasureError(f"{FILE.name} is not UTF-8: save it as UTF-8") from error
    except OSError as error:
        raise MeasureError(f"{FILE} cannot be read: {error.strerror}") from error


def read(text: str) -> Mapping[str, Measures]:
    """Return every section of a file of measures. Raises ``MeasureError`` for a value that is not a measure."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MeasureError(f"{FILE.name} is not valid TOML: {error}") from error
    except ValueError as error:  # tomllib leaves that to int(), which reads 4300 digits and no more
        raise MeasureError(f"{FILE.name} has a number of {DIGITS} digits or more") from error
    for section, named in values.items():
        if not isinstance(named, dict):
            raise MeasureError(f"`{section}` in {FILE.name} is not in a section: put it below one, such as [shell]")
        if section not in FORMS:
            raise MeasureError(f"{FILE.name} has a section [{section}], which does not exist{_meant(section, FORMS)}")
        for name, value in named.items():
            if name not in FORMS[section]:
                raise MeasureError(f"[{section}] in {FILE.name} has no measure `{name}`{_meant_there(name, section)}")
            _look_at(section, name, value)
    return {section: Measures(section, named) for section, named in values.items()}


def _look_at(section: str, name: str, value: Any) -> None:
    form = FORMS[section][name]
    if any(isinstance(one, int) and abs(one) > LARGEST for one in numbers(value)):
        raise MeasureError(f"`{name}` below [{section}] in {FILE.name} has a number of {DIGITS} digits or more")
    if not _has_form(value, form):
        wanted = f"must be {_in_words(form)}, and is {value!r}"
        raise MeasureError(f"`{name}` below [{section}] in {FILE.name} {wanted}")
    if name in PLACES.get(section, ()):
        return
    least = min(numbers(value), default=1)
    if least < 0 or (least == 0 and name not in MAY_BE_0.get(section, ())):
        bound = "must not be negative" if least < 0 else "must be more than 0"
        raise MeasureError(f"`{name}` below [{section}] in {FILE.name} is a size: it {bound}, and is {value!r}")


def _has_form(value: Any, form: Form) -> bool:
    if not form:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not isinstance(value, list) or (form[0] != ANY and len(value) != form[0]):
        return False
    return all(_has_form(one, form[1:]) for one in value)


def numbers(value: Any) -> Iterator[float]:
    """Yield every number of a measure of any form."""
    if isinstance(value, list):
        for one in value:
            yield from numbers(one)
    else:
        yield value


def _in_words(form: Form) -> str:
    match form:
        case ():
            return "a number, such as 12.5"
        case (count,):
            return f"{count} numbers, such as [{', '.join(['12.5'] * count)}]"
        case (count, *more):
            return f"a list of {'' if count == ANY else f'{count} '}lists, each with {_in_words(tuple(more))}"
        case _:
            raise AssertionError(form)


def _meant(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _meant_there(name: str, section: str) -> str:
    there = _meant(name, FORMS[section])
    elsewhere = [f"[{other}]" for other in FORMS if name in FORMS[other]]
    return f"{there}; there is one below {' and '.join(elsewhere)}" if elsewhere else there
