"""The model held against the file, as somebody else reads it."""

from __future__ import annotations

from collections.abc import Callable

from reboard.editions.edition import Edition
from tests.soak.books import Books, Game
from tests.soak.disk import Moves, OnDisk


def compare(books: Books, disk: OnDisk) -> None:
    """Both say the same of every account, and there is nothing on disk that was not told."""
    for number, game in books.games.items():
        accounts = {card: balance for (of, card), (balance, _) in disk.accounts.items() if of == number}
        assert accounts == game.accounts, f"game {number} on disk: {accounts}, in the model {game.accounts}"
        assert sum(accounts.values()) == 0
        retired = {card for (of, card), (_, gone) in disk.accounts.items() if of == number and gone}
        assert retired == game.retired, f"retired in game {number} on disk: {retired}, in the model {game.retired}"
    assert disk.on == books.on, f"game {disk.on} is on on disk, {books.on} in the model"
    news = untold_moves(books, disk)
    assert not news, f"on disk, and not told: {news}"


def keeps_all_that_was_told(books: Books, disk: OnDisk) -> None:
    """Every transfer that was told is there, as it was told."""
    on_disk = {number: (game, move) for number, game, move in disk.moves}
    for number, game in books.games.items():
        for transfer, move in game.moves.items():
            assert on_disk.get(transfer) == (number, move), (
                f"transfer {transfer} was told as {move}; on disk it is {on_disk.get(transfer)}"
            )


def untold_games(books: Books, disk: OnDisk) -> list[int]:
    """The games that were begun on disk and not told, in order."""
    return sorted(disk.editions.keys() - books.games.keys())


def untold_moves(books: Books, disk: OnDisk) -> Moves:
    """The transfers that are on disk and were not told, in order."""
    return [move for move in disk.moves if move[0] > books.last]


def learn_retired(books: Books, disk: OnDisk) -> None:
    """Take from the disk which cards have retired: those without money do so without a transfer."""
    for number, game in books.games.items():
        game.retired = {card for (of, card), (_, gone) in disk.accounts.items() if of == number and gone}


def copy_from(disk: OnDisk, books: Books, edition: Callable[[str], Edition]) -> None:
    """Forget what was known, and believe the disk."""
    books.games = {number: Game(edition(name)) for number, name in disk.editions.items()}
    for (of, card), (balance, _) in disk.accounts.items():
        books.games[of].accounts[card] = balance
    for number, of, move in disk.moves:
        books.games[of].moves[number] = move
    books.on, books.last = disk.on, max((number for number, _, _ in disk.moves), default=0)
    learn_retired(books, disk)
