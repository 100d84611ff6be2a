"""Reads the measures of all housings, and reports measures that are wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from reboard.config.kinds import Number, Section, Several
from reboard.config.reading import Reader, Reading, parse_toml
from reboard.errors import ConfigError

FILE = Path(__file__).parents[2] / "housings.toml"

SIZE, PLACE = Number(0.01, 1000), Number(-1000, 1000)
SIZES_2, SIZES_3, PLACES_2 = Several(SIZE, 2, 2), Several(SIZE, 3, 3), Several(PLACE, 2, 2)
TWO_PLACES, SLOT_SCREWS = Several(PLACES_2, 2, 2), Several(PLACES_2, 4, 4)
RINGS = Several(SIZES_2, 1, 20)


def _section(
    size: str = "", *, two: str = "", three: str = "", place: str = "", at: str = "", **others: Reader[Any]
) -> Reader[Any]:
    # names of sizes, of lists of two or three sizes, of distances that may be negative, and of pairs of these
    kinds: Mapping[str, Reader[Any]] = {size: SIZE, two: SIZES_2, three: SIZES_3, place: PLACE, at: PLACES_2}
    readers = {name: reader for names, reader in kinds.items() for name in names.split()}
    return Section(dict, readers | others)


READER = Section(
    dict,
    {
        "printer": _section("bed gap steepest"),
        "shell": _section("wall floor rim", corner=Number(0, 1000)),
        "vents": _section("wide apart"),
        "speaker": _section("diameter deep magnet rim"),
        "pi-zero": _section(
            "width depth hole board above standoff",
            two="holes_apart",
            place="supply_from_middle usb_from_middle",
            at="holes_from_middle",
        ),
        "pi-3-4-5": _section(
            "width depth hole board above standoff",
            two="holes_apart",
            place="supply_from_middle",
            at="holes_from_middle",
        ),
        "screw": _section("m3_hole m3_countersunk m3_pilot m2_5_pilot pillar base_screw", two="m3_head insert"),
        **dict.fromkeys(
            (
                *("solder-board", "amplifier", "reader-board", "usb-adapter", "usb-hub", "breadboard"),
                *("usb-plug", "angled-plug"),
            ),
            _section(three="size"),
        ),
        "block": _section(
            "button_hole led_hole speaker grille_hole plug amplifier",
            two="button cable",
            three="outside board",
            place="speaker_place",
            at="button_place",
            solder_board=TWO_PLACES,
        ),
        "led-modules": _section(three="row plug"),
        "die": _section(
            two="lip", three="outside board", place="speaker_place row", at="button_place", solder_board=TWO_PLACES
        ),
        "microswitch": _section(
            "holes_apart hole screw hole_from_hinge_end hole_above_bottom operates_at free_at_most travels_back "
            "overtravel roller_from_hole bracket",
            two="roller",
            three="body terminals terminal",
        ),
        "slot": _section(
            "card_goes_in play play_beside below_panel bump_clearance rail bottom clicks_at", screws=SLOT_SCREWS
        ),
        "switch-box": _section("well_gap end_gap turns pin pin_gap", two="bridge"),
        "antenna": _section("apart bottom opening height", three="coil pn532 rc522 rc522_plug"),
        "display": _section("behind pillar", two="holes_apart", three="board bezel"),
        "keypad": _section(two="foil plug"),
        "unit": _section(
            "keypad_from_front sign_from_front",
            two="sign",
            three="outside",
            at="slots display speaker solder_board amplifier usb_hub breadboard pi",
            reader_boards=TWO_PLACES,
            usb_adapters=TWO_PLACES,
        ),
        "motor": _section("shaft_from_end fit screw foot free_below", two="shaft shaft_long holes", three="body"),
        "apple": _section(
            "diameter edge hole_gap stroke shows screws grille_hole",
            two="worm collar fence cable",
            at="pi solder_board amplifier speaker",
            rings=RINGS,
        ),
        "cam": _section("above_motor socket above_socket diameter spindle hub plate gap tongue_gap", two="tongue"),
        "lever": _section("travel nose pressed switch_slit", two="bar foot knob neck", place="stop switch band_post"),
    },
)
"""Every section, and the kind of each measure. Lengths are millimetres, angles degrees."""


class MeasureError(ConfigError):
    """A measure does not go with the others. Names it and its section."""


def require(condition: bool, message: str) -> None:
    """Raise ``MeasureError`` with *message* unless *condition* holds. Unlike ``assert`` it works with ``python -O``."""
    if not condition:
        raise MeasureError(f"{FILE.name}: {message}")


Measures = Mapping[str, Any]
"""The measures of a section by name, or lists of them."""


def measures(section: str) -> Measures:
    """Return a section of ``hardware/housings.toml``. Raises ``ConfigError`` if a measure is missing or wrong."""
    return _file()[section]


def check() -> None:
    """Raise ``MeasureError`` if a measure is larger than the printer's bed, or walls and rims cannot be printed."""
    printer, shell = measures("printer"), measures("shell")
    bed, gap = printer["bed"], printer["gap"]
    for section, named in _file().items():
        for name, value in named.items() if section != "printer" else ():
            largest = max(map(abs, _numbers(value)))
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
        return read(FILE.read_bytes())
    except OSError as error:
        raise MeasureError(f"{FILE} cannot be read: {error.strerror}") from error


def read(text: bytes) -> Mapping[str, Measures]:
    """Return every section of a file of measures. Raises ``ConfigError``, which names each value that is no measure."""
    document, lines = parse_toml(text, Path(FILE.name))
    return Reading(Path(FILE.name), lines).read(READER, document)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, tuple):
        for one in value:
            yield from _numbers(one)
    else:
        yield value
