"""Names that last: which USB reader is the left one and which the right, told by serial number or by socket."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from reboard.build import SlotName
from reboard.machine import Machine
from reboard.setup.kept_aside import replace
from reboard.setup.reader_hunt import Heard
from reboard.setup.visit import Visit

RULES = Path("/etc/udev/rules.d/70-reboard-readers.rules")
_PLAIN = re.compile(r"[\w.:,/+@-]+", re.ASCII)
"""Values that a rule takes for what they are: no quotes, and none of the signs that match others."""
_RULE = re.compile(r'^([^#\n].*SYMLINK\+="reboard-(left|right)".*)$', re.MULTILINE)
SAYS = """\
# Written by `reboard setup`: which card reader is the left one and which the right, by its serial number or, where both
# have the same or none, by the USB socket it is in.
# After a change: sudo udevadm control --reload && sudo udevadm trigger
"""
SETTLING_S = 60.0
"""How long udev may take over all terminals and input devices."""


async def lasting_name(visit: Visit, side: SlotName, heard: Heard) -> str:
    """The device file by which the reader is known from now on: udev's name for a USB reader, else its own."""
    facts = await _facts(visit, heard.place)
    if not _is_on_usb(facts):
        return heard.place
    other: SlotName = "right" if side == "left" else "left"
    others = await _facts(visit, visit.draft.found.get(other) or f"/dev/reboard-{other}")
    serial = facts.get("ID_SERIAL_SHORT", "")
    if serial and serial != others.get("ID_SERIAL_SHORT"):
        visit.draft.rules[side] = _rule(side, heard.reader, facts, "ID_SERIAL_SHORT")
        visit.talk.say(f"It is called /dev/reboard-{side} from now on, by its serial number, in whichever USB socket.")
        return f"/dev/reboard-{side}"
    visit.draft.rules[side] = _rule(side, heard.reader, facts, "ID_PATH")
    visit.talk.say(f"It is called /dev/reboard-{side} from now on, by the USB socket it is in: leave it there.")
    if serial and "ID_SERIAL_SHORT" in visit.draft.rules.get(other, "") and _is_on_usb(others):
        visit.draft.rules[other] = _rule(other, str(visit.draft.get(f"bank.{other}.reader")), others, "ID_PATH")
        visit.talk.say("The other one has the same serial number: from now on it is known by its socket, too.")
    return f"/dev/reboard-{side}"


def present_rules(machine: Machine) -> dict[str, str]:
    """The rules that are there, by slot."""
    return {rule[2]: rule[1] for rule in _RULE.finditer(machine.text(RULES))}


async def write_rules(machine: Machine, rules: Mapping[str, str]) -> Path | None:
    """Put *rules* in the place of those that were there, and let udev follow them at once.

    Whatever else stands in that file stays. Returns where the file before is kept, if there was one. Raises
    ``OSError``.
    """
    lines = [line for line in machine.text(RULES).splitlines() if not _RULE.match(line)] or [SAYS.rstrip()]
    text = "".join(f"{line}\n" for line in (*lines, *rules.values()))
    aside = replace(machine.path(RULES), text.encode())
    await machine.said("udevadm", "control", "--reload")
    which = ("--subsystem-match=tty", "--subsystem-match=input")
    await machine.said("udevadm", "trigger", "--settle", *which, within_s=SETTLING_S)
    return aside


async def _facts(visit: Visit, place: str) -> dict[str, str]:
    """What udev knows of a device; nothing unless it can stand in a rule."""
    said = await visit.machine.said("udevadm", "info", "--query=property", f"--name={place}")
    facts = (line.split("=", 1) for line in (said or "").splitlines() if "=" in line)
    return {name: value for name, value in facts if _PLAIN.fullmatch(value)}


def _is_on_usb(facts: Mapping[str, str]) -> bool:
    return "usb" in facts.get("ID_PATH", "")


def _rule(side: SlotName, reader: str, facts: Mapping[str, str], name: str) -> str:
    kind = 'SUBSYSTEM=="input", KERNEL=="event*"' if reader == "keyboard" else 'SUBSYSTEM=="tty"'
    return f'{kind}, ENV{{{name}}}=="{facts[name]}", SYMLINK+="reboard-{side}"'
