from pathlib import Path

import pytest

from reboard.edition import Auction, BlockMoney, Edition, edition_names, editions_in_the_box, load_edition
from reboard.errors import ConfigError
from reboard.money import Money

GOOD = """
title = "The Village"
short_title = "Village"
start = 1_500
salary = 200
jail_fee = 50

[money]
units = false
smallest = 10

[players]
fewest = 2
most = 4
"""

RACE = """
[variants.race]
title = { en = "race", de = "Rennen" }
short_title = "Race"
start = 1_000
ends_at_bankruptcy = 1
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "village.toml"
    file.write_text(text, encoding="utf-8")
    return file


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        load_edition(written(folder, text))
    return str(error.value).splitlines()


def test_the_box_has_five_editions() -> None:
    assert edition_names() == ("classic-de", "nintendo", "squishmallows", "super-mario", "world")


@pytest.mark.parametrize(
    ("name", "start", "salary", "jail_fee", "opening", "interest"),
    [
        ("world", 15_000_000, 2_000_000, 500_000, None, 10),
        ("super-mario", 30, 2, 5, 1, None),
        ("classic-de", 1500, 200, 50, 10, 10),
        ("nintendo", 1500, 200, 50, 1, 10),
        ("squishmallows", 1500, 200, 50, 1, 10),
    ],
)
def test_each_edition_is_as_its_rule_book_says(
    name: str, start: int, salary: int, jail_fee: int, opening: int | None, interest: int | None
) -> None:
    edition = load_edition(name)
    assert edition.name == name
    assert (edition.start, edition.salary, edition.jail_fee) == (start, salary, jail_fee)
    assert edition.auction.opening == opening
    assert edition.mortgage_interest_percent == interest
    assert (edition.players.fewest, edition.players.most) == (2, 6)
    assert not edition.may_owe


def test_only_super_mario_has_a_question_block_and_its_amounts_are_the_rule_books() -> None:
    assert {name for name in edition_names() if load_edition(name).block} == {"super-mario"}
    assert load_edition("super-mario").block == BlockMoney(coin=1, laugh=5, game_over=10)


def test_only_the_world_edition_has_units() -> None:
    assert {name for name in edition_names() if load_edition(name).money.units} == {"world"}
    assert load_edition("world").money == Money(units=True, smallest=1000)


def test_the_speed_die_brings_a_thousand_more_in_the_german_classic() -> None:
    edition, variant = load_edition("classic-de"), load_edition("classic-de/speed-die")
    assert edition.auction == variant.auction == Auction(opening=10, step=1)
    assert (edition.start, variant.start) == (1500, 2500)


def test_each_edition_and_variant_says_at_which_bankruptcy_its_game_is_over() -> None:
    ends = {edition.name: edition.ends_at_bankruptcy for edition in editions_in_the_box()}
    assert ends == {
        "classic-de": None,
        "classic-de/speed-die": None,
        "nintendo": None,
        "nintendo/short": 1,
        "squishmallows": None,
        "super-mario": None,
        "world": None,
        "world/quick": 2,
    }


def test_a_variant_takes_what_it_does_not_change_from_its_edition(tmp_path: Path) -> None:
    file = written(tmp_path, GOOD.replace("start =", "ends_at_bankruptcy = 3\nstart =") + RACE)
    edition, race = load_edition(f"{file}/race").family()
    assert (edition.name, race.name) == ("village", "village/race")
    assert race.titles == {"en": "The Village, race", "de": "The Village, Rennen"}
    assert (race.start, race.salary, race.ends_at_bankruptcy, edition.ends_at_bankruptcy) == (1000, 200, 1, 3)


@pytest.mark.parametrize("edition", editions_in_the_box(), ids=lambda edition: str(edition.name))
def test_every_short_title_fits_a_line_of_the_display_and_is_another(edition: Edition) -> None:
    assert 0 < len(edition.short_title.upper()) <= 16
    assert [other.short_title for other in editions_in_the_box()].count(edition.short_title) == 1


@pytest.mark.parametrize("name", edition_names())
def test_every_edition_in_the_box_has_its_notes_in_both_languages(name: str) -> None:
    notes = load_edition(name).notes
    assert len(notes.en) == len(notes.de) > 0


def test_a_new_edition_is_one_new_file(tmp_path: Path) -> None:
    edition = load_edition(str(written(tmp_path, GOOD)))
    assert isinstance(edition, Edition)
    assert (edition.name, edition.title, edition.start) == ("village", "The Village", 1500)
    assert edition.currency == ""
    assert edition.notes.en == edition.notes.de == ()


def test_a_wrong_name_is_told_the_nearest_right_one() -> None:
    with pytest.raises(ConfigError, match=r'"wrold"; did you mean "world"\?; in the box are classic-de, .*'):
        load_edition("wrold")


def test_a_wrong_variant_is_told_the_nearest_right_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'"world/quik"; did you mean "world/quick"\?'):
        load_edition("world/quik")
    with pytest.raises(ConfigError, match=r'no variant "rase"; did you mean "race"\?; its variants are race'):
        load_edition(f"{written(tmp_path, GOOD + RACE)}/rase")
    with pytest.raises(ConfigError, match=r'no variant "race"; it has none'):
        load_edition(f"{written(tmp_path, GOOD)}/race")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: there is no such file"):
        load_edition(tmp_path / "nowhere.toml")


def test_a_file_that_is_no_toml_is_told_its_line(tmp_path: Path) -> None:
    assert problems(tmp_path, "start = \n") == [f"{tmp_path}/village.toml:1: {_INVALID}"]


_INVALID = 'this is not TOML: invalid value (column 9); a text stands in "quotes", yes and no are true and false'


@pytest.mark.parametrize(
    ("right", "wrong", "line", "told"),
    [
        ("salary = 200", "sallary = 200", 5, 'no key "sallary"; did you mean "salary"?'),
        ("salary = 200", "salary = true", 5, "salary must be a whole number from 1 to"),
        ("salary = 200", 'salary = "2M"', 5, "salary must be a whole number from 1 to"),
        ("salary = 200", "salary = 0", 5, "salary must be a whole number from 1 to"),
        ("salary = 200", "salary = 205", 1, "salary cannot be paid: the smallest money is 10"),
        ("units = false", "units = 0", 9, "money.units must be true or false"),
        ("most = 4", "most = 9", 14, "players.most must be a whole number from 1 to 8"),
        ("most = 4", "most = 1", 12, "fewest is more than most"),
        ('"Village"', '"The Village in the Hills"', 3, "short_title must be a text of at most 16 characters"),
        ('"Village"', '"Dörfli"', 3, "short_title must be a text of at most 16 characters without accents"),
        ('title = "The Village"', 'title = ""', 2, "title must be a text"),
        ("most = 4", "most = 4\n[block]\ncoin = 10\nlaugh = 50", 15, '[block] needs the key "game_over"'),
        ("most = 4", "most = 4\n[block]\ncoin = 10\nlaugh = 0\ngame_over = 10", 17, "block.laugh must be a whole"),
        ("most = 4", "most = 4\n[block]\ncoin = 1\nlaugh = 50\ngame_over = 10", 1, "block.coin cannot be paid"),
        ("salary = 200", "salary = 200\nends_at_bankruptcy = 8", 6, "must be a whole number from 1 to 7"),
        ("most = 4", "most = 4" + RACE.replace("1_000", "1_005"), 1, "variants.race.start cannot be paid"),
        ("most = 4", "most = 4" + RACE.replace("start", "begin"), 18, 'no key "begin"'),
        ("most = 4", "most = 4" + RACE.replace("en =", "fr ="), 16, 'needs the key "en"'),
        ("most = 4", "most = 4" + RACE.replace("race]", '"my race"]'), 15, "name of a variant"),
        ("salary = 200", "salary = 200\nvariants = 3", 6, "variants must be up to 8 tables"),
    ],
)
def test_what_is_wrong_is_told_with_file_line_key_and_what_is_allowed(
    tmp_path: Path, right: str, wrong: str, line: int, told: str
) -> None:
    found = problems(tmp_path, GOOD.replace(right, wrong, 1))
    assert any(problem.startswith(f"{tmp_path}/village.toml:{line}: ") and told in problem for problem in found), found


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    assert len(problems(tmp_path, GOOD.replace("start", "begin").replace("most = 4", "most = 40"))) == 3


def test_a_page_is_told_the_rule_books_money_as_the_bank_shows_it() -> None:
    rules = load_edition("world").rules()
    assert (rules["start"], rules["salary"], rules["jail_fee"]) == ("15M", "2M", "500K")
    assert rules["auction"] == {"opening": None, "step": None}
    assert load_edition("classic-de").rules()["auction"] == {"opening": "10", "step": "1"}
    assert load_edition("super-mario").rules()["mortgage_interest_percent"] is None
    assert load_edition("super-mario").rules()["block"] == {"coin": "1", "laugh": "5", "game_over": "10"}
    assert rules["block"] is None
