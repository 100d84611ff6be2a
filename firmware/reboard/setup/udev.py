"""Permanent names for USB devices, defined by udev rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from reboard.atomic_write import replace
from reboard.doctor.machine import Machine
from reboard.setup.draft import Draft
from reboard.setup.prompts import Prompts
from reboard.setup.reader_rules import KERNEL, PLAIN, RULES, SERIAL, SOCKET, rule

HEAD = """\
# Written by `reboard setup`: permanent names for card readers. A rule identifies its reader by the serial number or, if
# the serial number is missing or not unique, by the USB socket.
# After a change: sudo udevadm control --reload && sudo udevadm trigger
"""
SETTLE_S = 60.0
"""The longest wait for udev to apply the rules to all terminals and input devices, in seconds."""

_RULE = re.compile(r'^([^#\n].*SYMLINK\+="reboard-(\w+)".*)$', re.MULTILINE)


async def lasting_name(
    name: str, file: str, subsystem: str, *, draft: Draft, machine: Machine, prompts: Prompts
) -> str:
    """Return the permanent device file of the device *name*, and add its udev rule to *draft*.

    If the device is not on USB, return *file*.
    """
    draft.rules.pop(name, None)
    draft.found[name] = file
    facts = await _facts(machine, file)
    if not _is_on_usb(facts):
        return file
    link = f"/dev/reboard-{name}"
    others = {
        other: await _facts(machine, draft.found.get(other, f"/dev/reboard-{other}"))
        for other in {*draft.found, *draft.rules} - {name}
    }
    serial = facts.get(SERIAL, "")
    alike = {other: known for other, known in others.items() if known.get(SERIAL) == serial}
    if serial and not alike:
        draft.rules[name] = rule(name, KERNEL[subsystem], SERIAL, serial)
        prompts.say(f"The reader's name is {link} from now on, in any USB socket, because its serial number is unique.")
        return link
    draft.rules[name] = rule(name, KERNEL[subsystem], SOCKET, facts[SOCKET])
    prompts.say(f"The reader's name is {link} from now on, but only in this USB socket.")
    for other, known in alike.items():
        kernel, by_serial, _ = draft.rules.get(other, "").partition(f", ENV{{{SERIAL}}}")
        if by_serial and _is_on_usb(known):
            draft.rules[other] = rule(other, kernel, SOCKET, known[SOCKET])
            prompts.say(f"/dev/reboard-{other} has the same serial number: leave both readers in their USB sockets.")
    return link


def present_rules(machine: Machine) -> dict[str, str]:
    """Return the rules in the udev rules file, keyed by device name."""
    return {found[2]: found[1] for found in _RULE.finditer(machine.text(RULES))}


async def write_rules(machine: Machine, rules: Mapping[str, str]) -> Path | None:
    """Replace the rules in the udev rules file, and make udev apply them. Keep all other lines.

    Return the path of a copy of the old file, or ``None`` if there was none or it is unchanged. Raises ``OSError``.
    """
    lines = [line for line in machine.text(RULES).splitlines() if not _RULE.match(line)] or [HEAD.rstrip()]
    text = "".join(f"{line}\n" for line in (*lines, *rules.values()))
    kept = replace(machine.path(RULES), text.encode())
    await machine.output_of("udevadm", "control", "--reload")
    subsystems = ("--subsystem-match=tty", "--subsystem-match=input")
    await machine.output_of("udevadm", "trigger", "--settle", *subsystems, within_s=SETTLE_S)
    return kept


async def _facts(machine: Machine, file: str) -> dict[str, str]:
    """Return the udev properties of the device *file* that a rule can compare literally."""
    output = await machine.output_of("udevadm", "info", "--query=property", f"--name={file}")
    facts = (line.split("=", 1) for line in (output or "").splitlines() if "=" in line)
    return {name: value for name, value in facts if PLAIN.fullmatch(value)}


def _is_on_usb(facts: Mapping[str, str]) -> bool:
    return "usb" in facts.get(SOCKET, "")
