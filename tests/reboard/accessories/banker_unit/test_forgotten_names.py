"""A player's name that is forgotten is in no file of the table any more, and no transfer is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.errors import Rejection
from reboard_sim.virtual_table import VirtualTable
from tests.reboard.accessories.banker_unit.test_disk_faults import at_a_table, do, told, transfers_kept, transfers_told

NAME = "Zoë-Amélie"


async def request(table: VirtualTable, what: str, **args: object) -> object:
    assert table.table is not None
    return await table.table.request(what, **args)


def files_with_the_name(state: Path) -> set[str]:
    """The names of the table's files that have the player's name, also in what SQLite does not use any more."""
    return {file.name for file in state.rglob("*") if file.is_file() and NAME.encode() in file.read_bytes()}


async def some_evenings(table: VirtualTable, state: Path) -> None:
    """Name a player, and play until the ledger, the three backups and the draft have the name."""
    await do(table, "insert left 1\nkey GO\nremove left\nwait 3")
    await request(table, "name", card=1, name=NAME)
    for _ in range(4):
        await do(table, "insert left 1\nkey GO\nremove left\nwait 70")
    kept = files_with_the_name(state)
    assert len([name for name in kept if ".backup-" in name]) == 4, kept


def test_a_forgotten_name_is_in_no_file_after_the_next_start(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await some_evenings(table, tmp_path)
        assert await request(table, "forget", name=NAME.upper()) == {"cards": [1]}
        assert [card["name"] for card in table.snapshot()["cards"]] == [""]
        # the log of SQLite, which has earlier pages, goes at the next start
        assert files_with_the_name(tmp_path) <= {f"{LEDGER_FILE}-wal"}
        await table.power_off()
        await do(table, "wait 1")
        assert files_with_the_name(tmp_path) == set()

    table = at_a_table(tmp_path, scenario)
    assert told(table, "named")[-1]["name"] == ""
    assert transfers_kept(tmp_path) == transfers_told(table)


def test_a_name_that_was_changed_before_is_forgotten_too(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await some_evenings(table, tmp_path)
        await request(table, "name", card=1, name="Ben")
        assert await request(table, "forget", name=NAME) == {"cards": []}
        await table.power_off()
        await do(table, "wait 1")
        assert files_with_the_name(tmp_path) == set()
        assert [card["name"] for card in table.snapshot()["cards"]] == ["Ben"]

    at_a_table(tmp_path, scenario)


@pytest.mark.parametrize("fault", ["disk full", "disk read-only"])
def test_a_name_that_a_backup_keeps_is_not_reported_as_forgotten(tmp_path: Path, fault: str) -> None:
    async def scenario(table: VirtualTable) -> None:
        await some_evenings(table, tmp_path)
        await request(table, "name", card=1, name="Ben")
        table.misbehave(fault, True)
        with pytest.raises(Rejection) as rejected:
            await request(table, "forget", name=NAME)
        assert rejected.value.why == BankWhy.DISK
        table.misbehave(fault, False)
        await request(table, "forget", name=NAME)
        assert files_with_the_name(tmp_path) <= {f"{LEDGER_FILE}-wal"}

    at_a_table(tmp_path, scenario)


def test_the_log_has_no_names(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(table: VirtualTable) -> None:
        await do(table, "wait 1")
        with caplog.at_level("INFO"):
            await request(table, "name", card=1, name=NAME)
            await request(table, "forget", name=NAME)

    at_a_table(tmp_path, scenario)
    assert "forget, by control socket" in caplog.text
    assert NAME not in caplog.text
