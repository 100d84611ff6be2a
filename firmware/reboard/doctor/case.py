"""What a doctor has before them: the machine, what is wired to it, and what the table says of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reboard.build import SlotName
from reboard.config import LineSlotConfig, SlotConfig, StateConfig, TableConfig
from reboard.doctor.units import SAFE, TABLE, Unit, look_up_units
from reboard.door.client import DoorClient
from reboard.door.words import door_path
from reboard.errors import ConfigError, ForbiddenDoorError, NoTableError, PartError, ReboardError
from reboard.last_good import usable_config
from reboard.machine import Header, Machine

ASKING_S = 3.0
"""How long the table, and systemd, have to answer."""

BOOT_CONFIGS = ("/boot/firmware/config.txt", "/boot/config.txt")


@dataclass(frozen=True, slots=True)
class Door:
    """What was said at the table's door: its snapshot, or why not. Neither: no table is at work."""

    table: Mapping[str, Any] | None = None
    problem: str = ""
    is_forbidden: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One machine with its table. *config* is ``None`` when none can be used; *config_problem* says what is wrong.

    *units* is ``None`` where systemd is not, or does not answer. *header* is a sentence when the pins cannot be
    looked at.
    """

    machine: Machine
    config_file: Path
    config: TableConfig | None
    config_problem: str
    door: Door
    units: Mapping[str, Unit] | None
    header: Header | str

    @property
    def is_at_work(self) -> bool:
        """Whether a table has the pins and ports, or may have them, or safe mode has in its place."""
        return self.table is not None or bool(self.door.problem) or self.is_in_safe_mode

    @property
    def how_to_look_closer(self) -> str:
        """What to do so that a part can be looked at which the table has."""
        stop = "`sudo systemctl stop reboard`" if self.service else "Stop the table"
        return f"{stop}, then `sudo reboard doctor` looks closer."

    @property
    def is_in_safe_mode(self) -> bool:
        """Whether the table has given up, and lamp and sound call for help."""
        return bool(self.units and SAFE in self.units and self.units[SAFE].is_active)

    @property
    def table(self) -> Mapping[str, Any] | None:
        """What the table says of itself."""
        return self.door.table

    @property
    def is_pi(self) -> bool:
        """Whether this is a Raspberry Pi."""
        return self.machine.model.startswith("Raspberry Pi") or isinstance(self.header, Header)

    @property
    def player(self) -> str:
        """The user who plays: the service's, or else who sits at the terminal."""
        return (self.service.user or "root") if self.service else self.machine.caller

    @property
    def service(self) -> Unit | None:
        """The table's service, where it is installed."""
        return self.units.get(TABLE) if self.units else None

    @property
    def faults(self) -> Mapping[str, str]:
        """What the table says is at fault, by part."""
        return self.table["faults"] if self.table else {}

    @property
    def state(self) -> Path:
        """Where the table keeps its state."""
        return (self.config.state if self.config else StateConfig()).directory

    @property
    def boot_config(self) -> str:
        """The file in which a Pi's firmware reads its settings."""
        return next(filter(self.machine.has, BOOT_CONFIGS), BOOT_CONFIGS[0])

    @property
    def line_slots(self) -> dict[SlotName, LineSlotConfig]:
        """The slots whose reader takes no pin."""
        bank = self.config.bank if self.config else None
        slots: dict[SlotName, SlotConfig | None] = {"left": bank.left, "right": bank.right} if bank else {}
        return {name: slot for name, slot in slots.items() if isinstance(slot, LineSlotConfig)}


async def take_case(machine: Machine, config_file: Path) -> Case:
    """Ask what everything else depends on."""
    config, config_problem = _config(config_file)
    state = (config.state if config else StateConfig()).directory
    door, units = await asyncio.gather(_knock(machine.path(door_path(state))), _units(machine))
    try:
        header: Header | str = machine.header()
    except PartError as problem:
        header = str(problem)
    return Case(machine, config_file, config, config_problem, door, units, header)


def _config(file: Path) -> tuple[TableConfig | None, str]:
    try:
        chosen = usable_config(file)
    except ConfigError as problem:
        return None, str(problem)
    return chosen.config, chosen.problem or ""


async def _units(machine: Machine) -> Mapping[str, Unit] | None:
    try:
        return await asyncio.wait_for(look_up_units(machine), ASKING_S)
    except TimeoutError:
        return None


async def _knock(at: Path) -> Door:
    try:
        async with await DoorClient.connect(at, timeout_s=ASKING_S) as table:
            return Door(table=await table.request("snapshot"))
    except NoTableError:
        return Door()
    except ReboardError as problem:
        return Door(problem=str(problem), is_forbidden=isinstance(problem, ForbiddenDoorError))
