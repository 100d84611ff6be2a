"""The card slot: its device kind, its wiring, and its check by doctor.

``readers.left``: whether the left reader is connected, free, and answers as its kind does: what it has sent to the
    running table, or in two seconds. As root it names other programs on the port.
``readers.right``: the same for the right reader.
``readers.crossed``: both readers of a running table read one card, because the field of one reaches the other's slot.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import closing
from typing import Annotated, Literal

from reboard.board import Board, Program
from reboard.config.kinds import Choice, Number, Section, flag
from reboard.devices.device import DeviceKind, FittedDevice
from reboard.devices.examination import CheckContext, TryOut, finding_in_use
from reboard.devices.readers.presence import Presence
from reboard.devices.readers.reader import Slot, words_of
from reboard.devices.readers.reader_kind import SlotConfig, kind_of
from reboard.events import Emit, Fault, ignore_event
from reboard.finding import Finding, Level, all_of, fine, note, sentence, wrong
from reboard.record import Record, replace
from reboard.vocabulary.declared import Event

POWERS = ("3.3V", "5V")

LISTEN_S = 2.0
"""The time for which doctor listens to a reader, in seconds. It is enough to wake a PN532 and to read a card."""

CROSSED_S = 3.0
"""The age of a card, in seconds, up to which a reader still has it. A slot at rest is read every 2.5 s."""

SlotName = Literal["left", "right"]


class SlotWiring(Record):
    """The table ``[wiring.left]`` or ``[wiring.right]``: a reader on a serial port, or switches."""

    power: Annotated[str | None, Choice(*POWERS), "the reader's supply. Left out: as [drawn](readers.md)"] = None
    tx_v: Annotated[
        float | None,
        Number(0.5, 6.0, "volts"),
        "what you measured on TX, at rest and before any divider. Left out: not measured",
    ] = None
    adapter_v: Annotated[
        float | None, Number(3.0, 6.0, "volts"), "what RXD of its USB adapter takes. Left out: 3.3 V"
    ] = None
    divider: Annotated[bool | None, flag, "two resistors divide its TX. Left out: `true` on 5 V"] = None
    protected: Annotated[
        bool, flag, "for `bumps`: each line has 1 kΩ to the pin, 2.2 kΩ to 3.3 V and 100 nF to ground"
    ] = True


class AbsentSlot(Slot):
    """The stand-in for a card slot that the config leaves out: no card is ever in it."""

    description = "no slot"

    def __init__(self) -> None:
        super().__init__(Presence(), ignore_event, "")


Fitted = FittedDevice[SlotConfig, Slot]


class CardSlotKind(DeviceKind[SlotConfig, Slot]):
    """The device kind of card slots."""

    name = "card_slot"
    absent = AbsentSlot
    area = "readers"
    wiring = Section(SlotWiring)

    def pins(self, config: SlotConfig) -> Mapping[str, int]:
        return kind_of(config).pins(config)

    def files(self, config: SlotConfig) -> Sequence[str]:
        return kind_of(config).files(config)

    def groups(self, config: SlotConfig) -> Mapping[str, str]:
        return kind_of(config).groups

    def describe(self, config: SlotConfig | None) -> str:
        return kind_of(config).describe(config) if config else "none"

    def open_driver(self, config: SlotConfig, name: str, board: Board, emit: Emit) -> Slot:
        return kind_of(config).open(config, name, board, emit)

    async def try_out(self, device: Fitted, work: TryOut) -> dict[str, object] | None:
        from reboard.devices.readers.reader_discovery import try_out_slot  # a table does not need it

        return await try_out_slot(device, work)

    async def check(self, device: Fitted, context: CheckContext) -> AsyncIterator[Finding]:
        name = f"readers.{device.noun}"
        config = device.config
        if config is None:
            return
        if context.is_in_use:
            yield _in_use(name, device, context)
            if crossed := _crossed(device, context):
                yield crossed
            return
        if not self.files(config):
            return
        [file] = self.files(config)
        if not context.host.may_use(file):
            what = f"The {device.title} was not tried: {context.host.user} has no permission to use {file}."
            yield note(name, what, f"Run `sudo reboard doctor` to try the {device.title}.")
            return
        yield await _heard(name, device, config, file, context)


def _in_use(name: str, device: Fitted, context: CheckContext) -> Finding:
    """Return the finding on the reader of a running table: its fault, other programs on its port, and its counts."""
    finding = finding_in_use(name, device.title, context, accessory=device.accessory)
    report = context.readers.get(device.label)
    advice = str(report["advice"]) if report else ""
    heard = f" Its reader has sent {words_of(report)}." if report else ""
    if finding.level is not Level.FINE:
        is_gone = not all(map(context.host.has, device.files()))
        return replace(finding, what=f"{finding.what}{heard}", do=_where_else(context) if is_gone else finding.do)
    if holders := _other_holders(device, context):
        is_read = bool(report and report["tag"])
        return _shared(name, device, holders, f"{heard} {advice}".rstrip(), is_read=is_read)
    heard += _not_seen(device, context)
    if report and report["bytes"] and not report["frames"]:
        return wrong(name, f"The {device.title} has read no card.{heard}", _check_wires(device))
    if advice:
        return note(name, f"{finding.what}{heard}", advice)
    return fine(name, f"{finding.what}{heard}")


def _crossed(device: Fitted, context: CheckContext) -> Finding | None:
    """Return the finding on a card that this reader and one before it read at the same time, or ``None``.

    A reader that speaks once does not count: a user can tap a card at both.
    """
    report = context.readers.get(device.label)
    earlier = [other for label, other in context.readers.items() if label < device.label]
    if report is None or device.config is None or not kind_of(device.config).answers:
        return None
    for other in earlier:
        if other["tag"] == report["tag"] is not None and max(other["tag_s"], report["tag_s"]) < CROSSED_S:
            return wrong(
                "readers.crossed",
                f"Two readers read the card {report['tag']} at once: the field of one reaches the slot of the other.",
                "Move the two antennas further apart, or turn one of them by 90 degrees.",
            )
    return None


def _other_holders(device: Fitted, context: CheckContext) -> Sequence[Program]:
    """Return the other programs that have the device's serial port open.

    An exclusive reader is left out: desktops have a keyboard open, too, but do not get what it types.
    """
    if device.config is None or kind_of(device.config).is_exclusive:
        return ()
    return [holder for file in device.files() for holder in context.other_holders(file)]


def _not_seen(device: Fitted, context: CheckContext) -> str:
    """Return a sentence on what the user has no permission to see, or ``""``."""
    if context.host.user == "root" or not device.files() or (device.config and kind_of(device.config).is_exclusive):
        return ""
    return " Only `sudo reboard doctor` sees whether another program has its port open."


def _shared(name: str, device: Fitted, holders: Sequence[Program], heard: str, *, is_read: bool) -> Finding:
    """Return the finding on a port that is also open in *holders*. It is no fault if cards are read all the same."""
    programs = all_of([*map(str, holders)])
    port = " and ".join(device.files())
    what = f"The port of the {device.title}, {port}, is also open in {programs}, which can take data.{heard}"
    return (note if is_read else wrong)(name, what, sentence(" and ".join(holder.how_to_stop for holder in holders)))


def _check_wires(device: Fitted) -> str:
    assert device.config
    return (
        f"Check the reader's wires to the port and to ground. If the reader's kind is not {device.config.reader}, "
        f"correct `reader` in {device.label}; docs/readers.md describes the kinds."
    )


async def _heard(name: str, device: Fitted, config: SlotConfig, file: str, context: CheckContext) -> Finding:
    """Return the finding on a reader, after listening to it for `LISTEN_S` with the table's driver."""
    host, kind = context.host, kind_of(config)
    fault = ""

    def hear(event: Event) -> None:
        nonlocal fault
        fault = event.cause if isinstance(event, Fault) else ""

    with closing(kind.open(config, device.title, host.devices, hear)) as slot:
        slot.start(lambda _: None, lambda _: None)
        await asyncio.sleep(LISTEN_S)
        holders = _other_holders(device, context)
        heard = slot.heard
        if fault:
            is_named = not holders or str(holders[0]) in fault
            held = "" if is_named else f" The file is open in {all_of([*map(str, holders)])}."
            return wrong(name, sentence(fault) + held, "" if host.has(file) or kind.pattern else _where_else(context))
        if holders:
            return _shared(name, device, holders, f" Its reader has sent {heard}.", is_read=heard.tag is not None)
        words = f"The reader of the {device.title}, {slot.description}, "
        if slot.tag:
            return fine(name, f"{words}reads the card {slot.tag}.{_not_seen(device, context)}")
        if heard.dropped and not heard.frames:
            return wrong(name, f"{words}sends no valid frame: {heard}.", _check_wires(device))
        if kind.answers:
            return fine(name, f"{words}answers, and has sent {heard}.{_not_seen(device, context)}")
        if heard.frames == 1 and kind.if_not_repeated:
            what = f"{words}sent the card {heard.tag} and did not repeat it."
            return note(name, what, f"If the card lay there, {kind.if_not_repeated}.")
        if heard.tag:
            return fine(name, f"{words}read the card {heard.tag}.{_not_seen(device, context)}")
        silent = "was opened without a fault. It sends nothing until it reads a card."
        return fine(name, f"{words}{silent}{_not_seen(device, context)}")


def _brltty(context: CheckContext) -> str:
    """Return the remedy if brltty runs, a program for Braille displays that takes the USB adapters of readers."""
    host = context.host
    if "brltty" not in map(host.text, host.named("/proc/[0-9]*/comm")):
        return ""
    return "The program brltty takes USB adapters: run `sudo apt remove brltty`, and plug the reader in again. "


def _where_else(context: CheckContext) -> str:
    ports = " and ".join(f"{port} ({what})" for port, what in context.host.serial_ports().items())
    there = f"The serial ports are {ports}. " if ports else ""
    return f"{_brltty(context)}{there}Run `sudo reboard setup` to find the port of each reader."


CARD_SLOT = CardSlotKind()
