"""The first start from a memory card: the real cloud-init and apt, with and without a network."""

from __future__ import annotations

import shutil
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.deb.clean_debian import PACKAGES, CleanDebian, root_with
from tests.deb.test_package import CHECKOUT, CONFIG, GUIDES, newest_package
from tests.vm.making.installed import collected

CARD = CHECKOUT / "systemd" / "card"
GUIDE = (GUIDES / "question-block.toml").read_text(encoding="utf-8")
SEED = Path("var/lib/cloud/seed/nocloud")
FILES = {
    "etc/cloud/cloud.cfg.d/99_test.cfg": "datasource_list: [NoCloud, None]\nnetwork: {config: disabled}\n",
    "etc/apt/sources.list": "deb [trusted=yes] http://127.0.0.1 ./\n",
    f"{SEED}/meta-data": "instance-id: card\n",
    f"{SEED}/user-data": "#cloud-config\nruncmd: [touch /etc/of-the-user]\n",
    "boot/firmware/config.txt": "dtparam=audio=on\n",
    "boot/firmware/cmdline.txt": "console=serial0,115200 console=tty1 root=LABEL=rootfs rootwait\n",
    "boot/firmware/reboard.toml": GUIDE,
}
STATUS_S = 240.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The files of a card before its first start."""
    root = root_with(tmp_path, "card-debian", [*PACKAGES, "cloud-init", "python3", "procps", "iproute2"])
    shutil.rmtree(root / "var/lib/apt/lists")
    (root / SEED).mkdir(parents=True)
    (root / "boot/firmware").mkdir(parents=True)
    for name, text in FILES.items():
        (root / name).write_text(text)
    shutil.copy(newest_package(), root / "boot/firmware")
    for place in (SEED, Path("boot/firmware")):
        shutil.copy(CARD / "vendor-data", root / place)
    return root


def await_status(root: Path, words: str) -> None:
    """Wait until the file on the boot partition has *words*."""
    file, ends = root / "boot/firmware/reboard-status.txt", time.monotonic() + STATUS_S
    while not file.is_file() or words not in file.read_text():
        assert time.monotonic() < ends, file.read_text() if file.is_file() else "there is no status"
        time.sleep(0.5)


def check_installed(debian: CleanDebian) -> None:
    """Wait for the restart after the installation, and check the table."""
    debian.await_end()
    debian.start()
    await_status(debian.root, "is installed")
    assert debian.must("systemctl", "is-active", "reboard").strip() == "active"
    assert debian.must("cat", CONFIG) == GUIDE
    assert debian.must("stat", "--format=%a %U %G", CONFIG).split() == ["640", "root", "reboard-control"]
    assert not (debian.root / "boot/firmware/reboard.toml").exists()
    assert "dtoverlay=max98357a" in (debian.root / "boot/firmware/config.txt").read_text()
    assert debian.run("systemctl", "is-enabled", "reboard-card").returncode
    assert (debian.root / "etc/of-the-user").exists()


def test_a_card_with_its_packages_needs_no_network(root: Path) -> None:
    shutil.copytree(collected(newest_package()), root / "boot/firmware/packages")
    with closing(CleanDebian(root)) as debian:
        check_installed(debian)


def test_a_card_without_its_packages_waits_for_the_network(root: Path) -> None:
    shutil.copytree(collected(newest_package()), root / "srv/packages")
    with closing(CleanDebian(root)) as debian:
        await_status(root, "waits for the network")
        assert (root / CONFIG[1:]).stat().st_mode & 0o777 == 0o600
        (root / "boot/firmware/reboard-status.txt").unlink()
        debian.stop()
        debian.start()
        await_status(root, "waits for the network")
        debian.must("ip", "route", "add", "default", "dev", "lo")
        await_status(root, "has a network, but")
        server = ("python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", "/srv/packages", "80")
        debian.must("systemd-run", *server)
        check_installed(debian)
