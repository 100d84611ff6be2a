"""Where everything lies on a Pi."""

from __future__ import annotations

import tomllib
from pathlib import Path

from installer.machine import Machine

CHECKOUT = Path(__file__).resolve().parents[2]
"""The tree that this installer came with."""

VERSIONS = Path("/opt/reboard")
CURRENT = VERSIONS / "current"
COMMAND = Path("/usr/local/bin/reboard")
CONFIG = Path("/etc/reboard/table.toml")
STATE = Path("/var/lib/reboard")
UNITS = Path("/etc/systemd/system")
READERS = Path("/etc/udev/rules.d/70-reboard-readers.rules")
LEDGER_NAME = "ledger.db"

SYSTEM_FILES = {
    "reboard-users.conf": Path("/etc/sysusers.d/reboard.conf"),
    "reboard-files.conf": Path("/etc/tmpfiles.d/reboard.conf"),
    "60-reboard.rules": Path("/etc/udev/rules.d/60-reboard.rules"),
    "reboard.service": UNITS / "reboard.service",
    "reboard-page.service": UNITS / "reboard-page.service",
    "reboard-motor.service": UNITS / "reboard-motor.service",
    "reboard-safe.service": UNITS / "reboard-safe.service",
}
"""What a version has in its folder ``systemd``, and where the system looks for it."""

TABLE, PAGE, MOTOR, SAFE = "reboard.service", "reboard-page.service", "reboard-motor.service", "reboard-safe.service"
USERS = ("reboard", "reboard-page")


def state_directory(machine: Machine) -> Path:
    """Where the table of *machine* keeps its ledger: where its config says, if that can be read."""
    try:
        document = tomllib.loads(machine.path(CONFIG).read_text(encoding="utf-8"))
        return CONFIG.parent / str(document["state"]["directory"])
    except (OSError, ValueError, KeyError, TypeError):
        return STATE
