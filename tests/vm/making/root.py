"""The emulated machine's Debian: small, with systemd, like Raspberry Pi OS Lite, and an agent for the tests."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.making.cache import kept

RELEASE = "trixie"
ARCHIVE = "root.tar"
SIZE = "3G"

INSIDE = Path(__file__).resolve().parents[1] / "inside"
AGENT = INSIDE / "agent.py"
AGENT_UNIT = INSIDE / "reboard-test.service"

UNWANTED = "getty@.service serial-getty@.service apt-daily.timer apt-daily-upgrade.timer e2scrub_reap.service"

PACKAGES = (
    # in every Raspberry Pi OS Lite
    *("systemd", "systemd-sysv", "dbus", "udev", "kmod", "procps", "iproute2", "sudo", "polkitd", "python3"),
    # for the tests
    *("alsa-utils", "gpiod", "i2c-tools"),
)


def debian() -> Path:
    """An archive of all its files. Raises ``CalledProcessError``."""
    made_of = (RELEASE, ARCHITECTURE.debian, " ".join(PACKAGES), AGENT, AGENT_UNIT, Path(__file__))
    return kept(f"debian-{ARCHITECTURE.debian}", made_of, _build) / ARCHIVE


def _build(directory: Path) -> None:
    hooks = (
        f"upload {AGENT} /usr/local/lib/reboard-test.py",
        f"upload {AGENT_UNIT} /etc/systemd/system/reboard-test.service",
        'chroot "$1" systemctl --quiet enable reboard-test.service',
        # there is no login and no download, and a Pi has its name and the files of its boot partition
        f'chroot "$1" systemctl --quiet mask {UNWANTED}',
        'chroot "$1" systemctl --quiet set-default multi-user.target',
        'echo raspberrypi > "$1/etc/hostname"',
        'printf "127.0.0.1 localhost raspberrypi\\n::1 localhost\\n" > "$1/etc/hosts"',
        'echo "/dev/vda / ext4 defaults,noatime 0 1" > "$1/etc/fstab"',
        'mkdir -p "$1/boot/firmware"',
        'echo "dtparam=audio=on" > "$1/boot/firmware/config.txt"',
        'echo "console=serial0,115200 console=tty1 root=LABEL=rootfs rootwait" > "$1/boot/firmware/cmdline.txt"',
    )
    _mmdebstrap(["--variant=minbase", f"--include={','.join(PACKAGES)}"], hooks, directory / ARCHIVE)


def changed(archive: Path, changes: Iterable[str], into: Path) -> None:
    """Make another archive: the content of *archive* after *changes*, which are hooks of mmdebstrap."""
    unpack = [f"--setup-hook=tar-in {archive} /", '--setup-hook=mkdir "$1/dev"']
    _mmdebstrap(["--variant=custom", "--skip=setup,update,cleanup", *unpack], changes, into)


def _mmdebstrap(options: Iterable[str], hooks: Iterable[str], into: Path) -> None:
    # Root makes it as other users do, who cannot unpack devices; the machine's kernel makes its own.
    common = ("--quiet", "--mode=unshare", f"--architectures={ARCHITECTURE.debian}", "--skip=output/dev")
    customize = [f"--customize-hook={hook}" for hook in hooks]
    subprocess.run(["mmdebstrap", *common, *options, *customize, RELEASE, str(into)], check=True)


def image_of(archive: Path, image: Path) -> None:
    """Make an ext4 image of *archive*. With fakeroot each file keeps its owner."""
    with tempfile.TemporaryDirectory(dir=image.parent) as tree:
        script = 'tar -xf "$1" -C "$2" && mkdir "$2/dev" && /sbin/mke2fs -q -t ext4 -d "$2" "$3" "$4"'
        subprocess.run(["fakeroot", "sh", "-c", script, "sh", archive, tree, image, SIZE], check=True)
