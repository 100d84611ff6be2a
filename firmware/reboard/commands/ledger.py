"""``reboard ledger``: the banker's book in the terminal. It only reads; taking back is asked of the running table."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from reboard.banker.ledger import BANK, POT, Game, Ledger, Transfer
from reboard.banker.names import Names, given_names
from reboard.banker.no_ledger import DAMAGED, cause_of
from reboard.door.client import DoorClient
from reboard.edition import load_edition
from reboard.errors import ConfigError, DoorError, ReboardError
from reboard.money import Money
from reboard.refusal import Refusal

MOST_SHOWN = 50
ALL = 2**31
PLAIN = Money(units=False, smallest=1)


def games(file: Path) -> None:
    """Print every game that was begun, the first one first."""
    with _reading(file) as ledger:
        every = ledger.games()
        if not every:
            print("no game was begun yet")
        for game in every:
            cards = len(ledger.balances(game.id))
            print(f"{game.id:>6}  {game.edition:<20} {cards} card{' ' if cards == 1 else 's'}  {_when(game)}")


def show(file: Path, number: int | None = None, *, names: Sequence[str] = ()) -> None:
    """Print the balances of game *number*, or else of the one that is on. *names*: as the config has them."""
    with _reading(file) as ledger:
        game = _game(ledger, number)
        money = _money(game)
        retired = ledger.retired(game.id)
        called = Names(names, given_names(ledger))
        print(f"game {game.id}, {game.edition}, {_when(game)}")
        for card, balance in ledger.balances(game.id).items():
            shown = "bankrupt" if card in retired else money.shown(balance)
            print(f"{_account(card):<8} {shown:>14}  {called.of(card)}".rstrip())
        if (pot := ledger.pot(game.id)) is not None:
            print(f"{_account(POT):<8} {money.shown(pot):>14}")


def history(file: Path, number: int | None = None, card: int | None = None, *, names: Sequence[str] = ()) -> None:
    """Print the latest transfers of a game, or of one *card* in it, newest last. *names*: as in `show`."""
    with _reading(file) as ledger:
        game = _game(ledger, number)
        money = _money(game)
        latest = _latest(ledger, game, card)
        called = Names(names, given_names(ledger))
        if not latest:
            print(f"game {game.id}, {game.edition}, has no transfers yet")
        for transfer in reversed(latest):
            from_, to = _holder(transfer.from_, called), _holder(transfer.to, called)
            print(
                f"{transfer.id:>6}  {_time(transfer.at)}  {from_:>8} -> {to:<8} "
                f"{money.shown(transfer.amount):>14}  {_reason(transfer)}"
            )


def verify(file: Path) -> None:
    """Check every rule over every row. Raises `ReboardError` naming those that are broken."""
    with _reading(file) as ledger:
        problems = ledger.verify()
        if problems:
            raise ReboardError(f"{file}: the ledger does not add up:\n" + "\n".join(problems))
        count = len(ledger.games())
        print(f"{file}: every rule holds, over {count} game{'' if count == 1 else 's'}")


def export(file: Path, number: int | None = None, *, as_json: bool) -> None:
    """Write the transfers of one game or else of all on standard output, oldest first, as CSV or as a JSON object."""
    with _reading(file) as ledger:
        games = ledger.games() if number is None else [_game(ledger, number)]
        rows = [row.as_json() for game in games for row in reversed(ledger.transfers(game.id, ALL))]
    if as_json:
        json.dump({"games": [_as_json(game) for game in games], "transfers": rows}, sys.stdout, indent=1)
        print()
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    names = ("id", "game", "from", "to", "amount", "reason", "at", "undoes")
    writer.writerow(names)
    writer.writerows([row[name] for name in names] for row in rows)


async def undo(door: Path, file: Path, transfer: int | None = None) -> None:
    """Ask the running table to take *transfer* back, or the last one in *file*.

    Raises `ReboardError` with what it says.
    The request names the transfer in either case: one whose answer got lost can be repeated, and takes back no other.
    """
    async with await DoorClient.connect(door) as table:
        number = _last_to_undo(file) if transfer is None else transfer
        try:
            opposite = await table.request("undo", transfer=number, by="reboard ledger")
        except DoorError as error:
            again = f"whether transfer {number} was taken back is not known: `reboard ledger undo {number}` makes sure"
            raise DoorError(f"{error}; {again}") from None
        print(f"transfer {opposite['undoes']} was taken back by transfer {opposite['id']}")


def _last_to_undo(file: Path) -> int:
    with _reading(file) as ledger:
        last = ledger.last_to_undo(_game(ledger, None).id)
    if last is None:
        raise Refusal("nothing to undo")
    return last.id


@contextmanager
def _reading(file: Path) -> Iterator[Ledger]:
    """The ledger in *file*. Raises `ReboardError` also for what is found damaged only when it is read."""
    try:
        with closing(Ledger(file, read_only=True)) as ledger:
            yield ledger
    except sqlite3.Error as error:
        cause, _ = cause_of(error)
        raise ReboardError(f"{file}: the ledger cannot be read: {cause}") from error
    except UnicodeDecodeError as error:
        raise ReboardError(f"{file}: the ledger cannot be read: {error}; {DAMAGED[0]}") from error


def _game(ledger: Ledger, number: int | None) -> Game:
    game = ledger.game() if number is None else next((game for game in ledger.games() if game.id == number), None)
    if game is None:
        what = "no game is on" if number is None else f"there is no game {number}"
        raise ReboardError(f"{ledger.book.path}: {what}; `reboard ledger games` lists those that were begun")
    return game


def _latest(ledger: Ledger, game: Game, card: int | None) -> list[Transfer]:
    if card is None:
        return ledger.transfers(game.id, MOST_SHOWN)
    if card not in ledger.balances(game.id):
        raise ReboardError(f"{ledger.book.path}: there is no card {card} in game {game.id}")
    return ledger.transfers_of(game.id, card, MOST_SHOWN)


def _money(game: Game) -> Money:
    try:
        return load_edition(game.edition).money
    except ConfigError:
        return PLAIN  # an edition of the owner's that is no longer where it was


def _account(number: int) -> str:
    return {BANK: "bank", POT: "pot"}.get(number) or f"card {number}"


def _holder(number: int, names: Names) -> str:
    return names.of(number) or _account(number)


def _reason(transfer: Transfer) -> str:
    return f"takes back {transfer.undoes}" if transfer.undoes else transfer.reason


def _when(game: Game) -> str:
    ended = "" if game.ended_at is None else f", put aside {_time(game.ended_at)}"
    return f"since {_time(game.started_at)}{ended}"


def _time(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M:%S")


def _as_json(game: Game) -> dict[str, object]:
    return {"id": game.id, "edition": game.edition, "started_at": game.started_at, "ended_at": game.ended_at}
