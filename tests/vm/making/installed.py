"""Images of the machine's disk: one with the Debian package installed, and a memory card before its first start."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.making.cache import kept
from tests.vm.making.kernel import CONFIG, kernel
from tests.vm.making.root import INSIDE, changed, debian, image_of

CHECKOUT = Path(__file__).resolve().parents[3]
PACKED = (
    "firmware",
    "sim",
    "systemd",
    "examples",
    "hardware/guides/*.toml",
    "debian",
    "Makefile",
    "pyproject.toml",
    "setup.py",
    "constraints.txt",
)
"""`make deb` uses these of the checkout."""

IMAGE = "root.ext4"
READERS = INSIDE / "70-reboard-readers.rules"
PACKAGES = "/srv/packages"
"""The machine has no network. apt installs from this folder in it."""

CARD = (
    # in every Raspberry Pi OS Lite
    *("cloud-init", "initramfs-tools", "busybox", "zstd", "e2fsprogs"),
    *("network-manager", "netplan.io", "wpasupplicant", "iw"),
    # which `reboard setup read-only` needs
    "overlayroot",
    # the access point's
    "dnsmasq-base",
)
INSTALL = "apt-get install --quiet --yes --no-install-recommends"
"""Without what others recommend, a package that debian/control forgets is missed."""
PIP = ("python3-pip", "python3-setuptools")
"""`docs/your-own-accessory.md` installs an accessory with the first, which would download the second."""
INITRD = "initrd.img"
COLLECT = CHECKOUT / "systemd" / "card" / "collect.sh"
MIRROR = "mirror.invalid"
CLOUD = (
    r"datasource_list: [NoCloud, None]\ndatasource: {NoCloud: {fs_label: bootfs}}\n"
    r"ssh_deletekeys: false\nssh_genkeytypes: []\n"
)
NETPLAN = r"network: {version: 2, renderer: NetworkManager}\n"


def package() -> Path:
    """The Debian package of this checkout. Raises ``CalledProcessError``."""
    ls_files = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *PACKED]
    listed = subprocess.run(ls_files, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    files = [line for line in sorted(listed.splitlines()) if (CHECKOUT / line).is_file()]

    def make(directory: Path) -> None:
        subprocess.run(["make", "--silent", "deb"], cwd=CHECKOUT, check=True)
        built = CHECKOUT.glob("build/reboard_*_all.deb")  # older ones stay there
        shutil.copy(max(built, key=lambda deb: deb.stat().st_mtime), directory)

    made_of: list[str | Path] = [Path(__file__), *files, *(CHECKOUT / file for file in files)]
    [deb] = kept("package", made_of, make).glob("*.deb")
    return deb


def installed() -> Path:
    """The image on which the package is installed. Raises ``CalledProcessError``."""
    deb = package()
    changes = (
        f'chroot "$1" {INSTALL} {PACKAGES}/{deb.name} {" ".join(PIP)}',
        # the wiring of the machine
        'chroot "$1" cp /usr/lib/reboard/reboard/setup/table.toml /etc/reboard/table.toml',
    )
    return _image("reboard", deb, changes) / IMAGE


def card() -> Path:
    """The folder of a memory card's image, with the packages of Raspberry Pi OS Lite, and its initramfs."""
    release = kernel().with_name(CONFIG).read_text().partition("Linux/")[2].split()[1]
    changes = (
        f'chroot "$1" {INSTALL} {" ".join(CARD)}',
        # as Raspberry Pi OS, which takes the name of its boot partition for the disk of cloud-init
        f"""printf '{CLOUD}' >"$1/etc/cloud/cloud.cfg.d/99_test.cfg\"""",
        f"""printf '{NETPLAN}' >"$1/etc/netplan/00-network-manager-all.yaml\"""",
        'echo "/dev/vdb1 /boot/firmware vfat defaults 0 0" >>"$1/etc/fstab"',
        f'mkdir -p "$1/lib/modules/{release}"',
        f'cp {kernel().with_name(CONFIG)} "$1/boot/config-{release}"',
        f'chroot "$1" mkinitramfs -o /boot/{INITRD} {release}',
        # a new card has no list of packages
        f'echo "deb [trusted=yes] http://{MIRROR} ./" >"$1/etc/apt/sources.list"',
        f'rm -r "$1{PACKAGES}" && rm -rf "$1/var/lib/apt/lists" && mkdir -p "$1/var/lib/apt/lists/partial"',
    )
    return _image("card", package(), changes, f"/boot/{INITRD}")


def _image(name: str, deb: Path, changes: Iterable[str], *taken: str) -> Path:
    archive, folder = debian(), _packages(deb)

    def make(directory: Path) -> None:
        use_the_folder = (
            f'mkdir -p "$1{PACKAGES}"',
            f"sync-in {folder} {PACKAGES}",
            f"copy-in {deb} {PACKAGES}",
            f'echo "deb [trusted=yes] file:{PACKAGES} ./" >"$1/etc/apt/sources.list"',
            'chroot "$1" apt-get update --quiet',
        )
        last = (
            f"upload {READERS} /etc/udev/rules.d/{READERS.name}",
            *(f"copy-out {file} {directory}" for file in taken),
        )
        with_changes = directory / "root.tar"
        changed(archive, (*use_the_folder, *changes, *last), with_changes)
        image_of(with_changes, directory / IMAGE)
        with_changes.unlink()

    made_of: list[str | Path] = [str(archive), str(folder), str(deb), *changes, READERS, Path(__file__)]
    return kept(f"{name}-{ARCHITECTURE.debian}", made_of, make)


def _packages(deb: Path) -> Path:
    """A folder of all Debian packages that the machine's Debian lacks, for apt."""
    others = " ".join((*PIP, *CARD))
    archive = debian()

    def fetch(directory: Path) -> None:
        hooks = (
            f"copy-in {deb} /root",
            "copy-in /etc/resolv.conf /etc",
            'chroot "$1" apt-get update --quiet',
            f'chroot "$1" {INSTALL} --download-only /root/{deb.name} {others}',
            f"sync-out /var/cache/apt/archives {directory}",
        )
        changed(archive, hooks, Path("/dev/null"))
        for other in directory.iterdir():
            if other.suffix != ".deb":
                shutil.rmtree(other) if other.is_dir() else other.unlink()
        with (directory / "Packages").open("w") as index:
            subprocess.run(["dpkg-scanpackages", "--multiversion", "."], cwd=directory, stdout=index, check=True)

    made_of = (str(archive), _depends(deb), others, Path(__file__))
    return kept(f"packages-{ARCHITECTURE.debian}", made_of, fetch)


def collected(deb: Path) -> Path:
    """The folder of packages that `make card` collects for *deb*, for the machine's processor."""

    def collect(directory: Path) -> None:
        subprocess.run(["sh", COLLECT, deb, ARCHITECTURE.debian, directory], check=True)

    return kept(f"collected-{ARCHITECTURE.debian}", (_depends(deb), COLLECT, ARCHITECTURE.debian), collect)


def _depends(deb: Path) -> str:
    field = ["dpkg-deb", "--field", str(deb), "Depends"]
    return subprocess.run(field, capture_output=True, text=True, check=True).stdout
