"""The rules of udev by which card readers have permanent names."""

from __future__ import annotations

import re
from pathlib import Path

RULES = Path("/etc/udev/rules.d/70-reboard-readers.rules")
SERIAL, SOCKET = "ID_SERIAL_SHORT", "ID_PATH"
KERNEL = {"input": 'SUBSYSTEM=="input", KERNEL=="event*"', "tty": 'SUBSYSTEM=="tty"'}

PLAIN = re.compile(r"[\w.:,/+@-]+", re.ASCII)
"""The pattern of a value that a rule compares literally: no quotes, spaces or wildcards."""

_WRITTEN = re.compile(
    rf"(?:{'|'.join(map(re.escape, KERNEL.values()))}), "
    rf'ENV\{{(?:{SERIAL}|{SOCKET})\}}=="{PLAIN.pattern}", SYMLINK\+="reboard-(\w+)"',
    re.ASCII,
)


def rule(name: str, kernel: str, by: str, value: str) -> str:
    """Return the rule that names the device *name* whose property *by* is *value*."""
    return f'{kernel}, ENV{{{by}}}=="{value}", SYMLINK+="reboard-{name}"'


def written_rules(text: str) -> dict[str, str]:
    """Return those lines of *text* that are exactly as `rule` makes them, keyed by device name.

    Any other rule could run a program as root.
    """
    return {found[1]: line for line in text.splitlines() if (found := _WRITTEN.fullmatch(line))}
