"""``reboard cards``: write a PDF with player cards to print."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from reboard.accessories.banker_unit.player_names import on_display
from reboard.atomic_write import write_safely
from reboard.commands.output import written_file
from reboard.commands.parser import whole_number
from reboard.config.reading import DEFAULT_CONFIG
from reboard.errors import MissingExtraError
from reboard.table_config import load_config

MOST_CARDS = 8
"""The maximum number of cards, as many as the banker unit has numbers for."""


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard cards``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        type=partial(written_file, ending=".pdf"),
        nargs="?",
        default=Path("cards.pdf"),
        help="the PDF to write (default: cards.pdf)",
    )
    parser.add_argument(
        "--paper", type=str.lower, choices=("a4", "letter"), default="a4", help="the paper size (default: a4)"
    )
    parser.add_argument(
        "--count",
        type=whole_number(MOST_CARDS),
        metavar="N",
        default=MOST_CARDS,
        help=f"the number of cards, 1 to {MOST_CARDS} (default: {MOST_CARDS})",
    )


def main(args: Namespace) -> None:
    """Write the PDF with the player cards."""
    # without a config, the cards have no names
    has_config = args.config != DEFAULT_CONFIG or DEFAULT_CONFIG.exists()
    bank = load_config(args.config).section("bank") if has_config else None
    print_cards(args.file, paper=args.paper, count=args.count, names=bank.names if bank else ())


def print_cards(file: Path, *, paper: str, count: int, names: Sequence[str]) -> None:
    """Write a PDF with *count* cards (1 to 8) for *paper* to *file*. *names* are the names of the players.

    Raises `MissingExtraError` if reportlab is missing.
    """
    try:
        from reboard.cards.sheet import cards_pdf
    except ModuleNotFoundError as missing:
        raise MissingExtraError("the PDF", "cards", missing, package="python3-reportlab") from None
    printed = (name if _is_in_font(name) else on_display(name) for name in names)
    known = [*printed, *[""] * count][:count]
    write_safely(file, cards_pdf(known, paper))
    print(f"Wrote {count} card{'' if count == 1 else 's'} to {file}")


def _is_in_font(name: str) -> bool:
    """Return whether the fonts of every PDF reader have the letters of *name*."""
    try:
        return bool(name.encode("cp1252"))
    except UnicodeEncodeError:
        return False
