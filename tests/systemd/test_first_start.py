"""The first start from a memory card: what its file and the Pi's lamp say, and in which order it works.

``make test-vm`` starts a real card.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

VENDOR_DATA = Path(__file__).parents[2] / "systemd" / "card" / "vendor-data"
ANSWERS = {
    "apt-get": 'case "$*" in *reboard-card*update*|*reboard-card*install*) exit $CARD;; *) exit $NETWORK;; esac',
    "ip": '[ -z "$ROUTE" ] || echo "default via 10.0.2.2"',
    "nmcli": 'case "$*" in *up*) echo "$JOIN" >&2; exit 4;; *UUID*) echo 1-2:802-11-wireless:no;; '
    '*) echo "wlan0  wifi  disconnected";; esac',
    "reboard": 'case "$1" in check) echo "line 3: no such pin"; exit $CHECK;; *) exit 0;; esac',
    "dpkg": "",
    "dpkg-query": 'echo "install ok installed $INSTALLED"',
    "dpkg-deb": "echo 0.2.0",
    "systemctl": "",
}
"""What each command does, besides writing down that it was called."""
WORKS, WAITS, FAILS = "timer 100", "timer 1000", "heartbeat"


class Card:
    """A boot partition in *directory*, and the Pi around it."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.boot, self.lamp = directory, directory / "boot", directory / "leds" / "ACT"
        for folder in (self.boot / "packages", self.lamp, directory / "run", directory / "etc", directory / "bin"):
            folder.mkdir(parents=True)
        (self.lamp / "trigger").touch()
        for name in ("reboard_0.2.0_all.deb", "packages/Packages"):
            (self.boot / name).touch()
        for name, answer in ANSWERS.items():
            program = directory / "bin" / name
            program.write_text(f'#!/bin/sh\necho "{name} $*" >>{directory}/called\n{answer}\n')
            program.chmod(0o755)

    def install(
        self,
        *,
        card: int = 0,
        network: int = 0,
        route: str = "",
        check: int = 0,
        installed: str = "0.1.0",
        join: str = "",
    ) -> bool:
        """Try to install once. Return whether it is done; *card*, *network* and *check* are exit statuses.

        *join* is why NetworkManager cannot join the Wi-Fi.
        """
        script = VENDOR_DATA.read_text(encoding="utf-8")
        for place, ours in {"/boot/firmware": "boot", "/sys/class/leds": "leds", "/run": "run", "/etc": "etc"}.items():
            script = script.replace(place, f"{self.directory}/{ours}")
        answers = {
            "CARD": str(card),
            "NETWORK": str(network),
            "ROUTE": route,
            "CHECK": str(check),
            "INSTALLED": installed,
            "JOIN": join,
        }
        path = f"{self.directory}/bin:{os.environ['PATH']}"
        (self.directory / "called").write_text("")
        command = ["sh", "-c", script, "vendor-data", "install"]
        return not subprocess.run(command, env={"PATH": path, **answers}, check=False).returncode

    @property
    def called(self) -> str:
        return (self.directory / "called").read_text()

    @property
    def status(self) -> str:
        return (self.boot / "reboard-status.txt").read_text()

    @property
    def blinks(self) -> str:
        trigger = (self.lamp / "trigger").read_text().strip()
        return f"{trigger} {(self.lamp / 'delay_on').read_text().strip()}" if trigger == "timer" else trigger


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path)


def test_a_whole_card_is_installed_without_a_network(card: Card) -> None:
    (card.boot / "reboard.toml").write_text("[block]\n")
    (card.boot / "reboard.backup").touch()
    updates = card.directory / "etc/cloud/cloud.cfg.d/99-reboard-card.cfg"
    updates.parent.mkdir(parents=True)
    updates.touch()
    assert card.install(network=100)
    assert not updates.exists()
    config = card.directory / "etc/reboard/table.toml"
    assert config.stat().st_mode & 0o777 == 0o600
    assert not (card.boot / "reboard.toml").exists()
    assert not (card.boot / "reboard.backup").exists()
    called = [line for line in card.called.splitlines() if line.startswith(("reboard", "systemctl"))]
    assert called == [
        f"reboard restore {card.boot}/reboard.backup",
        "reboard check",
        "reboard setup boot --yes",
        "systemctl disable reboard-card",
        "systemctl reboot",
    ]
    assert card.status.startswith("reboard is installed")
    assert card.blinks == WORKS


def test_it_waits_for_the_network_and_continues_when_it_comes(card: Card) -> None:
    assert not card.install(card=100, network=100)
    assert "waits for the network" in card.status
    assert "wlan0  wifi  disconnected" in card.status
    assert card.blinks == WAITS
    file = card.boot / "reboard-status.txt"
    waiting = file.stat().st_mtime_ns
    assert not card.install(card=100, network=100)
    assert file.stat().st_mtime_ns == waiting
    assert not card.install(card=100, network=100, route="yes")
    assert "has a network" in card.status
    assert card.blinks == WAITS
    assert card.install(card=100, route="yes")
    assert "is installed" in card.status


def test_it_says_that_the_wifi_rejects_its_password(card: Card) -> None:
    assert not card.install(card=100, network=100, join="Error: (53) The Wi-Fi network could not be found.")
    assert "rejects" not in card.status
    assert "nmcli --wait 30 connection up 1-2" in card.called
    assert not card.install(card=100, network=100, join="Error: (7) Secrets were required, but not provided.")
    assert "rejects the password" in card.status
    assert card.blinks == WAITS


@pytest.mark.parametrize(("missing", "check", "reason"), [(True, 0, "_all.deb"), (False, 2, "line 3: no such pin")])
def test_it_says_what_to_correct_on_the_card(card: Card, *, missing: bool, check: int, reason: str) -> None:
    (card.boot / "reboard.toml").write_text("[block]\n")
    if missing:
        (card.boot / "reboard_0.2.0_all.deb").unlink()
    assert not card.install(check=check)
    assert reason in card.status
    assert card.blinks == FAILS
    assert "reboot" not in card.called
    assert (card.boot / "reboard.toml").exists()


def test_a_mistake_in_the_config_stays_on_the_card_while_the_network_is_gone(card: Card) -> None:
    (card.boot / "reboard.toml").write_text("[block]\n")
    assert not card.install(check=2)
    file = card.boot / "reboard-status.txt"
    mistake = file.stat().st_mtime_ns
    assert not card.install(check=2, card=100, network=100, installed="0.2.0")
    assert "line 3: no such pin" in card.status
    assert file.stat().st_mtime_ns == mistake
    assert card.blinks == FAILS
    assert card.install(card=100, network=100, installed="0.2.0")
