"""A memory card installs reboard at its first start, and its root becomes read-only."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.vm.machine.machine import Machine, disk_over
from tests.vm.machine.table import CONFIG, REBOARD, SHIPPED, Table
from tests.vm.making.installed import CHECKOUT, IMAGE, INITRD, card, collected, package

VENDOR_DATA = CHECKOUT / "systemd" / "card" / "vendor-data"
BOOT_FILES = {
    "meta-data": "instance-id: card\n",
    "user-data": "#cloud-config\nruncmd: [touch /etc/of-the-user]\n",
    "config.txt": "dtparam=audio=on\nauto_initramfs=1\n",
    "cmdline.txt": "console=serial0,115200 console=tty1 root=LABEL=rootfs rootwait\n",
    "reboard.toml": SHIPPED.read_text().replace("\n# seconds = 13.0", "\nseconds = 21"),
}
BOOT = Path("/boot/firmware")
COMMAND_LINE = str(BOOT / "cmdline.txt")
STATUS = str(BOOT / "reboard-status.txt")
SERVICE = "reboard-card.service"
INSTALLED_WITHIN_S = 3600.0
GAMES = "games"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine without a network, with all files of `make card` and an empty disk for the games."""
    directory = tmp_path_factory.mktemp("card")
    boot, games = directory / "boot.qcow2", directory / "games.raw"
    subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", "-L", GAMES, games, "64M"], check=True)
    _make_boot_partition(directory / "boot", boot)
    disks = [f"-drive file={boot},if=virtio,format=qcow2", f"-drive file={games},if=virtio,format=raw"]
    options = [*" ".join(disks).split(), "-initrd", str(card() / INITRD)]
    with closing(Machine(disk_over(card() / IMAGE, directory / "card.qcow2"), directory, *options)) as machine:
        machine.power_on()
        machine.inside.await_hello(INSTALLED_WITHIN_S)  # after its restart
        yield machine


def _make_boot_partition(files: Path, disk: Path) -> None:
    files.mkdir()
    for name, text in BOOT_FILES.items():
        (files / name).write_text(text)
    shutil.copy(VENDOR_DATA, files)
    shutil.copy(package(), files)
    shutil.copytree(collected(package()), files / "packages")
    fat = {"driver": "vvfat", "dir": str(files), "label": "bootfs"}
    subprocess.run(["qemu-img", "convert", "-O", "qcow2", f"json:{json.dumps(fat)}", disk], check=True)


def test_a_card_installs_reboard_at_its_first_start(machine: Machine) -> None:
    table = Table(machine)
    table.await_ready()
    assert table.inside.must("cat", CONFIG) == BOOT_FILES["reboard.toml"].rstrip("\n")
    assert table.inside.must("stat", "--format=%U:%G %a", CONFIG) == "root:reboard-control 640"
    assert table.inside.run("test", "-e", str(BOOT / "reboard.toml")).status
    assert not table.inside.run("test", "-e", "/etc/of-the-user").status
    assert table.inside.must(REBOARD, "setup", "boot", "--yes") == "There is nothing to change."
    assert "dtoverlay=max98357a" in table.inside.must("cat", str(BOOT / "config.txt"))
    assert "is installed" in table.inside.must("head", "-n", "1", STATUS)
    assert table.inside.run("systemctl", "is-enabled", SERVICE).status


def test_with_a_read_only_root_a_power_cut_keeps_the_games_and_nothing_else(machine: Machine) -> None:
    table = Table(machine)
    first = table.pay()
    table.inside.must("touch", "/etc/cloud/cloud-init.disabled")  # it has done its work, and takes half a minute
    table.inside.must(REBOARD, "setup", "read-only", "--state", f"LABEL={GAMES}", "--yes")
    words = table.inside.must("cat", COMMAND_LINE).split()
    machine.power_on(words=next(word for word in words if word.startswith("overlayroot=")))
    table = Table(machine)
    table.await_ready()
    assert table.inside.must("findmnt", "--noheadings", "--output=FSTYPE", "/") == "overlay"
    table.inside.must("touch", "/etc/reboard/changed")
    second = table.pay()
    machine.power_on()
    table = Table(machine)
    table.await_ready()
    assert [row["id"] for row in table.transfers()][-2:] == [first["id"], second["id"]]
    assert table.inside.run("test", "-e", "/etc/reboard/changed").status
