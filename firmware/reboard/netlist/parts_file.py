"""The readers for a file with parts, and with the circuit of a kind of reader or display, which can be a plug-in's.

``contact.toml`` in ``devices/circuits/`` explains ``[[part]]`` and ``[[wire]]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, TypeVar

from reboard.config.kinds import Number, Section, Several
from reboard.config.reading import KeyPath, Reader, Reading, called, did_you_mean, shown

T = TypeVar("T")

NUMBERS = ("ohm", "takes_ma", "most_ma", "stands_ma", "drives_v", "listens_v", "gives_v", "count")
"""The numeric keys of a part in a circuit file. The value of a key is a number or the name of a fact."""


class Amount(Number):
    """A reader of numbers, which stay whole if they are."""

    def __call__(self, reading: Reading, path: KeyPath, value: Any, /) -> float:
        """See `Reader`."""
        super().__call__(reading, path, value)
        return value  # type: ignore[no-any-return]


VOLTS, MILLIAMPERES, OHMS = Amount(0, 100, "volts"), Amount(0, 1e6, "mA"), Amount(0, 1e8, "ohms")


def words(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read a text of any length."""
    if not isinstance(value, str):
        raise reading.must_be(path, 'a text in "quotes"', value)
    return value


def volts_or_power(reading: Reading, path: KeyPath, value: object, /) -> float | str:
    """Read a voltage, or ``"power"`` for that of the supply."""
    return "power" if value == "power" else VOLTS(reading, path, value)


def each(entry: Reader[T]) -> Callable[[Reading, KeyPath, object], Mapping[str, T]]:
    """Return a reader of tables with any keys, whose values *entry* reads."""

    def read(reading: Reading, path: KeyPath, value: object, /) -> Mapping[str, T]:
        if not isinstance(value, dict):
            raise reading.must_be(path, "a table", value)
        return {key: entry(reading, (*path, key), of_key) for key, of_key in value.items()}

    return read


LIST = Several(words, 0, 100)


def circuit_file(terminals: Mapping[str, Mapping[str, object]]) -> Section[SimpleNamespace]:
    """Return a reader that checks a circuit file. *terminals* has those of each kind of part."""

    def check_part(reading: Reading, path: KeyPath, part: SimpleNamespace) -> None:
        _check_needed(reading, path, part, "name", "kind", "to")
        if part.kind not in terminals:
            hint = did_you_mean(part.kind, terminals)
            raise reading.wrong(path, f"{called(path)}: there is no kind of part {shown(part.kind)}{hint}")
        known = terminals[part.kind]
        for label in part.to:
            if label not in known:
                hint = did_you_mean(label, known) or f": its terminals are {', '.join(known)}"
                raise reading.wrong(path, f"{called(path)}: a {part.kind} has no terminal {shown(label)}{hint}")

    def check_wire(reading: Reading, path: KeyPath, wire: SimpleNamespace) -> None:
        _check_needed(reading, path, wire, "when", "joins")

    keys: dict[str, Reader[object]] = {**dict.fromkeys(("name", "kind", "bridged_without"), words), "when": LIST}
    keys |= {"to": each(words), **dict.fromkeys(NUMBERS, _number_or_fact)}
    part = Section(SimpleNamespace, keys, then=check_part)
    wire = Section(SimpleNamespace, {"when": LIST, "joins": Several(words, 2, 2)}, then=check_wire)
    tables: dict[str, Reader[object]] = {"part": Several(part, 0, 100), "wire": Several(wire, 0, 100)}
    # `hardware_data.kinds` has read the parts
    return Section(SimpleNamespace, {"power_5v": LIST, **tables, "parts": lambda *_: None})


def _check_needed(reading: Reading, path: KeyPath, table: SimpleNamespace, *keys: str) -> None:
    for key in keys:
        if not hasattr(table, key):
            raise reading.wrong(path, f"[{called(path)}] needs the key {shown(key)}")


def _number_or_fact(reading: Reading, path: KeyPath, value: object, /) -> float | str:
    return value if isinstance(value, str) else OHMS(reading, path, value)
