"""A read-only root with the games on a partition of their own."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from reboard.cli import main
from reboard.errors import ReboardError
from reboard.setup import read_only
from reboard.setup.boot_config import Change
from reboard.setup.read_only import OVERLAY, SCRIPT
from tests.reboard.doctor.made_up import MadeUpMachine, installed
from tests.virtual import in_virtual_time

STATE = Path("/var/lib/reboard")
OLD = Path("/var/lib/reboard.before-read-only")
FSTAB = "PARTUUID=1-02  /  ext4  defaults  0  1\n"
PARTITION = {"path": "/dev/sda1", "mountpoints": [None]}
COMMAND_LINE = "console=tty1 root=PARTUUID=1-02 rootwait\n"


class PowerCutError(Exception):
    """The plug was pulled."""


class PiWithPartition(MadeUpMachine):
    """A Pi whose mounts are links to the folder *partition*.

    Before the command in *cut_before*, it loses its power, or the user presses Ctrl-C.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root / "root")
        self.partition = root / "partition"
        self.facts: dict[str, Any] = dict(PARTITION)
        self.probed: str | None = "UUID=8c1f\nTYPE=ext4"
        self.cut_before = ""
        self.is_power_cut = True
        self.at_the_cut = root.with_name(f"{root.name}.at-the-cut")
        self.fails = ""
        (self.partition / "lost+found").mkdir(parents=True)
        self.write("/boot/firmware/config.txt", "auto_initramfs=1\n")
        self.write("/boot/firmware/cmdline.txt", COMMAND_LINE)
        self.write("/etc/fstab", FSTAB)
        self.write("/etc/machine-id", "1c6")
        self.write("/proc/mounts", "/dev/mmcblk0p2 / ext4 rw 0 0\n/dev/mmcblk0p1 /boot/firmware vfat rw 0 0\n")
        self.write(SCRIPT)
        self.write(f"{STATE}/ledger.db", "all games")
        self.write(f"{STATE}/table.last-good.toml")
        self.units = {"reboard.service": installed(), "reboard-page.service": installed(ActiveState="inactive")}

    async def output_of(self, *command: str, within_s: float | None = None) -> str | None:
        words = list(command)
        if self.cut_before and self.cut_before in " ".join(words):
            cut, self.cut_before = self.cut_before, ""
            if self.is_power_cut:
                shutil.copytree(self.root.parent, self.at_the_cut, symlinks=True)
                raise PowerCutError(cut)
            raise asyncio.CancelledError
        if self.fails and " ".join(words).startswith(self.fails):
            return None
        match words:
            case ["findfs", device]:
                return {"LABEL=reboard": "/dev/sda1"}.get(device, device if device.startswith("/dev/sd") else None)
            case ["lsblk", *_]:
                return json.dumps({"blockdevices": [self.facts]})
            case ["blkid", "--probe", *_]:
                return self.probed
            case ["mount", *_, place]:
                self.path(place).rename(self.path(f"{place}.covered"))
                self.path(place).symlink_to(self.partition)
                self.write("/proc/mounts", f"{self.text('/proc/mounts')}\n/dev/sda1 {place} ext4 rw 0 0\n")
            case ["umount", place]:
                self.switch_off(place)
            case ["cp", "--archive", start, end]:
                shutil.copytree(self.path(start), self.path(end), dirs_exist_ok=True)
            case ["sync", *_] | ["systemctl", "stop" | "start" | "daemon-reload", *_]:
                pass
            case _:
                return await super().output_of(*command, within_s=within_s)
        self.called.append(" ".join(words))
        return ""

    def switch_off(self, place: str = str(read_only.MOUNT_PLACE)) -> None:
        """Undo the mount at *place*."""
        if self.path(place).is_symlink():
            self.path(place).unlink()
            self.path(f"{place}.covered").rename(self.path(place))
        mounts = [line for line in self.text("/proc/mounts").splitlines() if f" {place} " not in line]
        self.write("/proc/mounts", "\n".join(mounts))


@pytest.fixture
def pi(tmp_path: Path) -> PiWithPartition:
    return PiWithPartition(tmp_path)


async def do_all(changes: list[Change]) -> None:
    for change in changes:
        if (doing := change.do()) is not None:
            await doing


async def make_read_only(pi: PiWithPartition, device: str | None = "/dev/sda1") -> None:
    await do_all(await read_only.changes(pi, STATE, device))


@pytest.mark.parametrize("device", ["/dev/sda1", "LABEL=reboard"])
@in_virtual_time
async def test_the_games_move_and_the_root_becomes_read_only(pi: PiWithPartition, device: str) -> None:
    await make_read_only(pi, device)
    assert (pi.partition / "ledger.db").read_text() == "all games"
    assert {path.name for path in pi.partition.iterdir()} == {"lost+found", "ledger.db", "table.last-good.toml"}
    assert pi.text(OLD / "ledger.db") == "all games"
    first, line = pi.text("/etc/fstab").splitlines()
    assert f"{first}\n" == FSTAB
    assert line.split() == ["UUID=8c1f", str(STATE), "ext4", "noatime,nodev,nosuid,noexec,nofail", "0", "2"]
    assert pi.text("/boot/firmware/cmdline.txt").split() == [OVERLAY, *COMMAND_LINE.split()]
    services = [command for command in pi.called if command.startswith(("systemctl st", "cp", "mount"))]
    assert [services[0], services[-1]] == ["systemctl stop reboard.service", "systemctl start reboard.service"]
    assert await read_only.changes(pi, STATE, None) == []
    await do_all(read_only.undo(pi))
    assert pi.text("/boot/firmware/cmdline.txt") == COMMAND_LINE.strip()
    assert read_only.undo(pi) == []


@pytest.mark.parametrize(
    ("facts", "device"),
    [
        ({}, None),
        ({}, "/dev/nothing"),
        ({}, "LABEL=nothing"),
        ({"mountpoints": ["/media/stick"]}, "/dev/sda1"),
        ({"children": [PARTITION]}, "/dev/sda"),
    ],
)
@in_virtual_time
async def test_an_unsafe_partition_is_rejected(
    pi: PiWithPartition, facts: dict[str, object], device: str | None
) -> None:
    pi.facts |= facts
    with pytest.raises(ReboardError, match="--state"):
        await make_read_only(pi, device)
    assert not any("mount" in command for command in pi.called)


@pytest.mark.parametrize(
    ("config", "is_loaded"),
    [
        ("[all]\nauto_initramfs=1\n", True),
        ("initramfs initrd.img-6.12 followkernel\n", True),
        ("#auto_initramfs=1\n", False),
        ("auto_initramfs=1\nauto_initramfs=0\n", False),
    ],
)
@in_virtual_time
async def test_an_initramfs_must_be_loaded(pi: PiWithPartition, config: str, is_loaded: bool) -> None:
    pi.write("/boot/firmware/config.txt", config)
    if is_loaded:
        assert await read_only.changes(pi, STATE, "/dev/sda1")
    else:
        with pytest.raises(ReboardError, match="auto_initramfs=1"):
            await read_only.changes(pi, STATE, "/dev/sda1")


@in_virtual_time
async def test_the_package_must_be_installed(pi: PiWithPartition) -> None:
    pi.remove(SCRIPT)
    with pytest.raises(ReboardError, match="apt install overlayroot"):
        await make_read_only(pi)
    assert pi.called == []


def test_only_root_may_look_at_the_partition(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert main(["setup", "read-only", "--state", "/dev/sda1", "--yes"]) == 1
    assert "with sudo" in capsys.readouterr().err


@pytest.mark.parametrize("probed", [None, "UUID=8c1f\nTYPE=vfat", "PTTYPE=dos"])
@in_virtual_time
async def test_a_partition_needs_ext4(pi: PiWithPartition, probed: str | None) -> None:
    pi.probed = probed
    with pytest.raises(ReboardError, match="ext4") as caught:
        await make_read_only(pi)
    # what cannot be read may be more than an empty partition
    assert ("mkfs" in str(caught.value)) == (probed is not None)


@in_virtual_time
async def test_a_partition_with_other_files_is_left_alone(pi: PiWithPartition) -> None:
    (pi.partition / "thesis.odt").write_text("precious")
    with pytest.raises(ReboardError, match=r"thesis\.odt"):
        await make_read_only(pi)
    assert {path.name for path in pi.partition.iterdir()} == {"lost+found", "thesis.odt"}
    assert pi.text("/etc/fstab") == FSTAB.strip()
    assert pi.text(STATE / "ledger.db") == "all games"
    assert pi.text("/boot/firmware/cmdline.txt") == COMMAND_LINE.strip()
    assert pi.called[-1] == "systemctl start reboard.service"


@pytest.mark.parametrize("has_own_games", [True, False])
@in_virtual_time
async def test_games_from_another_card_are_kept(pi: PiWithPartition, has_own_games: bool) -> None:
    for name in ("ledger.db", "table.last-good.toml"):
        (pi.partition / name).write_text("older games")
    if has_own_games:
        with pytest.raises(ReboardError, match="not empty"):
            await make_read_only(pi)
        assert pi.text(STATE / "ledger.db") == "all games"
    else:
        shutil.rmtree(pi.path(STATE))
        await make_read_only(pi)
        assert pi.text(STATE / "ledger.db") == "older games"
    assert (pi.partition / "ledger.db").read_text() == "older games"


@pytest.mark.parametrize(
    "cut_before", ["mount -o", "cp", "sync", "umount", "daemon-reload", f"mount {STATE}", "systemctl start"]
)
@in_virtual_time
async def test_no_game_is_lost_in_a_power_cut(pi: PiWithPartition, cut_before: str) -> None:
    pi.cut_before = cut_before
    with pytest.raises(PowerCutError):
        await make_read_only(pi)
    shutil.rmtree(pi.root.parent)
    shutil.copytree(pi.at_the_cut, pi.root.parent, symlinks=True)
    pi.switch_off()
    if str(STATE) in pi.text("/etc/fstab") and not pi.path(STATE).is_symlink():
        await pi.output_of("mount", str(STATE))  # as the next start does
    assert pi.text(STATE / "ledger.db") == "all games"
    if pi.path(STATE).is_symlink():
        await make_read_only(pi, None)
        assert OVERLAY in pi.text("/boot/firmware/cmdline.txt")


@pytest.mark.parametrize(
    "command", ["mount -o", "cp", "sync", "umount", "systemctl daemon-reload", f"mount {STATE}", "systemctl stop"]
)
@in_virtual_time
async def test_ctrl_c_takes_the_move_back(pi: PiWithPartition, command: str) -> None:
    pi.cut_before, pi.is_power_cut = command, False
    with pytest.raises(asyncio.CancelledError):
        await make_read_only(pi)
    assert pi.text("/etc/fstab") == FSTAB.strip()
    assert pi.text(STATE / "ledger.db") == "all games"
    assert not pi.has(OLD)
    assert pi.called[-1] == "systemctl start reboard.service"


@in_virtual_time
async def test_the_table_does_not_start_without_its_games(pi: PiWithPartition, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, _data: bytes) -> None:
        raise OSError(f"{path} cannot be written")

    output_of = pi.output_of

    async def with_a_broken_card(*command: str, within_s: float | None = None) -> str | None:
        if command == ("mount", str(STATE)):
            monkeypatch.setattr(read_only, "write_safely", fail)
        return await output_of(*command, within_s=within_s)

    monkeypatch.setattr(pi, "output_of", with_a_broken_card)
    pi.fails = f"mount {STATE}"
    with pytest.raises(ReboardError, match="not mounted"):
        await make_read_only(pi)
    assert not any(command.startswith("systemctl start") for command in pi.called)


@pytest.mark.parametrize("command", ["umount", f"mount {STATE}"])
@in_virtual_time
async def test_a_mount_that_fails_is_taken_back(pi: PiWithPartition, command: str) -> None:
    pi.fails = command
    with pytest.raises(ReboardError, match="failed"):
        await make_read_only(pi)
    assert pi.text("/etc/fstab") == FSTAB.strip()
    assert pi.text(STATE / "ledger.db") == "all games"
    assert not pi.has(OLD)


@in_virtual_time
async def test_a_read_only_root_must_be_turned_off_before_it_changes(pi: PiWithPartition) -> None:
    await make_read_only(pi)
    pi.write("/proc/mounts", "overlayroot / overlay rw 0 0\n/dev/mmcblk0p1 /boot/firmware vfat rw 0 0\n")
    with pytest.raises(ReboardError, match="--undo"):
        await make_read_only(pi)
    assert len(read_only.undo(pi)) == 1
    pi.write("/proc/mounts", "overlayroot / overlay rw 0 0\n")
    with pytest.raises(ReboardError, match="boot partition"):
        read_only.undo(pi)
