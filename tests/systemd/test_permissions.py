"""File permissions, tested as each user, and as root without its capabilities."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.systemd.test_units import SYSTEMD, settings

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, ("setpriv", "systemd-sysusers", "systemd-tmpfiles"))),
    reason="only root can act as other users, and the tools of systemd create users and directories",
)


class House:
    """A root with our users, directories and files in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "etc/reboard").mkdir(parents=True)
        self.config = root / "etc/reboard/table.toml"
        self.config.write_text("[page]\n")
        for tool, file in (("systemd-sysusers", "reboard-users.conf"), ("systemd-tmpfiles", "reboard-files.conf")):
            create = ["--create"] if tool == "systemd-tmpfiles" else []
            copied = shutil.copy(SYSTEMD / file, root / "etc" / file)
            subprocess.run([tool, f"--root={root}", *create, copied], check=True, capture_output=True, timeout=60)
        self.groups = dict(line.split(":")[::2] for line in (root / "etc/group").read_text().split())
        table = settings("reboard.service")
        self.state = root / "var/lib/reboard"
        self.state.mkdir(parents=True)
        self.state.chmod(int(table["StateDirectoryMode"][0], 8))
        os.chown(self.state, int(self._user("reboard")), int(self.groups["reboard"]))
        umask = table["UMask"][0]
        self.ledger, self.last_good = self.state / "ledger.db", self.state / "table.last-good.toml"
        self.socket = root / "run/reboard/table.sock"
        for made in (self.ledger, self.last_good, self.socket):
            assert self.may("reboard", "sh", "-c", f"umask {umask}; echo kept > {made}")
        assert self.may("reboard", "chmod", "0660", self.socket), "as the table does with the socket"

    def _user(self, name: str) -> str:
        lines = (self.root / "etc/passwd").read_text().splitlines()
        return next(line.split(":")[2] for line in lines if line.startswith(f"{name}:"))

    def may(self, user: str, *command: str | Path) -> bool:
        """Whether *user*, in no other groups than theirs, can do *command*."""
        lines = [line.split(":") for line in (self.root / "etc/group").read_text().split()]
        more = [number for _, _, number, members in lines if user in members.split(",")]
        who = ["--reuid", self._user(user), "--regid", self.groups[user], "--groups", ",".join(more)]
        return subprocess.run(["setpriv", *who, *command], check=False, capture_output=True, timeout=60).returncode == 0


@pytest.fixture
def house() -> Iterator[House]:
    with tempfile.TemporaryDirectory() as folder:  # other users may not enter pytest's folder
        root = Path(folder)
        root.chmod(0o755)
        yield House(root)


def test_the_table_may_use_its_own_files(house: House) -> None:
    for file in (house.ledger, house.last_good, house.socket):
        assert house.may("reboard", "test", "-r", file, "-a", "-w", file)
    assert house.may("reboard", "test", "-r", house.config)
    assert not house.may("reboard", "test", "-w", house.config)


def test_the_page_may_use_the_socket_and_the_config_only(house: House) -> None:
    assert house.may("reboard-page", "test", "-w", house.socket)
    assert house.may("reboard-page", "test", "-r", house.config)
    for file in (house.ledger, house.last_good):
        assert not house.may("reboard-page", "test", "-e", file)
    for folder in (house.socket.parent, house.config.parent, house.state):
        assert not house.may("reboard-page", "test", "-w", folder)


def test_other_users_have_no_access(house: House) -> None:
    for file in (house.config, house.ledger, house.last_good, house.socket):
        nobody = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
        assert subprocess.run([*nobody, "test", "-r", file], check=False, timeout=60).returncode != 0


def test_the_motor_unit_may_read_the_last_good_config(house: House) -> None:
    powers = settings("reboard-motor.service")["CapabilityBoundingSet"][0].lower().split()
    bounds = ",".join(["-all", *(f"+{power.removeprefix('cap_')}" for power in powers)])
    read = subprocess.run(
        ["setpriv", f"--bounding-set={bounds}", "cat", house.last_good],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (read.stdout, read.stderr) == ("kept\n", "")
