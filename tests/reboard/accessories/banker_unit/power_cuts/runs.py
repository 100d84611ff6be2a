"""What is played while the power is cut: each run records a disk, and knows what must be left of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from reboard.accessories.banker_unit import schema
from reboard.service.fallback_config import choose_config
from tests.reboard.accessories.banker_unit.ledger_calls import damage_page
from tests.reboard.accessories.banker_unit.power_cuts.connection import OFTEN
from tests.reboard.accessories.banker_unit.power_cuts.cuts import cuts, kept
from tests.reboard.accessories.banker_unit.power_cuts.disk import Confirmed, Disk
from tests.reboard.accessories.banker_unit.power_cuts.evening import (
    Evening,
    begin,
    book_in,
    play,
    the_rest,
    transfers,
    whole,
)
from tests.reboard.accessories.banker_unit.power_cuts.proof import Check, lay_out
from tests.reboard.accessories.banker_unit.power_cuts.recording import recorded


class Run(NamedTuple):
    """What was done to a disk, and the check of what a cut left of it."""

    disk: Disk
    check: Check


def _run(evening: Evening) -> Run:
    return Run(evening.disk, whole(evening))


def first_evening(root: Path) -> Run:
    """The very first start: everything is new, the directory too. Then a game."""
    return _run(play(root, [*begin(), *transfers(8), *the_rest()], instead=OFTEN))


def another_evening(root: Path) -> Run:
    """A book that was closed in order is opened again."""
    play(root, [*begin(), *transfers(60)])
    return _run(play(root, transfers(8, first=60), instead=OFTEN))


def after_a_power_cut(root: Path) -> Run:
    """A log that was not yet in the database is found: the power goes again while SQLite reads it and plays on."""
    evening = play(root, [*begin(), *transfers(12)])
    last = evening.confirmed_at[-1]
    lay_out(next(cut.left for cut in cuts(evening.disk, {"kept": kept}) if cut.after == last), root)
    return _run(play(root, transfers(8, first=12), instead=OFTEN))


def migration(root: Path) -> Run:
    """The first start of a new reboard on the book of an old one, a game under way in it."""
    book_in(root).parent.mkdir()
    with closing(sqlite3.connect(book_in(root), isolation_level=None)) as old:
        old.executescript(
            f"""
            PRAGMA journal_mode = WAL; {schema.MIGRATIONS[0]}
            PRAGMA application_id = {schema.APPLICATION_ID}; PRAGMA user_version = 1;
            INSERT INTO game VALUES (1, 'nintendo', 15000, 1000000, 0, 1.0, NULL);
            INSERT INTO account (game, card) VALUES (1, 0), (1, 1), (1, 2), (1, 3);
            """
        )
        for n in range(100):
            row = (n % 3 + 1, 15_000, f"start {n}") if n < 3 else (n % 3 + 1, n, f"before {n}")
            old.execute("INSERT INTO transfer VALUES (NULL, 1, 0, ?, ?, 'received', 2.0, NULL, ?)", row)
    return _run(play(root, transfers(4, first=100)))


def damaged(root: Path) -> Run:
    """A book with a broken page: the power goes while it is put aside, and the newest backup restored."""
    play(root, [*begin(), *transfers(120)])
    damage_page(book_in(root))
    return _run(play(root, transfers(1, first=120)))


def last_good_config(root: Path) -> Run:
    """A config and an edition of the owner's are kept as the last good ones; then others, that go only together."""
    config, edition = root / "table.toml", root / "own.toml"
    mario, world = (
        (resources.files("reboard.editions") / f"{name}.toml").read_bytes() for name in ("super-mario", "world")
    )
    rest = '[block]\nbutton = 17\nlinked = {}\n[bank]\n[state]\ndirectory = "state"\n'
    pairs = [(rest.format("true"), mario), (rest.format("false"), world), (rest.format("true"), mario)]
    with recorded(root) as disk:
        for text, content in pairs:
            edition.write_bytes(content)
            config.write_text(f'edition = "own.toml"\n{text}')
            choose_config(config).keep()
            disk.add(Confirmed())

    def check(left: Path, confirmed: int) -> None:
        (left / "own.toml").unlink(missing_ok=True)
        (left / "table.toml").write_text(f"{rest}oops")
        try:
            found = choose_config(left / "table.toml")
        except ValueError:
            assert not confirmed, "no last good config is there"
        else:
            pair = (found.raw.decode().partition("\n")[2], found.raw_edition)
            assert pair in pairs[max(0, confirmed - 1) : confirmed + 1], "another config is there, or another's edition"

    return Run(disk, check)


RUNS: dict[str, Callable[[Path], Run]] = {
    run.__name__.replace("_", " "): run
    for run in (first_evening, another_evening, after_a_power_cut, migration, damaged, last_good_config)
}
