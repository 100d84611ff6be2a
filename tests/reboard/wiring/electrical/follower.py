"""Somebody who does what the electrical check prints, word for word, and writes it into the config.

What they understand is what the sentences have in common: a setting in backticks (``power = "5V"``) is written into
the part of ``[wiring]`` that the finding speaks of; "take `tx_v` out" takes it out; "measure … `tx_v`" writes what
their meter shows; "Put block.lamp on a pin that is free: 4, 12" puts it on the first. Settings with an "or" between
them are ways to choose from.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any, get_type_hints

from reboard.config import TableConfig, parse_config
from reboard.finding import Finding
from reboard.settings.wiring import Wiring
from reboard.wiring.facts import facts_of

Document = Mapping[str, Any]
Path_ = tuple[str | int, ...]
Way = Mapping[Path_, object]
"""What is written, by where; `OUT`: it is taken out, `MEASURED`: it is what the meter shows."""

Meter = Callable[[str], float]
"""What a meter shows at a reader's TX, by what feeds that."""

OUT, MEASURED = object(), object()

PARTS = {
    name: {field.name for field in fields(kind)}
    for name, kind in get_type_hints(Wiring).items()
    if hasattr(kind, "__dataclass_fields__")
}
"""The keys of each part of ``[wiring]``."""

PIN = r"(?:block|apple|bank)\.[a-z0-9_.]*[a-z0-9]"
SETTING = re.compile(r"`(?P<key>[a-z_]+) = (?P<value>[^`]+)`")
TAKEN_OUT = re.compile(r"take (?P<keys>`[a-z_]+`(?:(?:, | and )`[a-z_]+`)*) out", re.IGNORECASE)
MEASURE = re.compile(r"Measure [^.]*`(?P<key>tx_v)`", re.IGNORECASE)
PUT = re.compile(rf"Put (?P<who>{PIN}(?:(?:, | and ){PIN})*) on [a-z ]*pins? that (?:is|are) (?P<where>[^.]+)\.")
PUT_EXACTLY = re.compile(rf"(?P<who>{PIN})[^.\d]* on pin (?P<where>\d+)")
CHANGE_PLACES = re.compile(rf"let (?P<who>{PIN}) change places with [^.]*?(?P<whom>{PIN})")


def config_of(document: Document) -> TableConfig:
    """What the *document* means. Raises `ConfigError` if the config is refused."""
    return parse_config(document, path=Path("table.toml"))


def ways(finding: Finding, document: Document, *, measures: bool = True) -> list[Way]:
    """The ways to do what *finding* says, none if it says nothing for a config; without a meter nobody *measures*."""
    told: list[dict[Path_, object]] = [{}]
    end = 0
    for start, this_end, step in sorted(_steps(finding, document), key=lambda step: step[0]):
        if told[-1] and re.search(r"\bor\b", finding.do[end:start], re.IGNORECASE):
            told.append({})
        if measures or MEASURED not in step.values():
            told[-1].update(step)
        end = this_end
    return [way for way in told if way]


def ways_at_once(findings: Sequence[Finding], document: Document, *, measures: bool = True) -> Iterator[Way]:
    """The ways to do what all *findings* say, but those that want a setting to be two things."""
    for chosen in product(*(found for finding in findings if (found := ways(finding, document, measures=measures)))):
        together: dict[Path_, object] = {}
        if all(together.setdefault(path, value) == value for way in chosen for path, value in way.items()):
            yield together


def done(document: Document, way: Way, meter: Meter | None = None) -> Document:
    """The *document* after going that *way*; what is measured shows what has been changed already."""
    changed = copy.deepcopy(dict(document))
    for path, value in way.items():
        if value is not MEASURED:
            _write(changed, path, value)
    for path, value in way.items():
        if value is MEASURED and meter is not None:
            _write(changed, path, meter(str(facts_of(config_of(changed))[f"wiring.{path[1]}.power"])))
    return changed


def _steps(finding: Finding, document: Document) -> Iterator[tuple[int, int, Way]]:
    """What is to be done, each with where its words begin and end."""
    for found in SETTING.finditer(finding.do):
        path = _wiring_path(finding, found["key"])
        yield *found.span(), {path: tomllib.loads(f"it = {found['value']}")["it"]}
    for found in TAKEN_OUT.finditer(finding.do):
        yield *found.span(), {_wiring_path(finding, key): OUT for key in re.findall(r"`(\w+)`", found["keys"])}
    for found in MEASURE.finditer(finding.do):
        yield *found.span(), {_wiring_path(finding, found["key"]): MEASURED}
    for found in PUT.finditer(finding.do):
        pins = map(int, re.findall(r"\d+", found["where"]))
        yield *found.span(), dict(zip(map(_path, re.findall(PIN, found["who"])), pins, strict=False))
    for found in PUT_EXACTLY.finditer(finding.do):
        yield *found.span(), {_path(found["who"]): int(found["where"])}
    for found in CHANGE_PLACES.finditer(finding.do):
        one, other = _path(found["who"]), _path(found["whom"])
        yield *found.span(), {one: _read(document, other), other: _read(document, one)}


def _wiring_path(finding: Finding, key: str) -> Path_:
    """Where in ``[wiring]`` a *key* is written: in the part of which the finding's sentence speaks."""
    if key in {field.name for field in fields(Wiring)}:
        return ("wiring", key)
    parts = [part for part, keys in PARTS.items() if key in keys]
    for text in (finding.what, finding.do):
        spoken_of = [part for part in parts if part in re.findall(r"\w+", text)]
        if len(spoken_of) == 1:
            return ("wiring", spoken_of[0], key)
    assert len(parts) == 1, f"where is `{key}` to be written? {finding.what} {finding.do}"
    return ("wiring", parts[0], key)


def _path(dotted: str) -> Path_:
    return tuple(int(name) if name.isdecimal() else name for name in dotted.split("."))


def _read(document: Document, path: Path_) -> object:
    value: Any = document
    for name in path:
        value = value[name]
    return value


def _write(document: dict[str, Any], path: Path_, value: object) -> None:
    *sections, last = path
    table: Any = document
    for name in sections:
        table = table[name] if isinstance(name, int) else table.setdefault(name, {})
    if value is OUT:
        table.pop(last, None)
    else:
        table[last] = value
