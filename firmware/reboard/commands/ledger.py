"""``reboard ledger``: show, check and export the ledger, or ask the running table to change it."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from reboard.accessories.banker_unit.accounts import Account, Reason
from reboard.accessories.banker_unit.csv_export import transfers, write_csv
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.game_settings import given_names
from reboard.accessories.banker_unit.ledger import Game, Transfer
from reboard.accessories.banker_unit.ledger_errors import cause_of
from reboard.accessories.banker_unit.player_names import Names
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.backup_file.restoring import KEPT
from reboard.commands.parser import CommandParser, add_command, whole_number
from reboard.control.client import ControlClient
from reboard.control.protocol import socket_path
from reboard.editions.edition import load_edition
from reboard.editions.money import Money
from reboard.errors import ConfigError, ControlSocketError, ReboardError, Rejection
from reboard.table_config import load_config

MOST_SHOWN = 50
LONGEST_RENEWAL_S = 60.0
"""The time limit for the answer of a table that makes all backups again, in seconds."""
PLAIN = Money(units=False, smallest=1)


def add_arguments(parser: CommandParser, common: CommandParser) -> None:
    """Add the subcommands of ``reboard ledger``."""
    whats = parser.add_subparsers(required=True, metavar="WHAT", dest="what")
    of_a_game = CommandParser(add_help=False)
    of_a_game.add_argument(
        "--game", metavar="N", type=whole_number(), help="the number of the game (default: the current game)"
    )
    add_command(whats, "games", "list all games", common, examples=["sudo reboard ledger games"])
    examples = ["sudo reboard ledger show", "sudo reboard ledger show --game 3"]
    add_command(whats, "show", "show the balances of a game", common, of_a_game, examples=examples)
    examples = ["sudo reboard ledger history", "sudo reboard ledger history --card 2"]
    latest = add_command(whats, "history", "show the latest transfers of a game", common, of_a_game, examples=examples)
    latest.add_argument("--card", metavar="N", type=whole_number(), help="show only the transfers of this card")
    add_command(whats, "verify", "check the ledger against every rule", common, examples=["sudo reboard ledger verify"])
    examples = ["sudo reboard ledger export > transfers.csv", "sudo reboard ledger export --json --game 3"]
    all_games = add_command(whats, "export", "print the transfers of all games as CSV", common, examples=examples)
    all_games.add_argument("--game", metavar="N", type=whole_number(), help="print only the transfers of this game")
    all_games.add_argument("--json", action="store_true", help="print JSON instead of CSV")
    examples = ["sudo reboard ledger undo", "sudo reboard ledger undo 57"]
    one = add_command(
        whats, "undo", "ask the running table to undo a transfer of the current game", common, examples=examples
    )
    one.add_argument(
        "transfer",
        metavar="NUMBER",
        nargs="?",
        type=whole_number(),
        help="the number of any transfer of the current game; the other transfers of its act are undone with it "
        "(default: the last that can be undone)",
    )
    examples = ["sudo reboard ledger forget Anna"]
    one = add_command(
        whats, "forget", "ask the running table to delete a player's name, also from backups", common, examples=examples
    )
    one.add_argument("name", metavar="NAME", help="the name of the player; the transfers stay")


def main(args: Namespace) -> None:
    """Read the config's ledger, or ask the running table to change it."""
    config = load_config(args.config)
    bank = config.section("bank")
    names = bank.names if bank else ()
    state = config.state.directory
    file = state / LEDGER_FILE
    match args.what:
        case "games":
            games(file)
        case "show":
            show(file, args.game, names=names)
        case "history":
            history(file, args.game, args.card, names=names)
        case "verify":
            verify(file)
        case "export":
            export(file, args.game, as_json=args.json)
        case "undo":
            asyncio.run(undo(socket_path(state), file, args.transfer))
        case "forget":
            asyncio.run(forget(socket_path(state), args.name))
            print("\n".join(still_to_do(args.name, state, args.config, names)))


def games(file: Path) -> None:
    """Print all games, oldest first."""
    with _reading(file) as ledger:
        every = ledger.games()
        if not every:
            print("there is no game yet")
        for game in every:
            cards = len(ledger.balances(game.id))
            print(f"{game.id:>6}  {game.edition:<20} {cards} card{' ' if cards == 1 else 's'}  {_when(game)}")


def show(file: Path, number: int | None = None, *, names: Sequence[str] = ()) -> None:
    """Print the balances of game *number*, by default the current game. *names* are the players in the config."""
    with _reading(file) as ledger:
        game = _game(ledger, number)
        money = _money(game)
        out = dict.fromkeys(ledger.retired(game.id), "bankrupt") | dict.fromkeys(ledger.left(game.id), "left")
        called = Names(names, given_names(ledger))
        print(f"game {game.id}, {game.edition}, {_when(game)}")
        for account, balance in ledger.accounts(game.id).items():
            shown = out.get(account) or money.shown(balance)
            print(f"{_account(account):<8} {shown:>14}  {called.of(account)}".rstrip())


def history(file: Path, number: int | None = None, card: int | None = None, *, names: Sequence[str] = ()) -> None:
    """Print the latest transfers of game *number* (by default the current game), with the newest last.

    With *card*, print only the transfers of that card. *names* are the players in the config.
    """
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
    """Check every row of the ledger against every rule. Raises `ReboardError` with a sentence for each problem."""
    with _reading(file) as ledger:
        problems = ledger.verify()
        if problems:
            raise ReboardError(
                f"{file}: the ledger breaks the rules below. Restart the table to restore the newest intact backup.\n"
                + "\n".join(problems)
            )
        count = len(ledger.games())
        print(f"{file}: the ledger follows every rule ({count} game{'' if count == 1 else 's'})")


def export(file: Path, number: int | None = None, *, as_json: bool) -> None:
    """Print the transfers of game *number* (by default of all games), oldest first, as CSV or as a JSON object."""
    with _reading(file) as ledger:
        games = ledger.games() if number is None else [_game(ledger, number)]
        rows = transfers(ledger, games)
    if as_json:
        json.dump({"games": [_as_json(game) for game in games], "transfers": rows}, sys.stdout, indent=1)
        print()
        return
    write_csv(rows, sys.stdout)


async def undo(control_socket: Path, file: Path, transfer: int | None = None) -> None:
    """Ask the running table to undo *transfer*, by default the last transfer in *file* that can be undone.

    The other transfers of its act, such as a payment to each player, are undone with it.

    Raises `ReboardError` if the table rejects the request or does not answer. The request always contains the number of
    the transfer, so repeating it after a lost answer cannot undo another transfer.
    """
    async with await ControlClient.connect(control_socket) as table:
        number = transfer
        if number is None:
            with _reading(file) as ledger:
                last = ledger.last_to_undo(_game(ledger, None).id)
            if last is None:
                raise Rejection(BankWhy.NOTHING_TO_UNDO)
            number = last.id
        try:
            opposite = await table.request("undo", transfer=number, by="reboard ledger")
        except ControlSocketError as error:
            again = f"transfer {number} may have been undone. Run `reboard ledger undo {number}` to make sure"
            raise ControlSocketError(f"{error}; {again}") from None
        for each in (opposite, *opposite.get("more", ())):
            print(f"transfer {each['id']} undoes transfer {each['undoes']}")


async def forget(control_socket: Path, name: str) -> None:
    """Ask the running table to delete the player's *name*.

    Raises `ReboardError` if the table rejects the request or does not answer. It can be repeated.
    """
    async with await ControlClient.connect(control_socket, timeout_s=LONGEST_RENEWAL_S) as table:
        answer = await table.request("forget", name=name, by="reboard ledger")
    cards = " and ".join(f"card {card}" for card in answer["cards"]) or "no card"
    print(f"The host had given this name to {cards}. The ledger and its backups do not have it now.")


def still_to_do(name: str, state: Path, config_file: Path, names: Sequence[str]) -> Iterator[str]:
    """Yield what a user does after `forget`, where the table changes nothing.

    *names* are the players in the *config_file*, and *state* is the state directory.
    """
    if Names(names).card_of(name):
        yield f"{config_file}: remove the name from `names` in [bank], too."
    before = [*config_file.parent.glob(f"{config_file.name}.before-*"), *state.parent.glob(f"{state.name}.before-*")]
    # `docs/ledger.md` moves files of the ledger into a folder
    folders = {file.parent for file in state.glob(f"*/{LEDGER_FILE}*")}
    for kept in sorted({*before, *folders, *state.glob(f"{LEDGER_FILE}.damaged-*"), *state.glob(f"{KEPT}-*")}):
        yield f"{kept}: it may have the name. If you do not need it, delete it."
    if "SUDO_USER" in os.environ:
        yield "sudo has written this command into the log, with the name: `sudo journalctl --rotate --vacuum-time=1s`."
    yield "Then run `sudo systemctl restart reboard`: until then SQLite's log and the latest events have the name."


@contextmanager
def _reading(file: Path) -> Iterator[LedgerFile]:
    """Open the ledger in *file* for reading. Raises `ReboardError` if opening or reading it fails."""
    try:
        with closing(LedgerFile(file, read_only=True)) as ledger:
            yield ledger
    except sqlite3.Error as error:
        cause, _ = cause_of(error, file)
        raise ReboardError(f"{file}: the ledger cannot be read: {cause}") from error


def _game(ledger: LedgerFile, number: int | None) -> Game:
    game = ledger.game() if number is None else next((game for game in ledger.games() if game.id == number), None)
    if game is None:
        what = "there is no current game" if number is None else f"there is no game {number}"
        raise ReboardError(f"{ledger.path}: {what}. `reboard ledger games` lists all games")
    return game


def _latest(ledger: LedgerFile, game: Game, card: int | None) -> list[Transfer]:
    if card is None:
        return ledger.transfers(game.id, MOST_SHOWN)
    if card not in ledger.balances(game.id):
        shown = f"`reboard ledger show --game {game.id}` lists its cards"
        raise ReboardError(f"{ledger.path}: there is no card {card} in game {game.id}. {shown}")
    return ledger.transfers_of(game.id, card, MOST_SHOWN)


def _money(game: Game) -> Money:
    try:
        return load_edition(game.edition).money
    except ConfigError:
        return PLAIN  # the file of an own edition that was moved or removed


def _account(number: int) -> str:
    return Account(number).name.lower() if number in [*Account] else f"card {number}"


def _holder(number: int, names: Names) -> str:
    return names.of(number) or _account(number)


def _reason(transfer: Transfer) -> str:
    if transfer.undoes:
        return f"undoes {transfer.undoes}"
    return next((reason.words for reason in Reason.members if reason == transfer.reason), transfer.reason)


def _when(game: Game) -> str:
    ended = "" if game.ended_at is None else f", ended {_time(game.ended_at)}"
    return f"since {_time(game.started_at)}{ended}"


def _time(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M:%S")


def _as_json(game: Game) -> dict[str, object]:
    return {"id": game.id, "edition": game.edition, "started_at": game.started_at, "ended_at": game.ended_at}
