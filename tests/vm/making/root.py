"""The emulated machine's Debian: small, with systemd, as Raspberry Pi OS Lite is one, and a line to the tests."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.making.cache import kept

RELEASE = "bookworm"
ARCHIVE = "root.tar"
SIZE = "3G"

# Root makes them as everybody else does, who cannot unpack devices again; the machine's kernel makes its own.
MMDEBSTRAP = ("mmdebstrap", "--quiet", "--mode=unshare", f"--architectures={ARCHITECTURE.debian}", "--skip=output/dev")

INSIDE = Path(__file__).resolve().parents[1] / "inside"
AGENT = INSIDE / "agent.py"
AGENT_UNIT = INSIDE / "reboard-test.service"

UNWANTED = "getty@.service serial-getty@.service apt-daily.timer apt-daily-upgrade.timer e2scrub_reap.service"

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


def debian() -> Path:
    """An archive of all its files. Raises ``CalledProcessError``."""
    made_of = (RELEASE, ARCHITECTURE.debian, " ".join(PACKAGES), AGENT, AGENT_UNIT, Path(__file__))
    return kept(f"debian-{ARCHITECTURE.debian}", made_of, _build) / ARCHIVE


def _build(directory: Path) -> None:
    hooks = (
        f"upload {AGENT} /usr/local/lib/reboard-test.py",
        f"upload {AGENT_UNIT} /etc/systemd/system/reboard-test.service",
        'chroot "$1" systemctl --quiet enable reboard-test.service',
        # nobody logs in, nothing is fetched, and a Pi has its name and its boot partition's files
        f'chroot "$1" systemctl --quiet mask {UNWANTED}',
        'chroot "$1" systemctl --quiet set-default multi-user.target',
        'echo raspberrypi > "$1/etc/hostname"',
        'printf "127.0.0.1 localhost raspberrypi\\n::1 localhost\\n" > "$1/etc/hosts"',
        'echo "/dev/vda / ext4 defaults,noatime 0 1" > "$1/etc/fstab"',
        'mkdir -p "$1/boot/firmware"',
        'echo "dtparam=audio=on" > "$1/boot/firmware/config.txt"',
        'echo "console=serial0,115200 console=tty1 root=LABEL=rootfs rootwait" > "$1/boot/firmware/cmdline.txt"',
    )
    command = [*MMDEBSTRAP, "--variant=minbase", f"--include={','.join(PACKAGES)}"]
    command += [f"--customize-hook={hook}" for hook in hooks]
    subprocess.run([*command, RELEASE, str(directory / ARCHIVE)], check=True)


def changed(archive: Path, changes: Sequence[str], into: Path) -> None:
    """Make another archive: of what *archive* has, after *changes*, which are hooks of mmdebstrap's."""
    hooks = [
        f"--setup-hook=tar-in {archive} /",
        '--setup-hook=mkdir "$1/dev"',
        *(f"--customize-hook={change}" for change in changes),
    ]
    nothing_more = ["--variant=custom", "--skip=setup,update,cleanup"]
    subprocess.run([*MMDEBSTRAP, *nothing_more, *hooks, RELEASE, str(into)], check=True)


def image_of(archive: Path, image: Path) -> None:
    """Make one ext4 with all that is in *archive*; fakeroot remembers whose each file is, for whoever is not root."""
    with tempfile.TemporaryDirectory(dir=image.parent) as tree:
        script = 'tar -xf "$1" -C "$2" && mkdir "$2/dev" && /sbin/mke2fs -q -t ext4 -d "$2" "$3" "$4"'
        subprocess.run(["fakeroot", "sh", "-c", script, "sh", archive, tree, image, SIZE], check=True)
