"""A new game in another edition, at the keypad."""

from __future__ import annotations

from pathlib import Path

from reboard.banker.ledger import Ledger
from reboard.edition import editions_in_the_box
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import AtTheTable, Play, table

OWN = """
title = "The game of our street"
short_title = "Our street"
start = 100
salary = 10
jail_fee = 5

[money]
units = false
smallest = 1

[players]
fewest = 2
most = 8
"""

STREET_RACE = """
[variants.race]
title = { en = "race", de = "Rennen" }
short_title = "Street race"
start = 300
"""


async def offered(table: AtTheTable, presses: int) -> list[str]:
    shown = []
    for _ in range(presses):
        shown.append(table.lines[0])
        await table.key("GO")
    return shown


def test_every_edition_in_the_box_is_offered_the_configs_first(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(4)
        others = [edition for edition in editions_in_the_box() if not edition.name.startswith("nintendo")]
        titles = ["NINTENDO", "NINTENDO SHORT", *(edition.short_title.upper() for edition in others)]
        assert await offered(table, len(titles) + 1) == [*titles, titles[0]]
        assert table.lines[1] == "GO NEXT   M OKAY"

    play(hands, edition="nintendo")


def test_m_begins_a_game_in_it_with_the_cards_of_the_one_before(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.key("GO")
        await table.remove("left")
        await table.choose(4)
        await table.key("GO")
        await table.key("M")
        assert table.lines[0] == "NEW GAME"
        assert table.sounds[-1] == "new_game"
        chosen = table.unit.edition
        assert chosen.name != "world"
        assert table.told("game.started")[-1] == {"game": 2, "edition": chosen.name}
        assert table.balances == {1: chosen.start}
        assert await table.books.ask(lambda ledger: ledger.balances(1)) == {1: 17_000_000}
        await table.key("C", seconds=3.1)
        assert table.unit.edition is chosen, "a new game is in the edition of the one before"

    play(hands)


def test_with_a_card_in_none_begins(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(4)
        await table.insert("left", 1)
        await table.key("M")
        assert table.refusals == ["cards in"]
        assert len(table.told("game.started")) == 1

    play(hands)


def test_other_keys_change_nothing_and_c_leaves(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(4)
        for key in ("1", ".", "K", "DEAL"):
            await table.key(key)
            assert table.lines[0] == "WORLD EDITION"
        await table.key("C")
        assert table.lines == ("WORLD EDITION", "INSERT CARD")
        assert len(table.told("game.started")) == 1

    play(hands)


def test_a_variant_of_the_owners_edition_comes_first_when_the_config_names_it(
    ledger_file: Path, tmp_path: Path
) -> None:
    own = tmp_path / "world.toml"
    own.write_text(OWN + STREET_RACE, encoding="utf-8")

    async def main() -> None:
        async with table(ledger_file, edition=f"{own}/race") as at_own:
            await at_own.insert("left", 1)
            assert at_own.lines == ("+1 300", "")
            await at_own.remove("left")
            await at_own.choose(4)
            assert await offered(at_own, 3) == ["STREET RACE", "OUR STREET", "MONOPOLY"]
            names = [edition["name"] for edition in at_own.unit.snapshot()["editions"]]  # type: ignore[attr-defined]
            assert names[:3] == ["world/race", "world", "classic-de"]
            assert "world/quick" not in names, "that is a variant of the edition in the box"

    run(main)


def test_an_edition_of_the_owners_is_offered_and_chosen_again(ledger_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "street.toml"
    own.write_text(OWN, encoding="utf-8")

    async def main() -> None:
        async with table(ledger_file, edition=str(own)) as at_own:
            await at_own.choose(4)
            assert (await offered(at_own, 2))[0] == "OUR STREET"
            await at_own.key("M")
            assert at_own.unit.edition.name != "street"
            await at_own.choose(4)
            await at_own.key("M")
            await at_own.insert("left", 1)
            assert at_own.lines == ("+1 100", "")
            assert await at_own.books.ask(Ledger.verify) == []

    run(main)
