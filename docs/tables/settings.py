"""The tables of the settings in ``table.toml``, from the classes of its sections."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_type_hints

from docs.tables.markdown import either, table
from reboard.accessories.installed import accessories
from reboard.accessories.question_block.outcomes import KINDS, BlockOutcomeKind, each_of
from reboard.config.kinds import ByKind, Choice, Number, Section, Several, Whole
from reboard.config.pins_and_ports import LAST_PIN, PULLED_HIGH_AT_BOOT, motor_pin, pin
from reboard.devices.displays.display_controller import DISPLAY_KINDS
from reboard.devices.displays.pixel_font import ROW_HEIGHT
from reboard.editions.edition import Edition, InLanguages, Variant
from reboard.table_config import TableConfig, TableSection
from reboard.vocabulary.hints import Hint, hint
from reboard_sim.devices.device import DeviceModule, device_module, kinds_with_settings, openable_kinds

ELSEWHERE: Mapping[str, Sequence[str]] = {
    "table": (),
    "readers": ("bank", "left"),
    "keypad": ("bank", "keypad"),
    "display": ("bank", "display"),
    "matrix": ("die", "matrix"),
}
"""The places of settings whose table is not named after it."""

TYPES = {bool: "`true` or `false`", int: "whole number", str: "text", Path: "path", Mapping: "table", tuple: "table"}
MOST_PLAIN = 99_999
EDITIONS: Mapping[str, Section[Any]] = {
    "edition": Section(Edition, name="", variant_title={}, plain=None),
    "variant": Section(Variant, name=""),
}
LEFT_OUT = " Left out: "
"""In the meaning of a setting, before the effect of a config without it."""


def settings(section: str) -> str:
    """Return the table of the settings of *section*, such as ``bank``, ``readers`` or ``wiring.lamp``.

    Raises ``KeyError`` for an unknown section, and ``ValueError`` for a setting without a meaning.
    """
    reader = _reader(section)
    kinds = list(reader.kinds.values()) if isinstance(reader, ByKind) else [reader]
    rows = {row[0]: row for kind in kinds for row in _rows(kind.made)}
    if isinstance(reader, ByKind):
        key, _, *rest = rows[f"`{reader.key}`"]
        rows[key] = (key, either(map(json.dumps, reader.kinds)), *rest)
    return table("key | value | meaning | default", rows.values())


def _reader(section: str) -> Any:
    """Return the reader of the settings of *section*."""
    if section in EDITIONS:
        return EDITIONS[section]
    reader: Any = TableSection(Path())
    for key in ELSEWHERE.get(section, section.split(".")):
        reader = reader.keys[key]
    return accessories()[section].section if section in accessories() else reader


def _rows(config: Any) -> Iterator[Sequence[str]]:
    hints = get_type_hints(config, include_extras=True)
    for each in fields(config):
        of = hint(hints[each.name])
        reader = next(filter(callable, of.limits), None)
        if of.meaning:
            meaning, _, left_out = of.meaning.partition(LEFT_OUT)
            yield f"`{each.name}`", _values(reader, of), meaning.removesuffix("."), left_out or _default(each)
        elif reader and config is not TableConfig:
            if isinstance(reader, Section):
                yield from ((f"`{each.name}.{row[0][1:]}", *row[1:]) for row in _rows(reader.made))
                continue
            raise ValueError(f"{config.__name__}.{each.name} has no meaning: add it to its annotation as a text")


def _default(setting: Any) -> str:
    default = setting.default
    if setting.default_factory is not MISSING:
        return "see below"
    words = {MISSING: "required", None: "none", (): "none"}
    if default in words:
        return words[default]
    return f"`{json.dumps(default if isinstance(default, bool | int | float) else str(default))}`"


def _values(reader: Any, of: Hint) -> str:
    match reader:
        case Choice(names=names):
            return either(json.dumps(name) for name in names)
        case Number(low=low, high=high, unit=unit):
            return f"{low:g} to {high:g} {unit}".strip()
        case Whole(low=low, high=high):
            most = f"{high}" if high <= MOST_PLAIN else f"{high:_}"
            return f"{low}" if low == high else f"{low} or {high}" if high == low + 1 else f"{low:_} to {most}"
        case Several(entry=entry, least=least, most=most):
            count = f"{least}" if least == most else f"{least} to {most}" if least > 1 else f"up to {most}"
            return f"list of {count} {'pins' if entry is pin else ''}".strip()
        case Section() | ByKind():
            return "table"
        case InLanguages():
            return "text or table"
    if reader is motor_pin:
        return f"pin, {len(PULLED_HIGH_AT_BOOT)} to {LAST_PIN}"
    return "pin" if reader is pin else TYPES.get(of.shape, "text")


def odds() -> str:
    """Return the table of the weights in ``block.odds``."""

    def row(kind: BlockOutcomeKind) -> Sequence[str]:
        if kind.most:
            return f"list of up to {kind.most} weights: for 1, 2, … {kind.label}", f"`{[*each_of(kind.weight)]}`"
        return f"weight of {str(kind).replace('_', ' ')}", f"`{kind.weight}`"

    return table("key | value | default", ((f"`{name}`", *row(kind)) for name, kind in KINDS.items()))


DOT_ROWS, LETTER_ROWS = 64, 7 * ROW_HEIGHT
GLASS: Mapping[str, tuple[str, float]] = {
    "hd44780-i2c": ("LCD, 16 × 2", 5.55),
    "sh1106": ("OLED, 1.3 inches", 14.7 * LETTER_ROWS / DOT_ROWS),
    "ssd1306": ("OLED, 0.96 inch", 10.86 * LETTER_ROWS / DOT_ROWS),
}
"""The usual display of each controller, and the height of its capital letters in millimetres (sellers' data sheets)."""

LETTER_RADIANS = math.radians(20 / 60)
"""The angle of a letter's height that is read at ease: 20 minutes of arc (ISO 9241-303, from memory)."""


def displays() -> str:
    """Return the table of the kinds of displays."""
    rows = (
        (
            f"`{json.dumps(name)}`",
            f"{kind.title}: {GLASS[name][0]}",
            f"{GLASS[name][1]:.1f} mm",
            f"{GLASS[name][1] / 1000 / LETTER_RADIANS:.1f} m",
            _addresses(kind.addresses),
            f"`0x{kind.usual_addresses[0]:02X}`",
        )
        for name, kind in DISPLAY_KINDS.items()
    )
    return table("driver | display | letters | read from | addresses | default", rows)


def _addresses(addresses: Mapping[range, str]) -> str:
    return ", ".join(
        f"`0x{some[0]:02X}` to `0x{some[-1]:02X}`{f' ({chip})' if chip else ''}" for some, chip in addresses.items()
    )


def kinds_on_pins() -> str:
    """Return the table of the kinds of devices on pins in ``bench.toml``."""
    modules = map(device_module, sorted(openable_kinds()))
    return table(
        "kind | device | pins", ((f"`{each.kind}`", _about(each), _pins(each)) for each in modules if _pins(each))
    )


def _about(module: DeviceModule) -> str:
    first = str(sys.modules[module.opened.__module__].__doc__).splitlines()[0]
    return first.removesuffix(".").replace("A virtual ", "").replace("``", "`")


def _pins(module: DeviceModule) -> str:
    return " or ".join(
        "`pins` with " + ", ".join(f"`{name}`" for name in terminals) if any(terminals) else "`pin`"
        for terminals in module.TERMINALS
    )


def devices_of_programs() -> str:
    """Return a heading, a sentence and the settings of each kind of device that only the bench of a program has."""
    sections: list[Any] = [reader for _, reader in kinds_with_settings().values() if isinstance(reader, Section)]
    made = [section.made for section in sections if section.made.__module__.startswith("reboard_sim.")]
    return "\n\n".join(map(_described, made))


def _described(config: Any) -> str:
    kind = config.__module__.rpartition(".")[2]
    about = str(sys.modules[config.__module__].__doc__).splitlines()[0]
    tables = [table("key | value | meaning | default", _rows(config))]
    for name, of in get_type_hints(config, include_extras=True).items():
        if sections := [limit for limit in hint(of).limits if isinstance(limit, Section)]:
            tables += [f"`{name}` has", table("key | value | meaning | default", _rows(sections[0].made))]
    return "\n\n".join([f"### `{kind}`", about, *tables])


TABLES: Mapping[str, Callable[..., str]] = {
    "settings of": settings,
    "odds": odds,
    "displays": displays,
    "devices on pins": kinds_on_pins,
    "devices of programs": devices_of_programs,
}
