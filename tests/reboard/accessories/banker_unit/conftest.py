from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.fakes import Play, User, table
from tests.reboard.accessories.banker_unit.ledger_calls import START


@pytest.fixture
def ledger_file(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def ledger(ledger_file: Path) -> Iterator[Ledger]:
    with closing(LedgerFile(ledger_file)) as ledger:
        yield ledger


@pytest.fixture
def game(ledger: Ledger) -> int:
    return ledger.new_game("nintendo", START, at=1.0, cards=(1, 2), largest=10_000).id


@pytest.fixture
def play(ledger_file: Path) -> Play:
    def play_it(user: User, **settings: Any) -> None:
        async def main() -> None:
            async with table(ledger_file, **settings) as at_table:
                await user(at_table)

        run(main)

    return play_it
