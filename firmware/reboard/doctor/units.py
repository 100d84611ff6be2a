"""What systemd says of the table's services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reboard.machine import Machine

TABLE = "reboard.service"
PAGE = "reboard-page.service"
SAFE = "reboard-safe.service"
MOTOR = "reboard-motor.service"

_ASKED = (
    "Id LoadState ActiveState SubState NRestarts Result ExecMainStatus StatusText User UnitFileState "
    "ReadWritePaths ProtectHome"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A service that is installed; the words are systemd's own."""

    active: str
    sub: str
    restarts: int
    result: str
    exit_status: str
    status: str
    user: str
    is_enabled: bool
    writable: tuple[Path, ...]
    """Where it may write beside its own directories."""
    sees_homes: bool

    @property
    def is_active(self) -> bool:
        """Whether it runs, or is just changing its settings."""
        return self.active in ("active", "reloading")


async def look_up_units(machine: Machine) -> Mapping[str, Unit] | None:
    """Those of the table's services that are installed, by name; ``None`` where there is no systemd."""
    said = await machine.said("systemctl", "show", f"--property={_ASKED.replace(' ', ',')}", TABLE, PAGE, SAFE, MOTOR)
    if said is None:
        return None
    units = {}
    for block in said.split("\n\n"):
        facts = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if facts.get("LoadState") == "loaded":
            units[facts["Id"]] = _unit(facts)
    return units


def _unit(facts: Mapping[str, str]) -> Unit:
    restarts = facts.get("NRestarts", "")
    return Unit(
        active=facts.get("ActiveState", ""),
        sub=facts.get("SubState", ""),
        restarts=int(restarts) if restarts.isdecimal() else 0,
        result=facts.get("Result", ""),
        exit_status=facts.get("ExecMainStatus", ""),
        status=facts.get("StatusText", ""),
        user=facts.get("User", ""),
        is_enabled=facts.get("UnitFileState") == "enabled",
        writable=tuple(Path(path.lstrip("-+")) for path in facts.get("ReadWritePaths", "").split()),
        sees_homes=facts.get("ProtectHome", "no") == "no",
    )
