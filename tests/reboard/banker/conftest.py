from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.ledger import Ledger
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_ledger import START
from tests.reboard.banker.hand_table import DECK, Hands, HandSlot, Play, table


@pytest.fixture
def ledger_file(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def ledger(ledger_file: Path) -> Iterator[Ledger]:
    with closing(Ledger(ledger_file)) as ledger:
        yield ledger


@pytest.fixture
def game(ledger: Ledger) -> int:
    return ledger.new_game("nintendo", START, at=1.0, cards=(1, 2), largest=10_000).id


@pytest.fixture
def play(ledger_file: Path) -> Play:
    def play_it(
        hands: Hands,
        *,
        edition: str = "world",
        cards: Sequence[str] = DECK,
        names: Sequence[str] = (),
        language: str = "en",
        seed: int = 1,
        books: Callable[[Path], Bookkeeper] = Bookkeeper,
        slots: tuple[type[HandSlot], type[HandSlot]] = (HandSlot, HandSlot),
    ) -> None:
        async def main() -> None:
            async with table(
                ledger_file,
                edition=edition,
                cards=cards,
                names=names,
                language=language,
                seed=seed,
                books=books,
                slots=slots,
            ) as at_table:
                await hands(at_table)

        run(main)

    return play_it
