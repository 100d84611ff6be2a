from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from reboard.editions.edition import Edition, edition_names, editions_in_the_box, load_edition
from reboard.errors import ConfigError
from reboard.languages import languages

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
def test_each_edition_follows_its_rule_book(
    name: str, start: int, salary: int, jail_fee: int, opening: int | None, interest: int | None
) -> None:
    edition = load_edition(name)
    assert edition.name == name
    assert (edition.start, edition.salary, edition.jail_fee) == (start, salary, jail_fee)
    assert edition.auction.opening == opening
    assert edition.mortgage_interest_percent == interest
    assert (edition.players.fewest, edition.players.most) == (2, 6)
    assert not edition.may_owe


def test_a_hotel_counts_houses_only_in_the_short_games_whose_books_say_so() -> None:
    counted = {edition.name: edition.hotel_houses for edition in editions_in_the_box() if edition.hotel_houses}
    assert counted == {"world/quick": 3, "nintendo/short": 3}


def test_a_variant_inherits_from_its_edition(tmp_path: Path) -> None:
    file = written(tmp_path, GOOD.replace("start =", "ends_at_bankruptcy = 3\nhotel_houses = 2\nstart =") + RACE)
    edition, race = load_edition(f"{file}/race").family()
    assert (edition.name, race.name) == ("village", "village/race")
    assert (race.titles["en"], race.titles["de"]) == ("The Village, race", "The Village, Rennen")
    assert (race.start, race.salary, race.ends_at_bankruptcy, edition.ends_at_bankruptcy) == (1000, 200, 1, 3)
    assert (race.hotel_houses, edition.hotel_houses) == (2, 2)
    file = written(tmp_path, file.read_text(encoding="utf-8") + "hotel_houses = 0\n")
    assert [each.hotel_houses for each in load_edition(file).family()] == [2, 0]


@pytest.mark.parametrize("edition", editions_in_the_box(), ids=lambda edition: str(edition.name))
def test_short_titles_are_unique_and_fit_the_display(edition: Edition) -> None:
    assert 0 < len(edition.short_title.upper()) <= 16
    assert [other.short_title for other in editions_in_the_box()].count(edition.short_title) == 1


@pytest.mark.parametrize("name", edition_names())
def test_every_edition_has_notes_in_each_language(name: str) -> None:
    notes = cast(dict[str, list[str]], load_edition(name).rules()["notes"])
    assert len({tuple(each) for each in notes.values()}) == len(notes) == len(languages())
    assert all(notes.values())


def test_a_wrong_variant_gets_a_hint(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'"world/quik"; did you mean "world/quick"\?'):
        load_edition("world/quik")
    with pytest.raises(ConfigError, match=r'no variant "rase"; did you mean "race"\?; choose one of race'):
        load_edition(f"{written(tmp_path, GOOD + RACE)}/rase")
    with pytest.raises(ConfigError, match=r'no variant "race"; the edition has no variants'):
        load_edition(f"{written(tmp_path, GOOD)}/race")


def test_the_amounts_for_the_block_can_be_written_as_in_older_versions(tmp_path: Path) -> None:
    old = load_edition(written(tmp_path, GOOD + "\n[block]\ncoin = 10\nlaugh = 50\ngame_over = 100\n"))
    assert old.outcomes == {"block": {"coins": 10, "laugh": -50, "game_over": -100}}


def test_a_game_can_be_for_exactly_so_many_players(tmp_path: Path) -> None:
    players = load_edition(written(tmp_path, GOOD.replace("fewest = 2", "fewest = 4"))).players
    assert (players.fewest, players.most) == (4, 4)


@pytest.mark.parametrize(
    ("right", "wrong", "line", "key"),
    [
        ("salary = 200", "sallary = 200", 5, '"salary"?'),
        ("salary = 200", "salary = true", 5, "salary"),
        ("salary = 200", 'salary = "2M"', 5, "salary"),
        ("salary = 200", "salary = 0", 5, "salary"),
        ("salary = 200", "salary = 205", 1, "salary"),
        ("units = false", "units = 0", 9, "money.units"),
        ("most = 4", "most = 9", 14, "players.most"),
        ("most = 4", "most = 1", 12, "fewest"),
        ('"Village"', '"The Village in the Hills"', 3, "short_title"),
        ('"Village"', '"Dörfli"', 3, "short_title"),
        ('title = "The Village"', 'title = ""', 2, "title"),
        ("most = 4", "most = 4\n[outcomes]\nblock = 3", 15, "outcomes"),
        ("most = 4", "most = 4\n[outcomes.block]\ncoins = 10\nlaugh = true", 17, "outcomes.block.laugh"),
        ("most = 4", "most = 4\n[outcomes.block]\ncoins = 1\nlaugh = -50", 1, "outcomes.block.coins"),
        ("salary = 200", "salary = 200\nends_at_bankruptcy = 8", 6, "ends_at_bankruptcy"),
        ("salary = 200", "salary = 200\nhotel_houses = 2.5", 6, "hotel_houses"),
        ("most = 4", "most = 4" + RACE.replace("1_000", "1_005"), 1, "variants.race.start"),
        ("most = 4", "most = 4" + RACE.replace("start", "begin"), 18, '"begin"'),
        ("most = 4", "most = 4" + RACE.replace("en =", "e1 ="), 16, "title"),
        ("most = 4", "most = 4" + RACE.replace("race]", '"my race"]'), 15, "my race"),
        ("salary = 200", "salary = 200\nvariants = 3", 6, "variants"),
    ],
)
def test_a_problem_has_its_line(tmp_path: Path, right: str, wrong: str, line: int, key: str) -> None:
    found = problems(tmp_path, GOOD.replace(right, wrong, 1))
    assert any(problem.startswith(f"{tmp_path}/village.toml:{line}: ") and key in problem for problem in found), found
