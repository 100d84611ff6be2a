"""The paths on a Pi."""

from __future__ import annotations

from pathlib import Path

from installer.target import Target
from reboard.config import reading as settings
from reboard.config.reading import DEFAULT_CONFIG

CHECKOUT = Path(__file__).resolve().parents[2]
"""The checkout of this installer."""

VERSIONS = Path("/opt/reboard")
CURRENT = VERSIONS / "current"
LAST_READY = VERSIONS / "last-ready"
"""A file with the name of the version that became ready last."""
COMMAND = Path("/usr/local/bin/reboard")
CONFIG = DEFAULT_CONFIG
STATE = settings.DEFAULT_STATE_DIRECTORY
CONTROL_SOCKET = Path("/run/reboard/table.sock")
UNITS = Path("/etc/systemd/system")
READERS = Path("/etc/udev/rules.d/70-reboard-readers.rules")
WATCHDOG = Path("/etc/systemd/system.conf.d/reboard-watchdog.conf")
"""systemd reads these files in the order of their names; those of Raspberry Pi OS begin with a digit."""
POWER = Path("/etc/polkit-1/rules.d/50-reboard-power.rules")
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
"""The files in the folder ``systemd`` of a version, and where the system looks for each."""

TABLE, PAGE, MOTOR, SAFE = "reboard.service", "reboard-page.service", "reboard-motor.service", "reboard-safe.service"
USERS = ("reboard", "reboard-page")


def state_directory(machine: Target) -> Path:
    """Return the directory of the ledger as the config names it, even if the rest of the config is bad."""
    found = settings.state_directory(machine.path(CONFIG))
    here = machine.path(CONFIG.parent).absolute()
    return CONFIG.parent / found.relative_to(here) if found.is_relative_to(here) else found
