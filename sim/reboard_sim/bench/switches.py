"""The switches of the bench's setup. They change a setting at once, at the same table and in the same game."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from reboard.config.kinds import Choice, Whole, flag
from reboard.devices.readers.reader_kind import READER_KINDS, SlotConfig
from reboard.editions.edition import editions_in_the_box, load_edition
from reboard.languages import Texts
from reboard.table_config import PageConfig, TableConfig, TableSection
from reboard_sim.bench.bench_acts import NONE

BLOCK, LINKED, PAY = "block", "block.linked", "page.pay"
OF_PHONES = (PAY,)
"""The switches of a bench that has a table page."""
STATES: Mapping[str, tuple[str, ...]] = {PAY: ("phones", "pay"), "speaker.volume": ("volume",)}
"""The settings that the host also changes while the table runs, with their place in the snapshot."""


def switches(
    config: TableConfig, snapshot: Mapping[str, Any], say: Texts, *, began: TableConfig
) -> list[dict[str, Any]]:
    """Return the switches of a table with *config* and *snapshot* as JSON objects, with texts in the language of *say*.

    Each one has its ``setting``, ``title`` and ``value``, and says whether it ``is_changed`` since the table had the
    config *began*. ``why_not`` says why it cannot be changed, if so. The ``values`` have a ``title`` and the ``line``
    of a play that sets the value. A switch that is on or off ``is_flag``.
    """
    titles = {
        LINKED: say("Linked play"),
        PAY: say("Phones may pay"),
        "speaker.volume": say("Volume"),
        "bank.language": say("Language of the display"),
        "bank.pot": say("Free Parking pot"),
        "bank.left": say("Left reader"),
        "bank.right": say("Right reader"),
    }
    found = []
    for setting, title in titles.items():
        section = _section(config, setting)
        if section is None:
            continue
        value = _value(section, setting, snapshot)
        found.append(
            {
                "setting": setting,
                "title": title,
                "value": value,
                "is_changed": value != _value(_section(began, setting), setting, {}),
                "is_flag": _reader(setting) is flag,
                "values": [{"value": value, **shown} for value, shown in _values(setting, say)],
                "why_not": _why_not(config, say) if setting == LINKED else "",
            }
        )
    return found


def _section(config: TableConfig, setting: str) -> object | None:
    name = setting.partition(".")[0]
    if setting == PAY:  # the bank has the payments
        return (config.page or PageConfig()) if config.section("bank") else None
    return config.speaker if name == "speaker" else config.section(name)


def _value(section: object, setting: str, snapshot: Mapping[str, Any]) -> str:
    value: Any = snapshot
    for key in STATES.get(setting, ()):
        value = value.get(key) if isinstance(value, Mapping) else None
    if setting not in STATES or value is None:
        value = getattr(section, setting.partition(".")[2])
    if value is None:
        return NONE
    return value.reader if isinstance(value, SlotConfig) else str(value).lower()


@cache
def _reader(setting: str) -> Any:
    keys: Any = TableSection(Path()).keys
    section, _, key = setting.partition(".")
    return keys[section].keys[key]


def _values(setting: str, say: Texts) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each value of *setting*, as the config's reader allows it, with its title and its line of a play."""
    meanings = {
        "off": say("no"),
        "ask": say("if GO or the host confirms"),
        "free": say("at once"),
        "0": say("0: mute"),
    }
    match _reader(setting):
        case Choice(names=names) if setting.endswith(".language"):
            for name in names:
                yield name, _line(setting, f'"{name}"', Texts(name, "name of this language")("English"))
        case Choice(names=names):
            for name in names:
                yield name, _line(setting, f'"{name}"', meanings.get(name, name))
        case Whole(low=low, high=high):
            for number in range(low, high + 1):
                yield f"{number}", _line(setting, f"{number}", meanings.get(f"{number}", f"{number}"))
        case reader if reader is flag:
            for name in ("false", "true"):
                yield name, _line(setting, name, name)
        case _:
            side = setting.partition(".")[2]
            for kind in READER_KINDS.values():
                yield kind.name, _line(setting, kind.example(side), say(kind.title))
            yield NONE, {"title": say(NONE), "line": f"without {setting}"}


def _line(setting: str, toml: str, title: str) -> dict[str, str]:
    return {"title": title, "line": f"config {setting} {shlex.quote(toml)}"}


@cache
def _linked_edition() -> str:
    return next(edition.title for edition in editions_in_the_box() if BLOCK in edition.outcomes)


def _why_not(config: TableConfig, say: Texts) -> str:
    """Return why linked play is not possible at a table with *config*, or ``""``."""
    if config.section("bank") is None:
        return say("The table has no bank.")
    if BLOCK in load_edition(config.edition).outcomes:
        return ""
    edition = _linked_edition()
    return say("The outcomes cost nothing in this edition. Load another setup, such as {edition}.", edition=edition)
