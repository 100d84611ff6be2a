"""Where everything lies on a Pi."""

from __future__ import annotations

from pathlib import Path

from installer.target import Target
from reboard.settings import state_directory as settings
from reboard.settings.usual_config import USUAL_CONFIG

CHECKOUT = Path(__file__).resolve().parents[2]
"""The tree that this installer came with."""

VERSIONS = Path("/opt/reboard")
CURRENT = VERSIONS / "current"
LAST_READY = VERSIONS / "last-ready"
"""The name of the version that became ready last."""
COMMAND = Path("/usr/local/bin/reboard")
CONFIG = USUAL_CONFIG
STATE = settings.USUAL_STATE_DIRECTORY
DOOR = Path("/run/reboard/table.sock")
UNITS = Path("/etc/systemd/system")
READERS = Path("/etc/udev/rules.d/70-reboard-readers.rules")
WATCHDOG = Path("/etc/systemd/system.conf.d/reboard-watchdog.conf")
"""systemd reads these files in the order of their names, wherever they are: Raspberry Pi OS's begin with a number."""
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


def state_directory(machine: Target) -> Path:
    """Where the table of *machine* keeps its ledger: where its config says, however bad the rest of that is."""
    found = settings.state_directory(machine.path(CONFIG))
    here = machine.path(CONFIG.parent).absolute()
    return CONFIG.parent / found.relative_to(here) if found.is_relative_to(here) else found
