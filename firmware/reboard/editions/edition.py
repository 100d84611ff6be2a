"""Editions: the money and the rules of each boxed game, read from a TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from reboard.config.kinds import Section, Several, Whole, flag, text
from reboard.config.reading import KeyPath, Reader, Reading, Unreadable, did_you_mean, read_toml, shown
from reboard.editions.money import Money
from reboard.errors import ConfigError
from reboard.languages import DISPLAY_COLUMNS, ENGLISH, Texts, languages
from reboard.record import Record, replace

MOST_PLAYERS = 8
"""The maximum number of players and cards. No boxed game has more, and the display shows a card number as one digit."""

MOST_VARIANTS = 8

FOLDER = Path(__file__).parent
"""The folder of the built-in editions."""

AMOUNT = Whole(1, 999_999_999_999)
BANKRUPTCIES = Whole(1, MOST_PLAYERS - 1)
HOUSES = Whole(0, 9)


def display_text(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read an ASCII text that fits into one row of the banker unit's display."""
    line = text(reading, path, value)
    if len(line) > DISPLAY_COLUMNS or not line.isascii():
        raise reading.must_be(path, f"a text of at most {DISPLAY_COLUMNS} ASCII characters: no accents, ß or €", value)
    return line


class Players(Record):
    """The smallest and the largest number of players. Each player has a card."""

    fewest: Annotated[int, Whole(1, MOST_PLAYERS), "the smallest number of players"]
    most: Annotated[int, Whole(1, MOST_PLAYERS), "the largest one; one more card gets `TOO MANY CARDS`"]

    def __post_init__(self) -> None:
        if self.fewest > self.most:
            raise ValueError("fewest is larger than most: swap the two numbers")


class Auction(Record):
    """The opening bid and the smallest raise of an auction."""

    opening: Annotated[int | None, AMOUNT, "the opening bid of an auction. Left out: any bid"] = None
    step: Annotated[int | None, AMOUNT, "by how much bids rise. Left out: any bid"] = None


SENTENCES = Several(text, 0, 10)


T = TypeVar("T")
LANGUAGE = re.compile("[a-z]{2,3}")


class InLanguages(Generic[T]):
    """The reader of a *kind* of text: in English, which our catalogues translate, or a table keyed by language code."""

    def __init__(self, kind: Reader[T]) -> None:
        self._kind = kind

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> Mapping[str, T]:
        if not isinstance(value, dict):
            return {ENGLISH: self._kind(reading, path, value)}
        if not value or not all(map(LANGUAGE.fullmatch, value)):
            raise reading.must_be(path, 'a text, or a table of texts like { en = "…", de = "…" }', value)
        return {code: self._kind(reading, (*path, code), text) for code, text in value.items()}


class Variant(Record):
    """A variant of an edition, which changes a few rules. A rule that is ``None`` is the same as in the edition."""

    name: str
    title: Annotated[
        Mapping[str, str],
        InLanguages(text),
        'shown behind the edition\'s title: an English text, or texts like `{ en = "…", de = "…" }`',
    ]
    short_title: Annotated[str, display_text, "for the display, up to 16 characters"]
    start: Annotated[int | None, AMOUNT, "as in the edition. Left out: the edition's"] = None
    ends_at_bankruptcy: Annotated[int | None, BANKRUPTCIES, "as in the edition. Left out: the edition's"] = None
    hotel_houses: Annotated[int | None, HOUSES, "as in the edition. Left out: the edition's"] = None


SIGNED_AMOUNT = Whole(-999_999_999_999, 999_999_999_999)


def outcomes(reading: Reading, path: KeyPath, value: object, /) -> Mapping[str, Mapping[str, int]]:
    """Read the amounts for the outcomes of accessories, from tables like ``[outcomes.block]``."""
    if not isinstance(value, dict) or not all(isinstance(amounts, dict) for amounts in value.values()):
        raise reading.must_be(path, "tables of amounts like [outcomes.block]", value)
    return {
        accessory: {name: SIGNED_AMOUNT(reading, (*path, accessory, name), amount) for name, amount in amounts.items()}
        for accessory, amounts in value.items()
    }


def variants(reading: Reading, path: KeyPath, value: object, /) -> tuple[Variant, ...]:
    """Read the variants of an edition from tables like ``[variants.quick]``, in the order of the file."""
    if not isinstance(value, dict) or len(value) > MOST_VARIANTS:
        has = f"there are {len(value)}" if isinstance(value, dict) else f"variants is {shown(value)}"
        raise reading.wrong(path, f"variants must be up to {MOST_VARIANTS} tables like [variants.quick], but {has}")
    read: list[Variant] = []
    for name, variant in value.items():
        try:
            if not _VARIANT_NAME.fullmatch(name):
                allowed = "have 1 to 16 lower-case letters, digits and hyphens, and begin with a letter"
                raise reading.wrong((*path, name), f"the variant {shown(name)} needs another name: it must {allowed}")
            read.append(Section(Variant, name=name)(reading, (*path, name), variant))
        except Unreadable:
            continue
    if len(read) < len(value):
        raise Unreadable
    return tuple(read)


_VARIANT_NAME = re.compile(r"[a-z][a-z0-9-]{0,15}")


class Edition(Record):
    """The money and the rules of one boxed game. Amounts are as in `Money`.

    A variant is an edition too, with a name like ``world/quick`` and the rules of the variant. *plain* is the
    edition without the variant, or ``None`` if this edition is not a variant.
    """

    name: str
    title: Annotated[str, text, "the game's name, for the page"]
    short_title: Annotated[str, display_text, "the same for the display, up to 16 characters"]
    money: Annotated[Money, Section(Money)]
    players: Annotated[Players, Section(Players)]
    start: Annotated[int, AMOUNT, "what a card starts with: 15M is `15_000_000`"]
    salary: Annotated[int, AMOUNT, "what `GO` pays"]
    jail_fee: Annotated[int, AMOUNT, "the cost of getting out of jail"]
    auction: Annotated[Auction, Section(Auction)] = Auction()
    mortgage_interest_percent: Annotated[
        int | None, Whole(0, 100), "the cost of lifting a mortgage. Left out: printed on the deeds"
    ] = None
    ends_at_bankruptcy: Annotated[
        int | None, BANKRUPTCIES, "at which bankruptcy the game is over. Left out: one player is left"
    ] = None
    hotel_houses: Annotated[
        int, HOUSES, "the houses whose price a hotel's value includes in the final count, besides its own"
    ] = 0
    may_owe: Annotated[bool, flag, "`true`: players may have less than nothing"] = False
    currency: Annotated[str, text, 'the sign written with an amount, such as `"€"`. Left out: none'] = ""
    notes: Annotated[
        Mapping[str, tuple[str, ...]],
        InLanguages(SENTENCES),
        "up to ten sentences for the page, or a table of them like `{ en = […], de = […] }`. Left out: none",
    ] = field(default_factory=dict, hash=False)
    outcomes: Annotated[
        Mapping[str, Mapping[str, int]],
        outcomes,
        "tables like `[outcomes.block]`, with the worth of each outcome of an accessory. Left out: none",
    ] = field(default_factory=dict, hash=False)
    variants: Annotated[tuple[Variant, ...], variants, "tables like `[variants.quick]`, up to 8. Left out: none"] = ()
    variant_title: Mapping[str, str] = field(default_factory=dict, hash=False)
    plain: Edition | None = None

    def __post_init__(self) -> None:
        amounts = {
            "start": self.start,
            "salary": self.salary,
            "jail_fee": self.jail_fee,
            "auction.opening": self.auction.opening,
            "auction.step": self.auction.step,
            **{
                f"outcomes.{accessory}.{name}": amount
                for accessory, amounts in self.outcomes.items()
                for name, amount in amounts.items()
            },
            **{f"variants.{variant.name}.start": variant.start for variant in self.variants},
        }
        odd = [name for name, amount in amounts.items() if amount and amount % self.money.smallest]
        if self.ends_at_bankruptcy and self.ends_at_bankruptcy >= self.players.most:
            raise ValueError(
                f"ends_at_bankruptcy must be less than players.most ({self.players.most}), "
                f"but is {self.ends_at_bankruptcy}"
            )
        if odd:
            smallest = self.money.smallest
            raise ValueError(f"amounts must be multiples of money.smallest ({smallest}). Correct {', '.join(odd)}")

    @property
    def titles(self) -> dict[str, str]:
        """The title in each language of the pages, keyed by language code."""
        if not self.plain:
            return dict.fromkeys(languages(), self.title)
        return _titles(self.plain.title, tuple(self.variant_title.items()))

    def family(self) -> tuple[Edition, ...]:
        """Return the edition without a variant, followed by all its variants."""
        plain = self.plain or self
        return (plain, *map(plain._with, plain.variants))

    def choices(self) -> dict[str, Edition]:
        """Return the editions for a new game: this edition with its variants, and the built-in editions, keyed by name.

        A user's file with the name of a built-in edition replaces that edition and its variants.
        """
        name = (self.plain or self).name
        others = [edition for edition in editions_in_the_box() if (edition.plain or edition).name != name]
        return {edition.name: edition for edition in (self, *self.family(), *others)} | {self.name: self}

    def _with(self, variant: Variant) -> Edition:
        return replace(
            self,
            name=f"{self.name}/{variant.name}",
            title=f"{self.title}, {_english(variant.title)}",
            variant_title=variant.title,
            short_title=variant.short_title,
            start=variant.start or self.start,
            ends_at_bankruptcy=variant.ends_at_bankruptcy or self.ends_at_bankruptcy,
            hotel_houses=self.hotel_houses if variant.hotel_houses is None else variant.hotel_houses,
            plain=self,
        )

    def rules(self) -> dict[str, object]:
        """Return the rules about money and players as a JSON-serializable dictionary, with amounts as text."""

        def shown(amount: int | None) -> str | None:
            return None if amount is None else self.money.shown(amount)

        return {
            "start": shown(self.start),
            "salary": shown(self.salary),
            "jail_fee": shown(self.jail_fee),
            "auction": {"opening": shown(self.auction.opening), "step": shown(self.auction.step)},
            "mortgage_interest_percent": self.mortgage_interest_percent,
            "ends_at_bankruptcy": self.ends_at_bankruptcy,
            "hotel_houses": self.hotel_houses,
            "players": {"fewest": self.players.fewest, "most": self.players.most},
            "currency": self.currency,
            "notes": {
                code: list(self.notes.get(code) or map(Texts(code), self.notes.get(ENGLISH, ())))
                for code in languages()
            },
            "outcomes": {
                accessory: {name: self.money.shown(amount) for name, amount in amounts.items()}
                for accessory, amounts in self.outcomes.items()
            },
        }


@cache
def _titles(title: str, of_variant: tuple[tuple[str, str], ...]) -> dict[str, str]:
    own = dict(of_variant)
    return {code: f"{title}, {own.get(code) or Texts(code)(_english(own))}" for code in languages()}


def _english(texts: Mapping[str, str]) -> str:
    """Return the English text, or else any."""
    return texts.get(ENGLISH) or next(iter(texts.values()))


@cache
def edition_texts() -> frozenset[str]:
    """Return the English texts of the built-in editions: the titles of variants, and the notes."""
    texts = ((each.variant_title.get(ENGLISH), *each.notes.get(ENGLISH, ())) for each in editions_in_the_box())
    return frozenset(filter(None, chain.from_iterable(texts)))


def edition_names() -> tuple[str, ...]:
    """Return the names of the built-in editions, without their variants, in alphabetical order."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))


def editions_in_the_box() -> list[Edition]:
    """Return the built-in editions in alphabetical order, each followed by its variants."""
    return [edition for name in edition_names() for edition in load_edition(name).family()]


def edition_file(name: str) -> Path | None:
    """Return the path of the edition file that *name* contains, or ``None`` if *name* is a built-in edition."""
    plain, _ = split_name(name)
    return Path(plain) if plain.endswith(".toml") else None


def split_name(name: str) -> tuple[str, str]:
    """Split a name like ``world/quick`` or ``folder/mine.toml/quick`` into edition and variant (``""`` if missing)."""
    if name.endswith(".toml"):
        return name, ""
    path, ending, variant = name.rpartition(".toml/")
    if ending:
        return f"{path}.toml", variant
    plain, _, variant = name.partition("/")
    return plain, variant


def joined_name(plain: str | Path, variant: str) -> str:
    """Return the name of the *variant* of an edition, or of the edition if *variant* is ``""``."""
    return f"{plain}/{variant}" if variant else f"{plain}"


def load_edition(name_or_path: str | Path) -> Edition:
    """Load a built-in edition or a user's edition file, or one of its variants, by name (see `split_name`).

    Raises `ConfigError`, with one line for each problem.
    """
    plain, variant = split_name(str(name_or_path))
    if plain.endswith(".toml"):
        edition = _read(Path(plain))
        variants = {own.name.removeprefix(f"{edition.name}/"): own for own in edition.family()[1:]}
        if variant and variant not in variants:
            has = f"choose one of {', '.join(variants)}" if variants else "the edition has no variants"
            raise ConfigError(f'{plain}: there is no variant "{variant}"{did_you_mean(variant, variants)}; {has}')
        return variants[variant] if variant else edition
    if plain in edition_names():
        for edition in _in_the_box(plain).family():
            if edition.name == joined_name(plain, variant):
                return edition
    names = [edition.name for edition in editions_in_the_box()]
    raise ConfigError(
        f'there is no edition "{name_or_path}"{did_you_mean(str(name_or_path), names)}; choose one of '
        f"{', '.join(names)}, or a file of your own that ends in .toml"
    )


@cache
def _in_the_box(name: str) -> Edition:
    return _read(FOLDER / f"{name}.toml")


def _read(file: Path) -> Edition:
    document, lines = read_toml(file)
    if isinstance(block := document.pop("block", None), dict):  # as editions had it up to version 0.2
        signs = {"coins": ("coin", 1), "laugh": ("laugh", -1), "game_over": ("game_over", -1)}
        amounts = {name: sign * block[key] for name, (key, sign) in signs.items() if isinstance(block.get(key), int)}
        document["outcomes"] = {"block": amounts, **document.get("outcomes", {})}
    return Reading(file, lines).read(Section(Edition, name=file.stem, variant_title={}, plain=None), document)
