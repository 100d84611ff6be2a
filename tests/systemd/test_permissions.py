"""File permissions, tested as each user, and as root without its capabilities."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.systemd.test_units import MOTOR, SYSTEMD, TABLE, output, settings

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, ("setpriv", "systemd-sysusers", "systemd-tmpfiles"))),
    reason="only root can act as other users, and the tools of systemd create users and directories",
)


class House:
    """A root with our users, directories and files in it."""

    def __init__(self, root: Path) -> None:
        root.chmod(0o755)
        self.config, self.state = root / "etc/reboard/table.toml", root / "var/lib/reboard"
        self.config.parent.mkdir(parents=True)
        self.config.write_text("[page]\n")
        output("systemd-sysusers", f"--root={root}", shutil.copy(SYSTEMD / "reboard-users.conf", root))
        output("systemd-tmpfiles", f"--root={root}", "--create", shutil.copy(SYSTEMD / "reboard-files.conf", root))
        self._users, self._groups = (
            [line.split(":") for line in (root / "etc" / name).read_text().splitlines()] for name in ("passwd", "group")
        )
        self.state.mkdir(parents=True)
        self.state.chmod(int(settings(TABLE)["StateDirectoryMode"][0], 8))
        shutil.chown(self.state, *self._ids("reboard"))
        self.ledger, self.last_good = self.state / "ledger.db", self.state / "table.last-good.toml"
        self.socket = root / "run/reboard/table.sock"
        for made in (self.ledger, self.last_good, self.socket):
            assert self.may("reboard", "sh", "-c", f"umask {settings(TABLE)['UMask'][0]}; echo kept > {made}")
        assert self.may("reboard", "chmod", "0660", self.socket), "as the table does with the socket"

    def _ids(self, name: str) -> tuple[int, int]:
        user, group = (next(int(row[2]) for row in rows if row[0] == name) for rows in (self._users, self._groups))
        return user, group

    def may(self, user: str, *command: str | Path) -> bool:
        """Whether *user*, in no other groups than theirs, can do *command*."""
        uid, gid = self._ids(user) if user != "nobody" else (65534, 65534)
        more = ",".join(number for _, _, number, members in self._groups if user in members.split(","))
        groups = f"--groups={more}" if more else "--clear-groups"
        who = ["setpriv", f"--reuid={uid}", f"--regid={gid}", groups]
        return subprocess.run([*who, *command], check=False, capture_output=True, timeout=60).returncode == 0


@pytest.fixture
def house() -> Iterator[House]:
    with tempfile.TemporaryDirectory() as folder:  # other users may not enter pytest's folder
        yield House(Path(folder))


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
    assert house.may("nobody", "test", "-d", house.state.parent)
    for file in (house.config, house.ledger, house.last_good, house.socket):
        assert not house.may("nobody", "test", "-r", file)


def test_the_motor_unit_may_read_the_last_good_config(house: House) -> None:
    powers = settings(MOTOR)["CapabilityBoundingSet"][0].lower().split()
    bounds = ",".join(["-all", *(f"+{power.removeprefix('cap_')}" for power in powers)])
    assert output("setpriv", f"--bounding-set={bounds}", "cat", house.last_good) == "kept\n"
