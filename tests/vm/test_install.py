"""The README's chapter "On a Pi", followed in the machine; and a version that does not play, put in its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.vm.machine.inside import Done
from tests.vm.machine.table import CHECKOUT, CONFIG, REBOARD, Table

README = Path(__file__).resolve().parents[2] / "README.md"
NOBODY_ANSWERS = "--yes --wheels /root/wheels"
"""In the machine there is nobody who could be asked, and no internet."""

INSTALL_WITHIN_S = 600.0
CURRENT = "/opt/reboard/current"

BROKEN = "raise RuntimeError('a version that does not play')\\n"


def test_who_follows_the_readme_has_a_table_that_plays(table: Table) -> None:
    inside = table.machine.inside
    _make(table, "install", "uninstall --yes")
    assert inside.run("test", "-e", CURRENT).status
    install, *others = _commands("On a Pi")
    assert install == "sudo make install"
    inside.must("sh", "-c", f"cd {CHECKOUT} && {install} ARGS='{NOBODY_ANSWERS}'", within_s=INSTALL_WITHIN_S)
    for command in others:
        inside.must("sh", "-c", command)
    assert table.status["StatusText"] == "The table plays."


def test_a_version_that_does_not_play_gives_way_to_the_one_before_it(table: Table) -> None:
    inside = table.machine.inside
    before = inside.must("readlink", CURRENT)
    config, ledger = inside.must("cat", CONFIG), inside.must(REBOARD, "ledger", "export")
    inside.must("sed", "-i", f"$ a {BROKEN}", f"{CHECKOUT}/firmware/reboard/table.py")
    tried = inside.run("sh", "-c", f"cd {CHECKOUT} && make install ARGS='{NOBODY_ANSWERS}'", within_s=INSTALL_WITHIN_S)
    assert tried.status
    assert "plays again" in (tried.out + tried.err).decode()
    assert inside.must("readlink", CURRENT) == before
    assert table.status["StatusText"] == "The table plays."
    assert (inside.must("cat", CONFIG), inside.must(REBOARD, "ledger", "export")) == (config, ledger)


def _make(table: Table, target: str, arguments: str) -> Done:
    return table.machine.inside.run("make", "--directory", CHECKOUT, target, f"ARGS={arguments}")


def _commands(chapter: str) -> Iterator[str]:
    """What a chapter of the README says is to be typed, line by line."""
    text = README.read_text().partition(f"\n## {chapter}\n")[2].partition("\n## ")[0]
    for line in text.splitlines():
        if line.startswith("    "):
            yield line.partition("  #")[0].strip()
