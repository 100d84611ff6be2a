"""The data of doctor for a check: the config, the running table, the units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reboard.config.reading import DEFAULT_STATE_DIRECTORY
from reboard.doctor.machine import Header, Machine
from reboard.finding import Finding, wrong

if TYPE_CHECKING:
    from reboard.table_config import TableConfig

TABLE = "reboard.service"
PAGE = "reboard-page.service"
SAFE = "reboard-safe.service"
MOTOR = "reboard-motor.service"

SYSTEMD_S = 3.0
"""The longest wait for systemd."""

_PROPERTIES = (
    "Id LoadState ActiveState SubState NRestarts Result ExecMainStatus StatusText User UnitFileState "
    "ReadWritePaths ProtectHome"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """An installed service. The texts are systemd's."""

    active: str
    sub: str
    restarts: int
    result: str
    exit_status: str
    status: str
    user: str
    is_enabled: bool
    writable: tuple[Path, ...]
    """The other directories that it may write to."""
    sees_homes: bool

    @property
    def is_active(self) -> bool:
        """Whether it runs, also while it reloads its config."""
        return self.active in ("active", "reloading")


async def find_units(machine: Machine) -> Mapping[str, Unit] | None:
    """Return the installed services of the table by name; ``None`` without systemd, or if it does not answer."""
    properties = f"--property={_PROPERTIES.replace(' ', ',')}"
    output = await machine.output_of("systemctl", "show", properties, TABLE, PAGE, SAFE, MOTOR, within_s=SYSTEMD_S)
    if output is None:
        return None
    units = {}
    for paragraph in output.split("\n\n"):
        facts = dict(line.split("=", 1) for line in paragraph.splitlines() if "=" in line)
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


BOOT_CONFIGS = ("/boot/firmware/config.txt", "/boot/config.txt")


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """The snapshot of the running table, or why there is none. Without either, no table runs."""

    snapshot: Mapping[str, Any] | None = None
    problem: str = ""
    is_forbidden: bool = False


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """One machine with its table; see `reboard.devices.device.CheckContext`.

    *config* is ``None`` if none can be used; *config_problem* says what is wrong. *units* is ``None`` if there is no
    systemd, or it does not answer. *header* is a sentence if the pins cannot be read.
    """

    host: Machine
    config_file: Path
    config: TableConfig | None
    config_problem: str
    answer: TableAnswer
    units: Mapping[str, Unit] | None
    header: Header | str

    @property
    def is_in_use(self) -> bool:
        """Whether a table or safe mode uses the pins and ports, or may use them."""
        return self.snapshot is not None or bool(self.answer.problem) or self.is_in_safe_mode

    @property
    def how_to_look_closer(self) -> str:
        """The instruction that lets doctor check a device of the running table."""
        stop = "`sudo systemctl stop reboard`" if self.service else "Stop the table"
        return f"{stop}, then `sudo reboard doctor` tries it."

    @property
    def is_in_safe_mode(self) -> bool:
        """Whether the table failed too often, and safe mode runs in its place."""
        return bool(self.units and SAFE in self.units and self.units[SAFE].is_active)

    @property
    def snapshot(self) -> Mapping[str, Any] | None:
        """The snapshot of the running table."""
        return self.answer.snapshot

    @property
    def is_pi(self) -> bool:
        """Whether this is a Raspberry Pi."""
        return self.host.model.startswith("Raspberry Pi") or isinstance(self.header, Header)

    @property
    def player(self) -> str:
        """The user of the table: the service's, or the one at the terminal."""
        return (self.service.user or "root") if self.service else self.host.caller

    @property
    def service(self) -> Unit | None:
        """The service of the table, if it is installed."""
        return self.units.get(TABLE) if self.units else None

    @property
    def faults(self) -> Mapping[str, str]:
        """The faults that the running table reports."""
        return self.snapshot["faults"] if self.snapshot else {}

    @property
    def state(self) -> Path:
        """The directory that outlives a power cut."""
        return self.config.state.directory if self.config else DEFAULT_STATE_DIRECTORY

    @property
    def boot_config(self) -> str:
        """The file with the settings of a Pi's firmware."""
        return next(filter(self.host.has, BOOT_CONFIGS), BOOT_CONFIGS[0])

    def unwritable(self, path: Path) -> Finding | None:
        """Return a finding if the table's user may not write *path*.

        That happens after root has run a table by hand: its files belong to root.
        """
        if self.host.may_write(self.player, path):
            return None
        restart = ", then `sudo systemctl restart reboard`" if self.service else ""
        state, user = self.state, self.player
        return wrong(
            "disk.owner",
            f"{user}, the user of the table, may not write {'into ' if path == state else ''}{path}.",
            # SQLite gives the owner's own rights, which may be missing, to the files beside the ledger
            f"`sudo chown -R {user}: {state}` and `sudo chmod -R u+rwX {state}`{restart}.",
        )
