"""The README's chapter "On a Pi", followed in the machine; and an upgrade to a version that does not play."""

from __future__ import annotations

from pathlib import Path

from tests.vm.machine.table import CHECKOUT, CONFIG, PLAYS, REBOARD, Table

README = Path(__file__).resolve().parents[2] / "README.md"
OFFLINE = "ARGS='--yes --wheels /root/wheels'"
"""The machine has neither a user nor a network."""

INSTALL_WITHIN_S = 600.0
CURRENT = "/opt/reboard/current"

BROKEN = "raise RuntimeError('a version that does not play')\\n"


def test_a_user_who_follows_the_readme_has_a_table_that_plays(table: Table) -> None:
    inside = table.inside
    inside.run("make", "--directory", CHECKOUT, "install", "ARGS=uninstall --yes")
    assert inside.run("test", "-e", CURRENT).status
    chapter = README.read_text().partition("\n## On a Pi\n")[2].partition("\n## ")[0]
    install, *others = [line.partition("  #")[0].strip() for line in chapter.splitlines() if line.startswith("    ")]
    assert install == "sudo make install"
    inside.sh(f"cd {CHECKOUT} && {install} {OFFLINE}", within_s=INSTALL_WITHIN_S)
    for command in others:
        inside.sh(command)
    assert table.status["StatusText"] == PLAYS


def test_a_version_that_does_not_play_is_rolled_back(table: Table) -> None:
    inside = table.inside

    def state() -> list[str]:
        return [inside.must("readlink", CURRENT), inside.must("cat", CONFIG), inside.must(REBOARD, "ledger", "export")]

    before = state()
    inside.must("sed", "-i", f"$ a {BROKEN}", f"{CHECKOUT}/firmware/reboard/table.py")
    tried = inside.run("sh", "-c", f"cd {CHECKOUT} && make install {OFFLINE}", within_s=INSTALL_WITHIN_S)
    assert tried.status
    assert "plays again" in (tried.out + tried.err).decode()
    assert table.status["StatusText"] == PLAYS
    assert state() == before
