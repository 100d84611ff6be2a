"""A memory card installs reboard at its first start, and its root becomes read-only."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from tests.vm.machine.machine import Machine, disk_over
from tests.vm.machine.table import CONFIG, REBOARD, SHIPPED, Table
from tests.vm.making.installed import CHECKOUT, IMAGE, INITRD, MIRROR, card, collected, package

VENDOR_DATA = CHECKOUT / "systemd" / "card" / "vendor-data"
BOOT_FILES = {
    "meta-data": "instance-id: card\n",
    "user-data": "#cloud-config\nruncmd: [touch /etc/of-the-user]\n",
    "config.txt": "dtparam=audio=on\nauto_initramfs=1\n",
    "cmdline.txt": "console=serial0,115200 console=tty1 root=LABEL=rootfs rootwait\n",
}
OWN_CONFIG = SHIPPED.read_text().replace("\n# seconds = 13.0", "\nseconds = 21")
BOOT = Path("/boot/firmware")
COMMAND_LINE = str(BOOT / "cmdline.txt")
STATUS = str(BOOT / "reboard-status.txt")
SERVICE = "reboard-card.service"
INSTALLED_WITHIN_S = 3600.0
STATUS_WITHIN_S = 600.0
GAMES = "games"

NETWORK = f"""
echo 127.0.0.1 {MIRROR} >>/etc/hosts
systemd-run python3 -m http.server --bind 127.0.0.1 --directory {BOOT / MIRROR} 80
ip route add default dev lo
"""

RADIOS = "mac80211_hwsim.radios=2"
NETWORK_CONFIG = """\
network:
  version: 2
  wifis:
    wlan0:
      dhcp4: true
      access-points:
        "table":
          password: "the wrong one"
      optional: true
"""
"""As Raspberry Pi Imager writes it."""
CORRECT = f"sed -i 's/the wrong one/the right one/' {BOOT}/network-config && sync {BOOT}/network-config"
ACCESS_POINT = f"""
set -e
ip netns add access-point
iw phy phy1 set netns name access-point
in_it() {{ systemd-run --property=NetworkNamespacePath=/run/netns/access-point "$@"; }}
cat >/run/access-point.conf <<END
network={{
    ssid="table"
    mode=2
    frequency=2412
    proto=RSN
    key_mgmt=WPA-PSK
    psk="the right one"
}}
END
ip netns exec access-point ip address add 10.0.0.1/24 dev wlan1
in_it wpa_supplicant -i wlan1 -c /run/access-point.conf
in_it dnsmasq --keep-in-foreground --conf-file=/dev/null --dhcp-range=10.0.0.2,10.0.0.9 --address=/{MIRROR}/10.0.0.1
in_it python3 -m http.server --bind 10.0.0.1 --directory {BOOT / MIRROR} 80
"""
"""A Wi-Fi whose access point is the machine's other radio."""
LED = "/sys/class/leds/ACT"
MAKE_LED = """
import time
with open("/dev/uleds", "wb", buffering=0) as led:
    led.write(b"ACT".ljust(64, b"\\0") + (1).to_bytes(4, "little"))
    time.sleep(1e6)
"""


def _machine(directory: Path, packages: str, own: Mapping[str, bytes]) -> Machine:
    """A machine with an empty disk for the games, and a card that has the files of `make card` and the user's *own*.

    The folder of the collected Debian packages has the name *packages*.
    """
    boot, games = directory / "boot.qcow2", directory / "games.raw"
    subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", "-L", GAMES, games, "64M"], check=True)
    files = directory / "boot"
    files.mkdir()
    for name, text in BOOT_FILES.items():
        (files / name).write_text(text)
    for name, content in own.items():
        (files / name).write_bytes(content)
    shutil.copy(VENDOR_DATA, files)
    shutil.copy(package(), files)
    shutil.copytree(collected(package()), files / packages)
    fat = {"driver": "vvfat", "dir": str(files), "label": "bootfs"}
    subprocess.run(["qemu-img", "convert", "-O", "qcow2", f"json:{json.dumps(fat)}", boot], check=True)
    disks = [f"-drive file={boot},if=virtio,format=qcow2", f"-drive file={games},if=virtio,format=raw"]
    options = [*" ".join(disks).split(), "-initrd", str(card() / INITRD)]
    return Machine(disk_over(card() / IMAGE, directory / "card.qcow2"), directory, *options)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine that has installed the whole card."""
    own = {"reboard.toml": OWN_CONFIG.encode()}
    with closing(_machine(tmp_path_factory.mktemp("card"), "packages", own)) as machine:
        machine.power_on()
        machine.inside.await_hello(INSTALLED_WITHIN_S)  # after its restart
        yield machine


def _check_installed(machine: Machine) -> None:
    table = Table(machine)
    table.await_ready()
    assert table.inside.must("cat", CONFIG) == OWN_CONFIG.rstrip("\n")
    assert table.inside.must("stat", "--format=%U:%G %a", CONFIG) == "root:reboard-control 640"
    for own in ("reboard.toml", "reboard.backup"):
        assert table.inside.run("test", "-e", str(BOOT / own)).status
    assert not table.inside.run("test", "-e", "/etc/of-the-user").status
    assert table.inside.must(REBOARD, "setup", "boot", "--yes") == "There is nothing to change."
    assert "dtoverlay=max98357a" in table.inside.must("cat", str(BOOT / "config.txt"))
    assert "is installed" in table.inside.must("head", "-n", "1", STATUS)
    assert table.inside.run("systemctl", "is-enabled", SERVICE).status


def _await_status(machine: Machine, words: str) -> None:
    machine.inside.sh(f"until grep -qs '{words}' {STATUS}; do sleep 1; done", within_s=STATUS_WITHIN_S)


def test_a_card_installs_reboard_at_its_first_start(machine: Machine) -> None:
    _check_installed(machine)


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


def test_a_card_with_a_backup_waits_for_the_network_and_continues_the_game(machine: Machine, tmp_path: Path) -> None:
    table = Table(machine)
    table.pay()
    transfers, cards = table.transfers(), table.snapshot()["cards"]
    table.inside.must(REBOARD, "backup", "/tmp/table.backup")
    backup = base64.b64decode(table.inside.must("base64", "/tmp/table.backup"))
    machine.pull_the_plug()

    with closing(_machine(tmp_path, MIRROR, {"reboard.backup": backup})) as other:
        other.power_on()
        _await_status(other, "waits for the network")
        other.inside.sh(NETWORK)
        other.inside.await_hello(INSTALLED_WITHIN_S)
        _check_installed(other)
        table = Table(other)
        assert table.transfers() == transfers
        assert table.snapshot()["cards"] == cards


def test_a_card_with_a_wrong_wifi_password_says_so_and_continues_when_it_is_corrected(tmp_path: Path) -> None:
    own = {"reboard.toml": OWN_CONFIG.encode(), "network-config": NETWORK_CONFIG.encode()}
    with closing(_machine(tmp_path, MIRROR, own)) as machine:
        machine.power_on(words=RADIOS)
        machine.inside.must("systemd-run", "python3", "-c", MAKE_LED)
        _await_status(machine, "waits for the network")
        machine.inside.sh(ACCESS_POINT)
        _await_status(machine, "rejects the password")
        assert machine.inside.must("cat", f"{LED}/delay_on") == "1000"
        machine.inside.sh(CORRECT)
        machine.power_on(words=RADIOS)
        machine.inside.sh(ACCESS_POINT)
        machine.inside.await_hello(INSTALLED_WITHIN_S)
        machine.inside.sh(ACCESS_POINT)
        _check_installed(machine)
