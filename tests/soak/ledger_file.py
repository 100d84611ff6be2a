"""The ledger's file, read without the code that wrote it, and compared with the model."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from reboard.editions.edition import Edition
from tests.soak.money_model import Game, MoneyModel, Move


@dataclass(frozen=True)
class LedgerContent:
    """What the file says of money."""

    editions: dict[int, str]
    current: int
    accounts: dict[tuple[int, int], tuple[int, bool, bool]]
    """By game and card: the balance, and whether the card retired or left."""
    moves: list[tuple[int, int, Move]]
    """The number of each transfer, and its game."""
    acts: dict[int, int]
    """The act of each transfer that is part of one."""

    def compare(self, model: MoneyModel) -> None:
        """The file and the model agree on every account, and the file has no transfer that was not reported."""
        for number, game in model.games.items():
            accounts = {card: balance for (of, card), (balance, *_) in self.accounts.items() if of == number}
            assert accounts == game.accounts, f"game {number} in the file: {accounts}, in the model {game.accounts}"
            assert sum(accounts.values()) == 0
            retired = self.retired(number)
            assert retired == game.retired, f"retired in game {number} in the file: {retired}, not {game.retired}"
            left = self.left(number)
            assert left == game.left, f"left in game {number} in the file: {left}, not {game.left}"
        assert self.current == model.current, f"the current game is {self.current} in the file, not {model.current}"
        assert not self.new_moves(model), f"in the file, and not reported: {self.new_moves(model)}"

    def keeps_all_reported(self, model: MoneyModel) -> None:
        """The file has every transfer that was reported, as it was reported."""
        in_file = {number: (game, move) for number, game, move in self.moves}
        for number, game in model.games.items():
            for transfer, move in game.moves.items():
                found = in_file.get(transfer)
                assert found == (number, move), f"transfer {transfer} was reported as {move}; the file has {found}"

    def new_games(self, model: MoneyModel) -> list[int]:
        return sorted(self.editions.keys() - model.games.keys())

    def new_moves(self, model: MoneyModel) -> list[tuple[int, int, Move]]:
        return [move for move in self.moves if move[0] > model.last]

    def retired(self, game: int) -> set[int]:
        return {card for (of, card), (_, gone, _) in self.accounts.items() if of == game and gone}

    def left(self, game: int) -> set[int]:
        return {card for (of, card), (*_, left) in self.accounts.items() if of == game and left}

    def teach_retired(self, model: MoneyModel) -> None:
        """Cards without money retire, leave and return without a transfer."""
        for number, game in model.games.items():
            game.retired, game.left = self.retired(number), self.left(number)

    def teach_all(self, model: MoneyModel, edition: Callable[[str], Edition]) -> None:
        """Replace everything in the model."""
        model.games = {number: Game(edition(name)) for number, name in self.editions.items()}
        for (of, card), (balance, *_) in self.accounts.items():
            model.games[of].accounts[card] = balance
        for number, of, move in self.moves:
            model.games[of].moves[number] = move
            if number in self.acts:
                model.games[of].acts[number] = self.acts[number]
        model.current, model.last = self.current, max((number for number, _, _ in self.moves), default=0)
        self.teach_retired(model)


def read_in_place(ledger: Path, after: int) -> LedgerContent:
    """Read the file while the table has it open; transfers only *after* that number."""
    with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True, isolation_level=None)) as reader:
        return _read(reader, after)


def read_copy(ledger: Path) -> LedgerContent:
    """Read a copy of the file and its log, so that SQLite changes neither."""
    with tempfile.TemporaryDirectory(dir=ledger.parent) as folder:
        for file in ledger.parent.glob(f"{ledger.name}*"):
            shutil.copy(file, folder)
        with closing(sqlite3.connect(Path(folder) / ledger.name)) as reader:
            return _read(reader, 0)


def _read(reader: sqlite3.Connection, after: int) -> LedgerContent:
    if not reader.execute("SELECT 1 FROM sqlite_master WHERE name = 'game'").fetchone():
        return LedgerContent({}, 0, {}, [], {})
    games = reader.execute("SELECT id, edition, ended_at FROM game").fetchall()
    accounts = reader.execute('SELECT game, card, balance, retired, "left" FROM account')
    moves = 'SELECT id, game, act, "from", "to", amount, reason, undoes FROM transfer WHERE id > ? ORDER BY id'
    rows = reader.execute(moves, (after,)).fetchall()
    return LedgerContent(
        {number: edition for number, edition, _ in games},
        next((number for number, _, ended_at in games if ended_at is None), 0),
        {(game, card): (balance, bool(retired), bool(left)) for game, card, balance, retired, left in accounts},
        [(number, game, Move(*move)) for number, game, _, *move in rows],
        {number: act for number, _, act, *_ in rows if act is not None},
    )
