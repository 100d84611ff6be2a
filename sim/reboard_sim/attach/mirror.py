"""A copy of a real table for the bench: virtual devices that follow the signals of the real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any, Literal, cast

from reboard.table_config import TableConfig, parse_config
from reboard_sim.board.input_device import Change, Report
from reboard_sim.board.serial_line import Transmission
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.recording import EventLog
from reboard_sim.virtual_pi import VirtualPi

GAP_S = 0.03
"""The longest time between two reads of the same transmission, in seconds. The drivers read a few bytes at a time."""

LONGEST_BYTES = 512
"""The length at which a transmission ends even without a gap, in bytes."""

BY: Mapping[str, Literal["reader", "firmware"]] = {"read": "reader", "written": "firmware"}
END_OF_REPORT = (0, 0, 0)


class Mirror:
    """A copy of a real table, made from *begin*, the first answer to ``watch_signals``. *name* is the table's name.

    Create it on a running event loop. It is a `reboard_sim.seen_table.SeenTable`. `t` is the time of the real table, in
    seconds since the table started. Raises `ConfigError` for a config that this version cannot read, and
    ``LookupError``, ``TypeError`` or ``ValueError`` if *begin* has another format.
    """

    switched_on_at = made_at = 0.0

    def __init__(self, begin: Mapping[str, Any], name: str) -> None:
        self.t = float(begin["t"])
        self.snapshot_now: Mapping[str, Any] = dict(begin["table"])
        self.config = _config(begin["config"], name)
        self.log = EventLog()
        self.sound_card = VirtualSoundCard(keep_s=1.0)
        self.faults: set[str] = set()
        self.dropped = 0
        self.is_on = True
        self._half: dict[str, Transmission] = {}
        self._half_until: dict[str, float] = {}
        self.pi = VirtualPi(self.config, lambda: self.t, rng=Random(0), sound_card=self.sound_card)
        self.pi.power_on()
        for number, (level, is_output) in begin["pins"].items():
            self._follow("pin", int(number), level, is_output)
        table = begin["table"]
        if "display" not in table["faults"]:  # with a fault, it may not show this
            shown = {"lines": table.get("display"), "asleep": table.get("asleep")}
            self._follow("event", {"event": "display", "device": "bank.display", **shown})

    def receive(self, news: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Apply the signals in *news*, a later answer to ``watch_signals``, and return its events."""
        before = self.t
        events = []
        # an edge carries the time of the kernel, and may come after later signals of the drivers
        for kind, t, *values in sorted(news["signals"], key=itemgetter(1)):
            self.t = max(before, float(t))
            self._end_transmissions()
            self._follow(kind, *values)
            if kind == "event":
                events.append(values[0])
                self.log.append(values[0])
        self.t = max(before, float(news["t"]))
        self._end_transmissions()
        self.dropped += int(news["dropped"])
        self.snapshot_now = news.get("table") or self.snapshot_now
        return events

    def snapshot(self) -> Mapping[str, Any]:
        return self.snapshot_now

    def close(self) -> None:
        self.pi.close()

    def _follow(self, kind: str, *values: Any) -> None:
        if follow := FOLLOW.get(kind):
            follow(self, *values)
        for label, device in self.pi.devices.items():
            if kind != "event" or values[0].get("device", label) == label:
                device.follow(kind, *values)

    def _pin(self, number: int, level: float | None, is_output: bool) -> None:
        line = self.pi.pins.lines.get(number)
        if line is None:
            return
        duty = line.duty if level is None else level
        line.set_pin(duty if is_output else None, None)
        line.drive_duty(None if is_output else duty)

    def _bytes(self, port: str, data: str, *, kind: str) -> None:
        if port not in self.pi.serial_lines:
            return  # that of an accessory without a virtual device
        half = self._half.get(port)
        if half and (half.by != BY[kind] or len(half.data) >= LONGEST_BYTES):
            self._end_transmission(port)
            half = None
        before = half.data if half else b""
        self._half[port] = Transmission(half.t if half else self.t, before + bytes.fromhex(data), BY[kind])
        self._half_until[port] = self.t + GAP_S

    def _end_transmissions(self) -> None:
        for port, until in tuple(self._half_until.items()):
            if self.t >= until:
                self._end_transmission(port)

    def _end_transmission(self, port: str) -> None:
        del self._half_until[port]
        self.pi.serial_lines[port].traffic.append(self._half.pop(port))

    def _keys(self, device: str, changes: list[list[int]]) -> None:
        for report in _reports(changes) if device in self.pi.input_devices else ():
            self.pi.input_devices[device].reports.append(Report(self.t, report, is_lost=False))

    def _i2c(self, bus: int, address: int, data: str, answered: bool) -> None:
        self.pi.i2c_bus(bus).follow(address, bytes.fromhex(data), answered)


FOLLOW: Mapping[str, Callable[..., None]] = {
    "pin": Mirror._pin,
    "read": lambda mirror, *values: mirror._bytes(*values, kind="read"),
    "written": lambda mirror, *values: mirror._bytes(*values, kind="written"),
    "keys": Mirror._keys,
    "i2c": Mirror._i2c,
}
"""The methods of `Mirror` that handle signals, keyed by kind. Signals of other kinds go only to the devices."""


def _reports(changes: list[list[int]]) -> Iterator[tuple[Change, ...]]:
    report: list[Change] = []
    for change in changes:
        report.append(cast(Change, tuple(change)))
        if report[-1] == END_OF_REPORT:
            yield tuple(report)
            report = []
    if report:
        yield tuple(report)


def _config(document: Mapping[str, Any], name: str) -> TableConfig:
    here = dict(document)
    if ".toml" in str(here.get("edition", "")):
        del here["edition"]  # a file of the other machine, as is a folder of sounds
    if isinstance(here.get("speaker"), dict):
        here["speaker"] = {key: value for key, value in here["speaker"].items() if key != "folder"}
    return parse_config(here, path=Path(name), where=f"the config of {name}")
