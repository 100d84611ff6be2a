"""Names that last: which USB reader is the left one and which the right is told by the socket it is in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from reboard.build import SlotName
from reboard.durable import write_safely
from reboard.machine import Machine
from reboard.setup.reader_hunt import Heard
from reboard.setup.visit import Visit

RULES = Path("/etc/udev/rules.d/70-reboard-readers.rules")
_RULE = re.compile(r'^([^#\n].*SYMLINK\+="reboard-(left|right)".*)$', re.MULTILINE)
SAYS = """\
# Written by `reboard setup`: which card reader is the left one and which the right, by the USB socket it is in.
# After a change: sudo udevadm control --reload && sudo udevadm trigger
"""


async def lasting_name(visit: Visit, side: SlotName, heard: Heard) -> str:
    """The device file by which the reader is known from now on: udev's name for a USB reader, else its own."""
    said = await visit.machine.said("udevadm", "info", "--query=property", f"--name={heard.place}")
    facts = dict(line.split("=", 1) for line in (said or "").splitlines() if "=" in line)
    path = facts.get("ID_PATH", "")
    if "usb" not in path or '"' in path:
        return heard.place
    kind = 'SUBSYSTEM=="input", KERNEL=="event*"' if heard.reader == "keyboard" else 'SUBSYSTEM=="tty"'
    visit.draft.rules[side] = f'{kind}, ENV{{ID_PATH}}=="{path}", SYMLINK+="reboard-{side}"'
    visit.talk.say(f"It is called /dev/reboard-{side} from now on, by the USB socket it is in: leave it there.")
    return f"/dev/reboard-{side}"


def present_rules(machine: Machine) -> dict[str, str]:
    """The rules that are there, by slot."""
    return {rule[2]: rule[1] for rule in _RULE.finditer(machine.text(RULES))}


async def write_rules(machine: Machine, rules: Mapping[str, str]) -> None:
    """Write *rules*, and let udev follow them at once. Raises ``OSError``."""
    write_safely(machine.path(RULES), (SAYS + "".join(f"{rule}\n" for rule in rules.values())).encode())
    await machine.said("udevadm", "control", "--reload")
    await machine.said("udevadm", "trigger", "--settle")
