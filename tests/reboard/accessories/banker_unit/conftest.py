from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger
from tests.reboard.accessories.banker_unit.ledger_calls import START
from tests.reboard.accessories.banker_unit.power_cuts.proof import IN_MEMORY


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A directory in memory, if possible: a ledger syncs each transfer, and a real disk would only take time."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as directory:
        yield Path(directory)


@pytest.fixture
def ledger_file(tmp_path: Path) -> Path:
    return tmp_path / LEDGER_FILE


@pytest.fixture
def ledger(ledger_file: Path) -> Iterator[Ledger]:
    with closing(LedgerFile(ledger_file)) as ledger:
        yield ledger


@pytest.fixture
def game(ledger: Ledger) -> int:
    return ledger.new_game("nintendo", START, at=1.0, cards=(1, 2), largest=10_000).id
