from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from reboard.banker.bookkeeper import Bookkeeper
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import DECK, Hands, Play, table


@pytest.fixture
def ledger_file(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def play(ledger_file: Path) -> Play:
    def play_it(
        hands: Hands,
        *,
        edition: str = "world",
        cards: Sequence[str] = DECK,
        seed: int = 1,
        books: Callable[[Path], Bookkeeper] = Bookkeeper,
    ) -> None:
        async def main() -> None:
            async with table(ledger_file, edition=edition, cards=cards, seed=seed, books=books) as at_table:
                await hands(at_table)

        run(main)

    return play_it
