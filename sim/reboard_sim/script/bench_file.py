"""``bench.toml``: names for the devices of a program, and devices that cannot be seen from the program.

Each table is a device: its name, its ``kind``, and its pins or the settings that this kind has in ``table.toml``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

from reboard.config.kinds import Section, flag
from reboard.config.pins_and_ports import pin
from reboard.config.reading import KeyPath, Reading, Unreadable, read_toml
from reboard.devices.device import FittedDevice
from reboard.record import Record
from reboard_sim.devices.device import device_module, kinds_with_settings, openable_kinds
from reboard_sim.devices.opened import opened_device
from reboard_sim.script.labels import NAME


def _pins(reading: Reading, path: KeyPath, value: object, /) -> Mapping[str, int]:
    if not isinstance(value, dict):
        raise reading.must_be(path, "a table such as { forward = 4, backward = 14 }", value)
    return {str(terminal): pin(reading, (*path, terminal), each) for terminal, each in value.items()}


class _OnPins(Record):
    pin: Annotated[int | None, pin, "its pin"] = None
    pins: Annotated[Mapping[str, int], _pins, "its pins, if there are several"] = field(default_factory=dict)
    active_high: Annotated[bool, flag, "whether it is on while its pin is high"] = True


def _usage(terminals: Collection[str]) -> str:
    return "pins = { " + ", ".join(f"{each} = …" for each in terminals) + " }" if any(terminals) else "pin"


class _Device:
    """The reader of one table."""

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> FittedDevice[Any, Any]:
        if not isinstance(value, dict):
            raise reading.must_be(path, "a table such as [button]", value)
        label = str(path[-1])
        if not NAME.fullmatch(label):
            raise reading.wrong(path, f"{label!r} is not a name: use lower-case letters, digits and _")
        rest = dict(value)
        kind = rest.pop("kind", "")
        with_settings = kinds_with_settings()
        if isinstance(kind, str) and kind in with_settings:
            device_kind, reader = with_settings[kind]
            return FittedDevice(label, label, device_kind, reader(reading, path, rest))
        if not isinstance(kind, str) or (kind and kind not in openable_kinds()):
            known = ", ".join(sorted({*with_settings, *openable_kinds()}))
            raise reading.must_be((*path, "kind"), f"one of {known}", kind)
        on = Section(_OnPins)(reading, path, rest)
        pins = on.pins if on.pin is None else {"": on.pin}
        fitting = device_module(kind).TERMINALS if kind else ()
        if fitting and not any({*terminals} <= {*pins} for terminals in fitting):
            remedy = " or ".join(_usage(terminals) for terminals in fitting)
            raise reading.wrong(path, f"[{label}] has no pins for the kind {kind}: set {remedy}")
        return opened_device(label, kind, pins, active_high=on.active_high)


def read_bench_file(path: Path) -> Mapping[str, FittedDevice[Any, Any]]:
    """Return the devices in the file *path*, keyed by name. Raises `ConfigError`.

    A device with the kind ``""`` only gives its name to what the program opens at its pin.
    """
    document, lines = read_toml(path)
    reading = Reading(path, lines)

    def read(reading: Reading, path: KeyPath, value: object, /) -> dict[str, FittedDevice[Any, Any]]:
        assert isinstance(value, dict)
        devices = {}
        for name in value:
            with suppress(Unreadable):  # the reading has the problem
                devices[name] = _Device()(reading, (name,), value[name])
        return devices

    return reading.read(read, document)
