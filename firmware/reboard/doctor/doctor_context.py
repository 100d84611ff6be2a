"""The facts that doctor's checks use: the config, the state of the running table and the systemd units.

``disk.owner``: the ledger or its directory belongs to another user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reboard.board import Program
from reboard.config.pins_and_ports import BOOT_CONFIG
from reboard.config.reading import DEFAULT_STATE_DIRECTORY
from reboard.doctor.machine import Header, Machine
from reboard.finding import Finding, wrong
from reboard.service.interrupted_restore import interrupted_restore

if TYPE_CHECKING:
    from reboard.table_config import TableConfig

TABLE = "reboard.service"
PAGE = "reboard-page.service"
MQTT = "reboard-mqtt.service"
SAFE = "reboard-safe.service"
MOTOR = "reboard-motor.service"

REINSTALL = "`sudo apt install --reinstall ./reboard_*.deb` in the folder of reboard's package"
"""The command that installs the package again, which keeps the config and the ledger."""

SYSTEMD_S = 3.0
"""The longest wait for an answer from ``systemctl``, in seconds."""

_PROPERTIES = (
    "Id LoadState ActiveState SubState NRestarts Result ExecMainStatus StatusText User UnitFileState "
    "ReadWritePaths ProtectHome"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """The state of an installed service, as ``systemctl show`` reports it."""

    active: str
    sub: str
    restarts: int
    result: str
    exit_status: str
    status: str
    user: str
    is_enabled: bool
    writable: tuple[Path, ...]
    """The paths in the unit's ``ReadWritePaths=``."""
    sees_homes: bool

    @property
    def is_active(self) -> bool:
        """Whether the service is running or reloading its config."""
        return self.active in ("active", "reloading")


async def find_units(machine: Machine) -> Mapping[str, Unit] | None:
    """Return the installed services, keyed by unit name, or ``None`` if systemd is missing or does not answer."""
    properties = f"--property={_PROPERTIES.replace(' ', ',')}"
    output = await machine.output_of(
        "systemctl", "show", properties, TABLE, PAGE, MQTT, SAFE, MOTOR, within_s=SYSTEMD_S
    )
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


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """The snapshot of the running table, or the *problem* that prevented it. If no table is running, there is neither.

    *readers* is the table's answer to the request ``readers``, and *process* the ID of the table's process.
    *is_forbidden* is true if the user has no permission to open the control socket.
    """

    snapshot: Mapping[str, Any] | None = None
    readers: Mapping[str, Any] = field(default_factory=dict)
    process: int = 0
    problem: str = ""
    is_forbidden: bool = False


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """The facts about a machine and its table. The class implements `reboard.devices.examination.CheckContext`.

    *config* is the current or the last good config, or ``None`` if neither is valid. *config_problem* is the error in
    the current config, or ``""``. *units* is ``None`` if systemd is missing or does not answer. *header* is an error
    message if the header cannot be read.
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
        return self.snapshot is not None or bool(self.answer.problem) or self.is_in_safe_mode

    @property
    def how_to_look_closer(self) -> str:
        stop = "Run `sudo systemctl stop reboard`" if self.service else "Stop the table"
        return f"{stop}, then run `sudo reboard doctor` to try the device, and start the table again."

    @property
    def is_in_safe_mode(self) -> bool:
        """Whether safe mode is running because the table cannot play."""
        return bool(self.units and SAFE in self.units and self.units[SAFE].is_active)

    @property
    def is_half_restored(self) -> bool:
        """Whether a restore was interrupted, so that the table does not start."""
        return interrupted_restore(self.config_file).exists()

    @property
    def snapshot(self) -> Mapping[str, Any] | None:
        return self.answer.snapshot

    @property
    def readers(self) -> Mapping[str, Any]:
        return self.answer.readers

    def other_holders(self, file: str) -> list[Program]:
        return [program for program in self.host.holders(file) if program.process != self.answer.process]

    @property
    def is_pi(self) -> bool:
        return self.host.model.startswith("Raspberry Pi") or isinstance(self.header, Header)

    @property
    def player(self) -> str:
        """The user who runs the table: the service's user or, if there is no service, the user at the terminal."""
        return (self.service.user or "root") if self.service else self.host.caller

    @property
    def service(self) -> Unit | None:
        """The table's service, or ``None`` if it is not installed or systemd does not answer."""
        return self.units.get(TABLE) if self.units else None

    @property
    def faults(self) -> Mapping[str, str]:
        """The cause of each fault of the running table, keyed by ``part``. Empty if no table answered."""
        return self.snapshot["faults"] if self.snapshot else {}

    @property
    def state(self) -> Path:
        """The state directory, which stores the ledger. Without a config, this is the default directory."""
        return self.config.state.directory if self.config else DEFAULT_STATE_DIRECTORY

    @property
    def boot_config(self) -> str:
        return BOOT_CONFIG

    def unwritable(self, path: Path) -> Finding | None:
        """Return a finding if the table's user has no permission to write to *path*, and ``None`` otherwise.

        The usual cause is a table that root started by hand. The files of such a table belong to root.
        """
        if self.host.may_write(self.player, path):
            return None
        restart = ", then `sudo systemctl restart reboard`" if self.service else ""
        state, user = self.state, self.player
        return wrong(
            "disk.owner",
            f"{user}, the user of the table, has no permission to write to {path}.",
            # SQLite gives the owner's own rights, which may be missing, to the files beside the ledger
            f"Run `sudo chown -R {user}: {state}` and `sudo chmod -R u+rwX {state}`{restart}.",
        )
