"""``reboard cards``: write a PDF with player cards to print."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from reboard.commands.output import written_file
from reboard.config.reading import DEFAULT_CONFIG
from reboard.errors import ReboardError
from reboard.table_config import load_config


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard cards``."""
    parser.add_argument(
        "--print",
        dest="file",
        metavar="FILE",
        type=partial(written_file, ending=".pdf"),
        nargs="?",
        const=Path("cards.pdf"),
        required=True,
        help="the PDF to write (default: cards.pdf)",
    )
    parser.add_argument(
        "--paper", type=str.lower, choices=("a4", "letter"), default="a4", help="the paper size (default: a4)"
    )
    parser.add_argument("--count", type=int, metavar="N", default=8, help="the number of cards, 1 to 8 (default: 8)")


def main(args: Namespace) -> None:
    """Write the PDF with the player cards."""
    # without a config, the cards have no names
    has_config = args.config != DEFAULT_CONFIG or DEFAULT_CONFIG.exists()
    bank = load_config(args.config).section("bank") if has_config else None
    print_cards(args.file, paper=args.paper, count=args.count, names=bank.names if bank else ())


def print_cards(file: Path, *, paper: str, count: int, names: Sequence[str]) -> None:
    """Write a PDF with *count* cards (1 to 8) for *paper* to *file*. *names* are the names of the players.

    Raises `ReboardError` if *count* is out of range or reportlab is missing.
    """
    try:
        from reboard.cards.sheet import MOST_CARDS, cards_pdf
    except ImportError:
        raise ReboardError(
            "the PDF needs reportlab, which is not installed. Run `sudo apt install python3-reportlab` or, in a "
            f"virtual environment, `{sys.executable} -m pip install reportlab`"
        ) from None
    if not 1 <= count <= MOST_CARDS:
        raise ReboardError(f"--count must be 1 to {MOST_CARDS}, but is {count}")
    known = [*names, *[""] * count][:count]
    file.write_bytes(cards_pdf(known, paper))
    print(f"Wrote {count} card{'' if count == 1 else 's'} to {file}")
