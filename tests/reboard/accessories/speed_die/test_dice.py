"""The dice are fair, and a roll means what the rule book says. tests/plays/die_*.play have the accessory."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from random import Random

import pytest

from reboard.accessories.speed_die.dice import BUS, MR_MONOPOLY, WHITE_DICE, Roll, roll, roll_for_rent
from reboard.accessories.speed_die.faces import frames, lines
from reboard.errors import ConfigError
from reboard.languages import DISPLAY, DISPLAY_COLUMNS, Texts, languages
from reboard.table_config import parse_config

ROLLS = 21_600
"""100 for each of the 216 outcomes."""

MOST = {215: 329.0, 35: 91.0}
"""The chi-square, by degrees of freedom, that fair dice exceed with a probability of 10⁻⁶ (Wilson and Hilferty)."""

RED_IN_SIXTHS = {"1": 1, "2": 1, "3": 1, BUS: 1, MR_MONOPOLY: 2}
PIPS = range(1, 7)


def chi_square(draw: Callable[[], Hashable], expected: Mapping[Hashable, float]) -> float:
    """The chi-square of `ROLLS` draws, whose expected numbers are in the ratio of *expected*."""
    seen = Counter(draw() for _ in range(ROLLS))
    assert seen.keys() <= expected.keys()
    whole = sum(expected.values())
    shares = {outcome: ROLLS * weight / whole for outcome, weight in expected.items()}
    return sum((seen[outcome] - share) ** 2 / share for outcome, share in shares.items())


def with_red(rng: Random) -> tuple[int, int, str]:
    rolled = roll("speed", rng)
    return rolled.white[0], rolled.white[1], str(rolled.red)


ALL_THREE: Mapping[Hashable, float] = {
    (a, b, red): float(weight) for a, b in product(PIPS, PIPS) for red, weight in RED_IN_SIXTHS.items()
}


def test_every_outcome_of_the_three_dice_is_as_likely_as_it_should_be() -> None:
    rng = Random("fair")
    assert chi_square(lambda: with_red(rng), ALL_THREE) < MOST[215]


def test_a_roll_has_no_memory() -> None:
    rng = Random("memory")
    last = [roll("one", rng)]

    def pair() -> tuple[int, int]:
        before, last[0] = last[0], roll("one", rng, last[0])
        return before.white[0], last[0].white[0]

    assert chi_square(pair, dict.fromkeys(product(PIPS, PIPS), 1.0)) < MOST[35]


def test_the_test_notices_a_die_that_is_three_percent_wrong() -> None:
    rng = Random("loaded")

    def loaded() -> tuple[int, int]:
        first, second = roll("two", rng).white
        return (6, second) if rng.random() < 0.03 else (first, second)

    assert chi_square(loaded, dict.fromkeys(product(PIPS, PIPS), 1.0)) > MOST[35]


class Fixed(Random):
    """Dice that fall as a test needs them."""

    def __init__(self, *faces: object) -> None:
        super().__init__(0)
        self._faces = list(faces)

    def randint(self, a: int, b: int) -> int:
        return int(str(self._faces.pop(0)))

    def choice(self, seq: object) -> object:  # type: ignore[override]
        return self._faces.pop(0)


def after(*rolls: tuple[object, ...], mode: str = "speed", plain: int = 0) -> Roll:
    """Return the last of *rolls*. The first *plain* of them are of the white dice alone."""
    last = None
    for number, faces in enumerate(rolls):
        last = roll(mode, Fixed(*faces), last, is_plain=number < plain)
    assert last
    return last


DOUBLE = (4, 4, BUS)


@pytest.mark.parametrize(
    ("rolls", "means"),
    [
        ([(1, 2, "3")], None),
        ([(1, 2, "2")], None),
        ([DOUBLE], "double"),
        ([(4, 4, "3")], "double"),
        ([(2, 2, "2")], "triple"),
        ([DOUBLE, DOUBLE], "double"),
        ([DOUBLE, DOUBLE, DOUBLE], "jail"),
        ([DOUBLE, DOUBLE, (3, 3, "3")], "triple"),
        ([DOUBLE, DOUBLE, DOUBLE, DOUBLE], "double"),
        ([DOUBLE, (1, 2, BUS), DOUBLE, DOUBLE], "double"),
        ([DOUBLE, DOUBLE, (3, 3, "3"), DOUBLE], "double"),
    ],
)
def test_a_roll_means_what_the_rules_say(rolls: list[tuple[object, ...]], means: str | None) -> None:
    assert after(*rolls).means == means


def test_doubles_of_the_white_dice_alone_count_by_themselves() -> None:
    assert after((4, 4), DOUBLE, DOUBLE, plain=1).means == "double"
    assert after((4, 4), (4, 4), (4, 4), plain=3).means == "jail"


@pytest.mark.parametrize(
    ("faces", "total"), [((6, 6, "3"), 15), ((2, 5, "1"), 8), ((4, 4, BUS), 8), ((1, 2, MR_MONOPOLY), 3)]
)
def test_in_a_roll_for_rent_bus_and_mr_monopoly_count_nothing(faces: tuple[object, ...], total: int) -> None:
    rolled = roll_for_rent("speed", Fixed(*faces))
    assert (rolled.total, rolled.means, rolled.doubles) == (total, "rent", 0)


@pytest.mark.parametrize("mode", WHITE_DICE)
def test_every_roll_can_be_shown(mode: str) -> None:
    rng = Random(1)
    for kind in (roll, partial(roll, is_plain=True), roll_for_rent):
        for _ in range(500):
            rolled = kind(mode, rng)
            for shown, _seconds in frames(rolled):
                assert len(shown) == len(str(rolled).split())
                assert all(len(rows) == 8 and max(rows) < 256 for rows in shown)
            for language in languages():
                assert all(len(line) <= DISPLAY_COLUMNS for line in lines(rolled, Texts(language, DISPLAY)))


@pytest.mark.parametrize(
    ("settings", "named"),
    [("", "matrix"), ("matrix = { modules = 2 }", "3 dice"), ('matrix = { modules = 1 }\nmode = "two"', "2 dice")],
)
def test_dice_that_nothing_can_show_are_a_config_error(settings: str, named: str) -> None:
    document = tomllib.loads(f'edition = "classic-de"\n[die]\nbutton = 4\n{settings}\n')
    with pytest.raises(ConfigError, match=named):
        parse_config(document, path=Path("table.toml"))
