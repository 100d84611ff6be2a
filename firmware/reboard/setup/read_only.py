"""A read-only root file system, by the OS's package overlayroot, with the games on a partition of their own.

The overlay keeps all changes in memory. The kernel's command line turns it on, because that is on the boot partition,
which the overlay does not cover: so it can be turned off again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from reboard.atomic_write import sync, write_safely
from reboard.config.reading import DEFAULT_STATE_DIRECTORY, LAST_GOOD_NAME
from reboard.control.client import has_table
from reboard.control.protocol import socket_path
from reboard.doctor.disk import is_root_read_only, root_must_keep
from reboard.doctor.machine import Machine
from reboard.errors import ReboardError
from reboard.setup.boot_config import INITRAMFS, BootConfig, Change, boot_config_of
from reboard.setup.services import running_services, table_stopped

OVERLAY = "overlayroot=tmpfs:recurse=0"
"""The word on the kernel's command line. Without ``recurse=0`` the overlay would cover the games, too."""

PACKAGE = "overlayroot"
SCRIPT = "/usr/share/initramfs-tools/scripts/init-bottom/overlayroot"
"""A file of `PACKAGE`."""

FSTAB = "/etc/fstab"
FILE_SYSTEM = "ext4"
OPTIONS = "noatime,nodev,nosuid,noexec"
MAY_BE_MISSING = "nofail"
"""The option with which the Pi starts without the partition, too. The table's unit needs `DEFAULT_STATE_DIRECTORY` and
does not start then. In another directory it would start, and its games would be lost."""

MOUNT_PLACE = Path("/run/reboard-new-state")
LOST_AND_FOUND = "lost+found"


def undo(machine: Machine) -> list[Change]:
    """Return the changes that turn the overlay off. The games stay on their partition.

    Raises `ReboardError` if the boot partition is not mounted.
    """
    boot = boot_config_of(machine)
    if is_root_read_only(machine) and boot.file.parent not in map(machine.path, _mounts(machine)):
        raise ReboardError(f"the boot partition is not mounted at {boot.file.parent}: mount it, and try again")
    words = [word for word in boot.words() if not word.startswith(PACKAGE)]
    if words == boot.words():
        return []
    return [Change(f"Remove {PACKAGE} from {boot.command_line}", "", partial(boot.write_words, words))]


async def changes(machine: Machine, state: Path, device: str | None) -> list[Change]:
    """Return the changes that make the root read-only and keep the directory *state* on the partition *device*.

    *device* is a path such as ``/dev/sda1``, or ``LABEL=…`` or ``UUID=…``. It may be ``None`` if *state* is on a
    partition of its own already. Raises `ReboardError` if that cannot be done safely.
    """
    root_must_keep("a change", machine)
    if re.search(r"\s", str(state)):
        raise ReboardError(f"{state}, the directory in [state], has a space in its name. Choose another name")
    boot = boot_config_of(machine)
    boot.must_last()
    if not boot.words():
        raise ReboardError(f"{boot.command_line} is missing or empty, which has the kernel's command line")
    if not machine.has(SCRIPT):
        raise ReboardError(
            f"the package {PACKAGE} is not installed. Run `sudo apt install {PACKAGE}`, then this command again"
        )
    if not boot.loads_initramfs():
        raise ReboardError(
            f"{boot.file} loads no initramfs, which makes the root read-only. Add the line {INITRAMFS} below the "
            "line [all], and try again"
        )
    found = []
    if not _is_mounted_at_each_start(machine, state):
        partition = await _partition(machine, device)
        what = f"Move {state} to {partition.path}, and mount it there at each start ({FSTAB})"
        why = f"The games are kept there. The old directory stays as {_old(state)}. The table stops meanwhile."
        found.append(Change(what, why, partial(_move, machine, state, partition)))
    elif device and _real(machine, device) != _real(machine, _mounts(machine)[str(state)]):
        raise ReboardError(f"{state} is already on {_mounts(machine)[str(state)]}. Leave out --state")
    if OVERLAY not in boot.words():
        why = f"Then changes anywhere else than in {state} are lost when the Pi is switched off."
        found.append(Change(f"Add {OVERLAY} to {boot.command_line}", why, partial(_turn_on, boot)))
    return found


@dataclass(frozen=True, slots=True)
class _Partition:
    path: str
    uuid: str


def _mounts(machine: Machine) -> dict[str, str]:
    """Return the device of each mount, keyed by the mount point."""
    lines = (line.split() for line in machine.text("/proc/mounts").splitlines())
    return {place: device for device, place, *_ in lines}


def _is_mounted_at_each_start(machine: Machine, state: Path) -> bool:
    lines = (line.split() for line in machine.text(FSTAB).splitlines())
    is_in_fstab = any(line[1] == str(state) for line in lines if len(line) > 1 and not line[0].startswith("#"))
    is_mounted = str(state) in _mounts(machine)
    if is_in_fstab and not is_mounted:
        raise ReboardError(f"{state} is in {FSTAB}, but is not mounted. Run `sudo mount {state}`, and try again")
    if is_mounted and not is_in_fstab:
        raise ReboardError(f"{state} is a mount that is not in {FSTAB}. Add it there, or unmount it, and try again")
    return is_mounted


async def _partition(machine: Machine, device: str | None) -> _Partition:
    """Return the partition *device*. Raises `ReboardError` if it does not exist, is in use or has no file system."""
    look = "`lsblk --fs` lists all partitions"
    if device is None:
        raise ReboardError(f"name an empty partition for the games, such as --state /dev/sda1 ({look})")
    path = await machine.output_of("findfs", device)
    output = await machine.output_of("lsblk", "--json", "--output", "PATH,MOUNTPOINTS", path or device)
    if not path or not output:
        raise ReboardError(f"--state {device}: there is no such partition. {look[0].upper()}{look[1:]}")
    facts: dict[str, Any] = json.loads(output)["blockdevices"][0]
    # from the partition itself: udev, which lsblk asks, may not know it yet
    probed = await machine.output_of("blkid", "--probe", "--output", "export", facts["path"])
    found = dict(line.split("=", 1) for line in (probed or "").splitlines() if "=" in line)
    if facts.get("children"):
        raise ReboardError(f"--state {device}: this is a disk with partitions. Name one of them ({look})")
    if places := [place for place in facts["mountpoints"] if place]:
        raise ReboardError(f"--state {device}: this partition is in use at {places[0]}. Name another one ({look})")
    if probed is None:  # new or damaged
        raise ReboardError(f"--state {device}: no file system can be read there; it must have {FILE_SYSTEM} ({look})")
    if found.get("TYPE") != FILE_SYSTEM or "UUID" not in found:
        raise ReboardError(
            f"--state {device}: this partition must have the file system {FILE_SYSTEM}, but has "
            f"{found.get('TYPE', 'none')}. If nothing on it is needed, run `sudo mkfs.{FILE_SYSTEM} -L reboard "
            f"{facts['path']}`, which erases it"
        )
    return _Partition(facts["path"], found["UUID"])


def _real(machine: Machine, device: str) -> str:
    kind, _, value = device.partition("=")
    return machine.real(f"/dev/disk/by-{kind.lower()}/{value}" if value else device)


def _turn_on(boot: BootConfig) -> None:
    boot.write_words([OVERLAY, *(word for word in boot.words() if not word.startswith(PACKAGE))])


async def _move(machine: Machine, state: Path, partition: _Partition) -> None:
    """Move *state* to *partition*. After a power cut at any moment, *state* is complete."""
    if machine.has(_old(state)):
        raise ReboardError(f"{_old(state)} already exists. Move or remove it, and try again")
    running = await running_services(machine)
    async with table_stopped(machine, running, before_start=partial(_is_mounted_at_each_start, machine, state)):
        if await has_table(machine.path(socket_path(state))):
            raise ReboardError("a table is running, and it is not the service. Stop it, and try again")
        fstab = machine.path(FSTAB)
        before = fstab.read_bytes()
        options = f"{OPTIONS},{MAY_BE_MISSING}" if state == DEFAULT_STATE_DIRECTORY else OPTIONS
        line = f"UUID={partition.uuid}  {state}  {FILE_SYSTEM}  {options}  0  2\n"
        here, old = machine.path(state), machine.path(_old(state))
        try:
            await _copy(machine, state, partition)
            # if the power fails after this, the next start mounts the copy above the directory
            write_safely(fstab, before.rstrip(b"\n") + b"\n" + line.encode())
            if here.exists():
                here.rename(old)
            here.mkdir(parents=True)
            sync(here.parent)
            await machine.run("systemctl", "daemon-reload")
            await machine.run("mount", state)
        except BaseException:  # Ctrl-C, too
            if str(state) not in _mounts(machine):
                if old.exists():
                    if here.exists():
                        here.rmdir()
                    old.rename(here)
                write_safely(fstab, before)
                # otherwise systemd would mount the partition when it starts the table
                await machine.output_of("systemctl", "daemon-reload")
            raise


def _old(state: Path) -> Path:
    return state.with_name(f"{state.name}.before-read-only")


async def _copy(machine: Machine, state: Path, partition: _Partition) -> None:
    """Copy *state* to the empty *partition*, or keep the games there if *state* has none."""
    here, there = machine.path(state), machine.path(MOUNT_PLACE)
    there.mkdir(parents=True, exist_ok=True)
    try:
        await machine.run("mount", "-o", "nodev,nosuid,noexec", partition.path, MOUNT_PLACE)
        names = {entry.name for entry in there.iterdir()} - {LOST_AND_FOUND}
        if names and (LAST_GOOD_NAME not in names or (here.exists() and any(here.iterdir()))):
            raise ReboardError(
                f"{partition.path} is not empty: it has {', '.join(sorted(names)[:3])}. Name an empty partition, or "
                f"erase this one with `sudo mkfs.{FILE_SYSTEM} -L reboard {partition.path}`. If it has games to play "
                f"on with, first stop the table and rename {state}"
            )
        if here.exists() and not names:
            await machine.run("cp", "--archive", f"{state}/.", MOUNT_PLACE)
        await machine.run("sync", "--file-system", MOUNT_PLACE)
    finally:
        if str(MOUNT_PLACE) in _mounts(machine):
            await machine.run("umount", MOUNT_PLACE)
        there.rmdir()
