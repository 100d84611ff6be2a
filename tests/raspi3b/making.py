"""What QEMU's Raspberry Pi 3 starts from: QEMU itself, Debian's unmodified arm64 kernel, and a memory card.

Debian's own programs would configure the card's packages under emulation for an hour. So they are installed for this
computer's kind of processor first, and then each file of a package is replaced by that of its arm64 package. Ours is
the same for both.
"""

from __future__ import annotations

import lzma
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from tests.vm.machine.machine import disk_over
from tests.vm.making.cache import kept
from tests.vm.making.installed import INSTALL, package
from tests.vm.making.kernel import PI_3
from tests.vm.making.root import RELEASE, changed, debian

KERNEL, DEVICE_TREE, INITRD, ROOT = "vmlinuz", "pi-3.dtb", "initrd.img", "root.ext4"
ARM = "arm64.tar"

AGENT_PORT = "ttyAMA0"
READER_PORT = "ttyUSB0"

FILES = {
    # QEMU's watchdog resets the machine as soon as it is armed
    "etc/modprobe.d/no-watchdog.conf": "blacklist bcm2835_wdt",
    # here, the port of the tests' agent is a serial line
    "etc/udev/rules.d/70-agent.rules": f'KERNEL=="{AGENT_PORT}", SYMLINK+="virtio-ports/reboard.test"',
    "etc/systemd/system/reboard-test.service.d/raw.conf": (
        f"[Service]\\nStandardOutput=file:/dev/{AGENT_PORT}\\n"
        # its first message is on a line of its own, after those of the kernel
        f"ExecStartPre=dmesg --console-off\\nExecStartPre=stty -F /dev/{AGENT_PORT} raw -echo\\nExecStartPre=echo"
    ),
    "etc/fstab": "/dev/mmcblk0 / ext4 defaults,noatime 0 1",
}

INIT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
for module in /modules/*; do /bin/busybox insmod $module; done
until [ -b /dev/mmcblk0 ]; do /bin/busybox sleep 0.1; done
/bin/busybox mount -t ext4 /dev/mmcblk0 /root
/bin/busybox mount --move /dev /root/dev
exec /bin/busybox switch_root /root /sbin/init
"""
CARD_DRIVERS = ("bcm2835", "crc32c_generic", "ext4")
"""The modules for a memory card: its controller, and its file system with the checksums."""

AS_ARM = """
set -e
tar -xf native.tar -C root
rm -r root/usr/lib/*-linux-gnu root/usr/lib64 root/etc/ld.so.cache
tar -xf "$1" -C root --exclude=./etc --exclude=./var --exclude=./dev
/sbin/depmod --basedir root "$(ls root/usr/lib/modules)"
mkdir root/dev
/sbin/mke2fs -q -t ext4 -d root root.ext4 4G
"""
"""QEMU's memory cards have a power of two of bytes."""


def qemu() -> Sequence[str]:
    """The command of trixie's QEMU, which is new enough to have a Pi's I²C. Raises ``CalledProcessError``."""

    def make(directory: Path) -> None:
        _extract(["qemu-system-arm"], directory / "qemu.tar")
        subprocess.run(["tar", "-xf", "qemu.tar", "./usr"], cwd=directory, check=True)
        (directory / "qemu.tar").unlink()

    usr = kept("qemu", (RELEASE,), make) / "usr"
    [loader] = usr.glob("lib/*-linux-gnu/ld-linux-*.so.*")
    program = (str(loader), "--library-path", str(loader.parent), str(usr / "bin/qemu-system-aarch64"))
    return (*program, "-L", str(usr / "share/qemu"))


def card(disk: Path) -> Path:
    """Make *disk* a memory card with Debian and our package; return the folder of what QEMU starts it with."""
    deb, archive = package(), debian()

    def make(directory: Path) -> None:
        changed(archive, _changes(deb), directory / "native.tar")
        arm = _arm_programs(directory / "native.tar")
        root = directory / "root"
        root.mkdir()
        subprocess.run(["fakeroot", "sh", "-c", AS_ARM, "sh", arm], cwd=directory, check=True)
        (directory / "native.tar").unlink()
        _boot_files(root, directory)
        shutil.rmtree(root)

    made = kept("raspi3b", (str(archive), deb, RELEASE, Path(__file__)), make)
    disk_over(made / ROOT, disk)
    return made


def _arm_programs(native: Path) -> Path:
    """An archive of the files of the same packages as in *native*, for arm64, and of the kernel's."""
    status = ["tar", "--extract", "--to-stdout", "--file", str(native), "./var/lib/dpkg/status"]
    installed = subprocess.run(status, capture_output=True, text=True, check=True).stdout
    packages = {*re.findall(r"(?m)^Package: (.*)$", installed), "linux-image-arm64", "busybox-static"} - {"reboard"}

    def make(directory: Path) -> None:
        _extract(packages, directory / ARM, "--architectures=arm64")

    return kept("arm64-programs", (RELEASE, *sorted(packages)), make) / ARM


def _extract(packages: Iterable[str], into: Path, *options: str) -> None:
    """Put the files of *packages*, and of all that they need, into an archive. None of their scripts is run."""
    common = ("--quiet", "--mode=unshare", "--variant=extract", "--skip=output/dev", *options)
    subprocess.run(["mmdebstrap", *common, f"--include={','.join(packages)}", RELEASE, into], check=True)


def _changes(deb: Path) -> Sequence[str]:
    files = [f'mkdir -p "$1/{Path(name).parent}" && printf \'{text}\\n\' >"$1/{name}"' for name, text in FILES.items()]
    wiring = f"s|/dev/reboard-left|/dev/{READER_PORT}|; /^right = /d"
    return (
        "copy-in /etc/resolv.conf /etc",
        f"copy-in {deb} /root",
        'chroot "$1" apt-get update --quiet',
        f'chroot "$1" {INSTALL} /root/{deb.name}',
        f'sed "{wiring}" "$1/usr/lib/reboard/reboard/setup/table.toml" >"$1/etc/reboard/table.toml"',
        'rm -rf "$1/var/lib/apt/lists" "$1/root/"*.deb',
        *files,
    )


def _boot_files(root: Path, into: Path) -> None:
    [kernel] = root.glob("boot/vmlinuz-*")
    shutil.copy(kernel, into / KERNEL)
    [tree] = root.glob("usr/lib/linux-image-*/broadcom/bcm2837-rpi-3-b.dtb")
    tree = Path(shutil.copy(tree, into / DEVICE_TREE))
    # its driver would take the first serial line
    subprocess.run(["fdtput", "--remove", tree, "/soc/serial@7e201000/bluetooth"], check=True)
    for kind, node, name, value in PI_3:  # what a Pi's boot loader adds
        subprocess.run(["fdtput", "--auto-path", "--type", kind, tree, node, name, value], check=True)
    _initrd(root, into / INITRD)


def _initrd(root: Path, into: Path) -> None:
    """Write an initial file system that mounts the card: Debian's own is made by programs that would be emulated."""
    tree = into.with_suffix(".d")
    for folder in ("bin", "dev", "modules", "root"):
        (tree / folder).mkdir(parents=True)
    shutil.copy(root / "usr/bin/busybox", tree / "bin")
    (tree / "init").write_text(INIT)
    (tree / "init").chmod(0o755)
    for place, module in enumerate(_in_order(root)):
        (tree / "modules" / f"{place:02}-{module.stem}").write_bytes(lzma.decompress(module.read_bytes()))
    script = 'find . | cpio --quiet --create --format=newc --owner=0:0 >"$1"'
    subprocess.run(["sh", "-c", script, "sh", into], cwd=tree, check=True)
    shutil.rmtree(tree)


def _in_order(root: Path) -> Sequence[Path]:
    """The modules of `CARD_DRIVERS`, each after those that it needs."""
    [modules] = root.glob("usr/lib/modules/*")
    needs = {}
    for line in (modules / "modules.dep").read_text().splitlines():
        file, _, needed = line.partition(":")
        needs[Path(file).name.partition(".")[0]] = [*reversed(needed.split()), file]
    return [modules / file for file in dict.fromkeys(chain.from_iterable(needs[name] for name in CARD_DRIVERS))]
