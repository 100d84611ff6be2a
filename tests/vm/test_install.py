"""Upgrades of the package in mid-game, one to a version that does not play, its purge, and a restored backup."""

from __future__ import annotations

import re

from reboard.config.reading import DEFAULT_CONFIG
from reboard.service.interrupted_restore import interrupted_restore
from reboard.setup.reader_rules import KERNEL, RULES, SOCKET, rule
from tests.vm.machine.inside import Done
from tests.vm.machine.table import CONFIG, PLAYS, REBOARD, Table
from tests.vm.making.installed import PACKAGES, package

DPKG_WITHIN_S = 600.0

MAKE_VERSION = f"""
set -e
rm -rf /tmp/version && dpkg-deb --raw-extract {PACKAGES}/$3 /tmp/version
cd /tmp/version
version=$(sed -n 's/^Version: //p' DEBIAN/control)+$1
sed -i "s/^Version: .*/Version: $version/" DEBIAN/control
eval "$2"
dpkg-deb -Znone --build . {PACKAGES}/reboard_${{version}}_all.deb
"""
"""Makes another version of the package, with a suffix and after a change to its files."""

BREAK = "echo 'raise SystemExit(3)' >> usr/lib/reboard/reboard/table.py"
"""It gives up at once. With another error it would first be started seven times."""

LEFT = "find /etc /usr /var -name '*reboard*' ! -path '*reboard-test*'"


def test_an_upgrade_in_mid_game_loses_nothing_a_bad_one_is_taken_back_and_a_purge_leaves_nothing(table: Table) -> None:
    table.configure(seconds="21")
    table.start()
    table.pay()
    before = _kept(table)

    assert _install(table, "next", ":").status == 0
    assert table.status["StatusText"] == PLAYS
    assert _kept(table) == before

    failed = _install(table, "worse", BREAK)
    assert failed.status
    # apt writes as to a terminal
    [go_back] = re.findall(r"^    (sudo apt install .*?)\r?$", (failed.out + failed.err).decode(), re.MULTILINE)
    assert table.status.get("StatusText") != PLAYS
    table.inside.sh(f"cd {PACKAGES} && {go_back} --yes", within_s=DPKG_WITHIN_S)
    assert table.status["StatusText"] == PLAYS
    assert _kept(table) == before
    table.pay()

    table.inside.must("apt-get", "purge", "--yes", "reboard", within_s=DPKG_WITHIN_S)
    assert table.inside.sh(LEFT) == ""


def test_a_completed_restore_gives_a_plugged_in_reader_its_name(table: Table) -> None:
    must, reader, interrupted = table.inside.must, "/dev/reboard-usb", str(interrupted_restore(DEFAULT_CONFIG))
    table.machine.plug_usb_in()
    must("udevadm", "wait", "--settle", reader)
    socket = must("udevadm", "info", "--query=property", "--value", f"--property={SOCKET}", reader)
    must("tee", str(RULES), stdin=rule("usb", KERNEL["tty"], SOCKET, socket) + "\n")
    # as at boot: both wait for the restore
    must("systemctl", "stop", "reboard", "reboard-page")
    must(REBOARD, "backup", interrupted)
    must("tee", str(RULES))
    must("udevadm", "control", "--reload")
    must("udevadm", "trigger", "--settle", "--subsystem-match=tty")
    assert table.inside.run("test", "-e", reader).status
    must("systemctl", "start", "multi-user.target")
    table.inside.sh(f"while test -e {interrupted}; do sleep 1; done")
    must("test", "-e", reader)


def _kept(table: Table) -> tuple[str, str, object]:
    """The config, the ledger and the balances at the table."""
    inside = table.inside
    return inside.must("cat", CONFIG), inside.must(REBOARD, "ledger", "export"), table.snapshot()["cards"]


def _install(table: Table, suffix: str, change: str) -> Done:
    table.inside.must("sh", "-c", MAKE_VERSION, "sh", suffix, change, package().name, within_s=DPKG_WITHIN_S)
    return table.inside.run(
        "sh", "-c", f"apt-get install --yes {PACKAGES}/reboard_*+{suffix}_all.deb", within_s=DPKG_WITHIN_S
    )
