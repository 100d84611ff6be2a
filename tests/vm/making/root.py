"""The emulated machine's disk: a small Debian with systemd, as Raspberry Pi OS Lite is one, and a line to the tests."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tests.vm.making.cache import kept

RELEASE = "bookworm"
IMAGE = "root.ext4"
SIZE = "3G"

INSIDE = Path(__file__).resolve().parents[1] / "inside"
AGENT = INSIDE / "agent.py"
AGENT_UNIT = INSIDE / "reboard-test.service"

UNWANTED = "getty@.service serial-getty@.service apt-daily.timer apt-daily-upgrade.timer"

# What every Raspberry Pi OS Lite has and our installer may count upon, and below what the tests work with.
PACKAGES = (
    "systemd",
    "systemd-sysv",
    "dbus",
    "udev",
    "kmod",
    "procps",
    "iproute2",
    "sudo",
    "make",
    "python3",
    "python3-venv",
    "python3-alsaaudio",
    "python3-systemd",
    "alsa-utils",
    "gpiod",
    "i2c-tools",
    "strace",
)


def root() -> Path:
    """The image of a disk with a Debian on it, in one ext4 without partitions. Raises ``CalledProcessError``."""
    made_of = (RELEASE, SIZE, " ".join(PACKAGES), AGENT, AGENT_UNIT, Path(__file__))
    return kept("root", made_of, _build) / IMAGE


def _build(directory: Path) -> None:
    archive = directory / "root.tar"
    hooks = (
        f"upload {AGENT} /usr/local/lib/reboard-test.py",
        f"upload {AGENT_UNIT} /etc/systemd/system/reboard-test.service",
        'chroot "$1" systemctl --quiet enable reboard-test.service',
        # nobody logs in, nothing is fetched, and a Pi has its name
        f'chroot "$1" systemctl --quiet mask {UNWANTED}',
        'chroot "$1" systemctl --quiet set-default multi-user.target',
        'echo raspberrypi > "$1/etc/hostname"',
        'printf "127.0.0.1 localhost raspberrypi\\n::1 localhost\\n" > "$1/etc/hosts"',
        'echo "/dev/vda / ext4 defaults,noatime 0 1" > "$1/etc/fstab"',
        'mkdir -p "$1/boot/firmware"',
        'echo "dtparam=audio=on" > "$1/boot/firmware/config.txt"',
        'echo "console=serial0,115200 console=tty1 root=LABEL=rootfs rootwait" > "$1/boot/firmware/cmdline.txt"',
    )
    command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}"]
    command += [f"--customize-hook={hook}" for hook in hooks]
    subprocess.run([*command, RELEASE, str(archive)], check=True)
    _into_an_image(archive, directory / IMAGE)
    archive.unlink()


def _into_an_image(archive: Path, image: Path) -> None:
    """An ext4 with all that is in *archive*; fakeroot remembers whose each file is, for whoever is not root."""
    with tempfile.TemporaryDirectory(dir=image.parent) as tree:
        script = 'tar -xf "$1" -C "$2" && mke2fs -q -t ext4 -d "$2" "$3" "$4"'
        subprocess.run(["fakeroot", "sh", "-c", script, "sh", archive, tree, image, SIZE], check=True)


if __name__ == "__main__":
    print(root())
