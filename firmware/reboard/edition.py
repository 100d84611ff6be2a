"""Editions: the boxed games, each a TOML file with its money, salary and house rules."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TypeVar

from reboard.errors import ConfigError
from reboard.money import Money

T = TypeVar("T")

MOST_PLAYERS = 8
"""One digit is the display's room for a card's number, and no boxed game has more cards."""

LONGEST_SHORT_TITLE = 16


@dataclass(frozen=True, slots=True)
class Auction:
    """How an auction opens. ``None``: any bid will do."""

    opening: int | None = None
    step: int | None = None


@dataclass(frozen=True)
class Edition:
    """One boxed game. Amounts are whole numbers of its currency, as in `Money`."""

    name: str
    title: str
    short_title: str
    currency: str
    """The sign that people write before or after an amount; may be empty."""
    money: Money
    fewest_players: int
    most_players: int
    start: int
    """What a card begins a game with."""
    salary: int
    """What GO pays."""
    jail_fee: int
    auction: Auction = Auction()
    mortgage_interest_percent: int | None = None
    """``None``: it is printed on each deed."""
    speed_die_start: int = 0
    """What each player gets in addition at the start when the speed die is used."""
    may_owe: bool = False
    """Whether a player may have less than nothing."""
    notes: tuple[str, ...] = ()


def edition_names() -> tuple[str, ...]:
    """The editions in the box, in alphabetical order."""
    files = resources.files("reboard.editions").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def load_edition(name_or_path: str | Path) -> Edition:
    """The edition in the box called so, or the one in a file (a path ends in ``.toml``).

    Raises `ConfigError`, one line for each problem.
    """
    if str(name_or_path).endswith(".toml"):
        file = Path(name_or_path)
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{file}: the edition cannot be read: {error}") from error
        return read_edition(text, name=file.stem, place=str(file))
    name = str(name_or_path)
    names = edition_names()
    if name not in names:
        raise ConfigError(
            f"there is no edition {name!r}{nearest(name, names)}; the box has {', '.join(names)}, "
            "and a path that ends in .toml is an edition of your own"
        )
    text = resources.files("reboard.editions").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return read_edition(text, name=name, place=f"{name}.toml")


def nearest(word: str, words: Iterable[str]) -> str:
    """``" (did you mean …?)"`` with the most similar of *words*, or nothing when none is."""
    similar = difflib.get_close_matches(word, tuple(words), n=1)
    return f" (did you mean {similar[0]!r}?)" if similar else ""


def read_edition(text: str, *, name: str, place: str) -> Edition:
    """The edition that the TOML in *text* describes; *place* is what its problems are told under."""
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{place}: this is not TOML: {error}") from error
    problems: list[str] = []
    top = _Section(settings, problems)
    money_section = top.section("money", required=True)
    money = Money(units=money_section.truth("units"), smallest=money_section.number("smallest", 1, 1_000_000))
    auction = top.section("auction")
    players = top.section("players", required=True)

    def amount(section: _Section, key: str) -> int:
        return section.number(key, money.smallest, money.largest, multiple_of=money.smallest)

    edition = Edition(
        name=name,
        title=top.text("title", 80),
        short_title=top.text("short_title", LONGEST_SHORT_TITLE, plain=True),
        currency=money_section.text("currency", 3, may_be_empty=True),
        money=money,
        fewest_players=players.number("fewest", 1, MOST_PLAYERS),
        most_players=players.number("most", 1, MOST_PLAYERS),
        start=amount(top, "start"),
        salary=amount(top, "salary"),
        jail_fee=amount(top, "jail_fee"),
        auction=Auction(
            opening=auction.optional("opening", amount),
            step=auction.optional("step", amount),
        ),
        mortgage_interest_percent=top.optional(
            "mortgage_interest_percent", lambda section, key: section.number(key, 0, 100)
        ),
        speed_die_start=top.optional("speed_die_start", amount) or 0,
        may_owe=top.optional("may_owe", _Section.truth) or False,
        notes=top.texts("notes"),
    )
    for section in (top, money_section, auction, players):
        section.finish()
    if not problems and edition.fewest_players > edition.most_players:
        problems.append("players: fewest is more than most")
    if problems:
        raise ConfigError("\n".join(f"{place}: {problem}" for problem in problems))
    return edition


class _Section:
    """One TOML table, read key by key; what is wrong, missing or left over is added to the list of problems."""

    def __init__(self, settings: Mapping[str, object], problems: list[str], name: str = "") -> None:
        self._settings = settings
        self._problems = problems
        self._name = name
        self._known: set[str] = set()

    def section(self, key: str, *, required: bool = False) -> _Section:
        value = self._get(key, "a table", required=required)
        if value is not None and not isinstance(value, dict):
            self._wrong(key, value, "a table")
        return _Section(value if isinstance(value, dict) else {}, self._problems, f"{self._name}{key}.")

    def number(self, key: str, least: int, most: int, *, multiple_of: int = 1) -> int:
        """A whole number; *least* when there is a problem, so that reading can go on and find the others."""
        allowed = f"a whole number from {least:_} to {most:_}"
        if multiple_of > 1:
            allowed += f", in steps of {multiple_of:_}"
        value = self._get(key, allowed)
        if value is None:
            return least
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most or value % multiple_of:
            self._wrong(key, value, allowed)
            return least
        return value

    def truth(self, key: str) -> bool:
        value = self._get(key, "true or false")
        if value is not None and not isinstance(value, bool):
            self._wrong(key, value, "true or false")
        return value is True

    def text(self, key: str, most: int, *, may_be_empty: bool = False, plain: bool = False) -> str:
        """Text in one line; *plain*: in characters that every display has."""
        allowed = f"text of {0 if may_be_empty else 1} to {most}{' ASCII' if plain else ''} characters"
        value = self._get(key, allowed)
        if value is None:
            return ""
        if (
            not isinstance(value, str)
            or len(value) > most
            or not (value.strip() or may_be_empty)
            or not (value.isascii() or not plain)
            or not value.isprintable()
        ):
            self._wrong(key, value, allowed)
            return ""
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._get(key, "a list of sentences", required=False)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._wrong(key, value, "a list of sentences")
            return ()
        return tuple(value)

    def optional(self, key: str, read: Callable[[_Section, str], T]) -> T | None:
        self._known.add(key)
        return read(self, key) if key in self._settings else None

    def finish(self) -> None:
        """Every key that nobody asked for is a problem."""
        for key in self._settings.keys() - self._known:
            self._problems.append(
                f"there is no key {self._name}{key}{nearest(key, self._known)}; "
                f"allowed are {', '.join(sorted(self._name + known for known in self._known))}"
            )

    def _get(self, key: str, allowed: str, *, required: bool = True) -> object:
        self._known.add(key)
        value = self._settings.get(key)
        if value is None and required:
            self._problems.append(f"{self._name}{key} is missing: {allowed}")
        return value

    def _wrong(self, key: str, value: object, allowed: str) -> None:
        self._problems.append(f"{self._name}{key} is {value!r}; allowed is {allowed}")
