"""Editions: the boxed games, each a TOML file with its money, salary and house rules."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

from reboard.display_size import COLUMNS
from reboard.errors import ConfigError
from reboard.money import Money
from reboard.settings.kinds import Section, Several, Whole, flag, text
from reboard.settings.reading import Reading, did_you_mean, read_toml
from reboard.settings.toml_lines import KeyPath

MOST_PLAYERS = 8
"""One digit is the display's room for a card's number, and no boxed game has more cards."""

DISPLAY_WIDTH = COLUMNS

AMOUNT = Whole(1, 999_999_999_999)
MONEY = Section(Money, {"units": flag, "smallest": Whole(1, 1_000_000)})


def display_text(reading: Reading, path: KeyPath, value: object, /) -> str:
    """A text that a line of the banker's display can show."""
    line = text(reading, path, value)
    if len(line) > DISPLAY_WIDTH or not line.isascii():
        raise reading.must_be(path, f"a text of at most {DISPLAY_WIDTH} characters without accents", value)
    return line


@dataclass(frozen=True, slots=True)
class Players:
    """How many can play, and so how many cards have a number."""

    fewest: Annotated[int, Whole(1, MOST_PLAYERS)]
    most: Annotated[int, Whole(1, MOST_PLAYERS)]

    def __post_init__(self) -> None:
        if self.fewest > self.most:
            raise ValueError("fewest is more than most")


@dataclass(frozen=True, slots=True)
class Auction:
    """How an auction opens and by how much bids rise. ``None``: any bid will do."""

    opening: Annotated[int | None, AMOUNT] = None
    step: Annotated[int | None, AMOUNT] = None


@dataclass(frozen=True, slots=True)
class BlockMoney:
    """What a press of the question block moves: the bank pays *coin* for each ping, a player pays the others."""

    coin: Annotated[int, AMOUNT]
    laugh: Annotated[int, AMOUNT]
    game_over: Annotated[int, AMOUNT]


SENTENCES = Several(text, 0, 10)


@dataclass(frozen=True, slots=True)
class Notes:
    """What else the rule book says of money, in each language that somebody has written it in."""

    en: Annotated[tuple[str, ...], SENTENCES] = ()
    de: Annotated[tuple[str, ...], SENTENCES] = ()


@dataclass(frozen=True, slots=True)
class Edition:
    """One boxed game. Amounts are whole numbers of its currency, as in `Money`.

    *start* is what a card begins a game with, and *speed_die_start* what it has in addition when the speed die is
    used; *salary* is what GO pays. Without *mortgage_interest_percent* it is printed on each deed. *may_owe*: a player
    may have less than nothing. An edition that has no question block has no *block*.
    """

    name: str
    title: Annotated[str, text]
    short_title: Annotated[str, display_text]
    money: Annotated[Money, MONEY]
    players: Annotated[Players, Section(Players)]
    start: Annotated[int, AMOUNT]
    salary: Annotated[int, AMOUNT]
    jail_fee: Annotated[int, AMOUNT]
    auction: Annotated[Auction, Section(Auction)] = Auction()
    mortgage_interest_percent: Annotated[int | None, Whole(0, 100)] = None
    speed_die_start: Annotated[int | None, AMOUNT] = None
    ends_at_bankruptcy: Annotated[int | None, Whole(1, MOST_PLAYERS - 1)] = None
    may_owe: Annotated[bool, flag] = False
    currency: Annotated[str, text] = ""
    notes: Annotated[Notes, Section(Notes)] = Notes()
    block: Annotated[BlockMoney | None, Section(BlockMoney)] = None

    def __post_init__(self) -> None:
        amounts = {
            "start": self.start,
            "salary": self.salary,
            "jail_fee": self.jail_fee,
            "speed_die_start": self.speed_die_start,
            "auction.opening": self.auction.opening,
            "auction.step": self.auction.step,
            "block.coin": self.block and self.block.coin,
            "block.laugh": self.block and self.block.laugh,
            "block.game_over": self.block and self.block.game_over,
        }
        odd = [name for name, amount in amounts.items() if amount and amount % self.money.smallest]
        if odd:
            raise ValueError(f"{', '.join(odd)} cannot be paid: the smallest money is {self.money.smallest}")

    def rules(self) -> dict[str, object]:
        """What the rule book says of money and players, as JSON for pages; amounts as the bank shows them."""

        def shown(amount: int | None) -> str | None:
            return None if amount is None else self.money.shown(amount)

        return {
            "start": shown(self.start),
            "salary": shown(self.salary),
            "jail_fee": shown(self.jail_fee),
            "auction": {"opening": shown(self.auction.opening), "step": shown(self.auction.step)},
            "mortgage_interest_percent": self.mortgage_interest_percent,
            "speed_die_start": shown(self.speed_die_start),
            "players": {"fewest": self.players.fewest, "most": self.players.most},
            "currency": self.currency,
            "notes": {"en": list(self.notes.en), "de": list(self.notes.de)},
            "block": self.block
            and {
                "coin": shown(self.block.coin),
                "laugh": shown(self.block.laugh),
                "game_over": shown(self.block.game_over),
            },
        }


def edition_names() -> tuple[str, ...]:
    """The editions in the box, in alphabetical order."""
    files = resources.files("reboard.editions").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def load_edition(name_or_path: str | Path) -> Edition:
    """The edition in the box called so, or the one in a file (a path ends in ``.toml``).

    Raises `ConfigError`, one line for each problem.
    """
    if str(name_or_path).endswith(".toml"):
        return _read(Path(name_or_path))
    names = edition_names()
    if name_or_path not in names:
        raise ConfigError(
            f'there is no edition "{name_or_path}"{did_you_mean(name_or_path, names)}; in the box are '
            f"{', '.join(names)}, and a path that ends in .toml is an edition of your own"
        )
    with resources.as_file(resources.files("reboard.editions") / f"{name_or_path}.toml") as file:
        return _read(file)


def _read(file: Path) -> Edition:
    document, lines = read_toml(file)
    return Reading(file, lines).read(Section(Edition, name=file.stem), document)
