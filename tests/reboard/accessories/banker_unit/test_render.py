from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.accessories.banker_unit.dialogs import choose, open_menu
from reboard.accessories.banker_unit.display_text import Messages, render
from reboard.accessories.banker_unit.game_record import GameRecord
from reboard.accessories.banker_unit.ledger_errors import Cause
from reboard.accessories.banker_unit.payments import NO_PAYMENTS, Payment
from reboard.accessories.banker_unit.player_names import Names
from reboard.accessories.banker_unit.texts import display_texts
from reboard.accessories.banker_unit.unit_state import MOST_TYPED, Entry, InsertedCard, Notice, UnitState
from reboard.accessories.banker_unit.vocabulary import Side
from reboard.editions.edition import edition_names, load_edition
from reboard.languages import languages

SIDES: tuple[Side, ...] = ("left", "right")
TOO_LONG = Notice("5 DIGITS AT MOST")
WORLD = load_edition("world")
STATES = st.builds(
    UnitState,
    st.just(GameRecord(WORLD, {})),
    cards=st.dictionaries(
        st.sampled_from(SIDES), st.builds(InsertedCard, st.just("D1"), st.sampled_from([1, 2, None]))
    ),
    entry=st.builds(
        Entry, text=st.text("0123456789.", max_size=MOST_TYPED), is_broken=st.booleans(), into_pot=st.booleans()
    ),
    deal_at=st.sampled_from([None, 1.0]),
    notice=st.sampled_from([None, TOO_LONG]),
)
MESSAGES = st.builds(
    Messages,
    is_waiting=st.booleans(),
    fault=st.sampled_from([None, "left slot", "something else that is long"]),
    no_ledger=st.sampled_from([*[None] * len(Cause), *Cause]),
)


@given(
    state=STATES,
    messages=MESSAGES,
    name=st.sampled_from(edition_names()),
    language=st.sampled_from(languages()),
    balances=st.fixed_dictionaries({1: st.integers(0, 99_999), 2: st.integers(0, 99_999)}),
    player=st.sampled_from(["", "Zoe", "Marianne"]),
)
def test_lines_always_fit_and_neither_an_entry_nor_a_balance_is_cut(
    state: UnitState, messages: Messages, name: str, language: str, balances: dict[int, int], player: str
) -> None:
    edition = load_edition(name)
    balances = {card: count * edition.money.smallest for card, count in balances.items()}
    state = replace(state, game=GameRecord(edition, balances, names=Names([player])))
    texts = display_texts(language)
    lines = render(state, messages, texts)
    assert all(len(line) <= 16 for line in lines)
    if messages.no_ledger:
        return
    if state.entry:
        assert any(line.endswith(texts.amount(state.entry.shown)) for line in lines)
    beside = {texts.amount(state.entry.shown), texts("AUCTION"), f"{texts('AUCTION')[:4]}."}
    for side, sign, line in zip(SIDES, "+-", lines, strict=True):
        number = state.number(side)
        if number and line.startswith(f"{sign}{number}"):
            first = line.split()[1:2]
            assert first in ([], [texts.amount(edition.money.shown(balances[number]))]) or first[0] in beside


@pytest.mark.parametrize("text", ["12345.5", "1" * MOST_TYPED])
def test_a_balance_stays_beside_an_entry_where_there_is_room(text: str) -> None:
    right: dict[Side, InsertedCard] = {"right": InsertedCard("D2", 2)}
    game = GameRecord(WORLD, {1: 12_345_000, 2: 12_345_000})
    state = UnitState(game, cards=right, entry=Entry(text=text))
    assert render(state, Messages(), display_texts("en")) == (f"{text:>16}", "-2 12.345M")
    both = replace(state, cards={**right, "left": InsertedCard("D1", 1)})
    assert render(both, Messages(), display_texts("en")) == ("+1 12.345M", f"-2{text:>14}")


def test_a_deal_and_a_fault_take_a_free_place_and_never_that_of_a_notice() -> None:
    game = GameRecord(WORLD, {1: 15_000_000, 2: 15_000_000}, names=Names(["Zoe"]))
    left, right = InsertedCard("D1", 1), InsertedCard("D2", 2)
    idle, one = UnitState(game), UnitState(game, cards={"left": left})
    both = UnitState(game, cards={"left": left, "right": right})
    long = replace(both, game=GameRecord(WORLD, {1: 12_345_000, 2: 123_456_000}))
    fault = "left slot"
    for state, messages, lines in [
        (replace(idle, deal_at=1.0), Messages(), ("WORLD EDITION", "         AUCTION")),
        (replace(both, deal_at=1.0), Messages(), ("+1 15M   AUCTION", "-2 15M")),
        (replace(long, deal_at=1.0), Messages(), ("+1 12.345M AUCT.", "-2 123.456M")),
        (replace(both, deal_at=1.0, notice=TOO_LONG), Messages(), ("5 DIGITS AT MOST", "-2 15M   AUCTION")),
        (idle, Messages(fault=fault), ("WORLD EDITION", "! LEFT SLOT")),
        (one, Messages(fault=fault), ("+1 15M", "! LEFT SLOT")),
        (replace(one, notice=TOO_LONG), Messages(fault=fault), ("+1 15M", "5 DIGITS AT MOST")),
    ]:
        assert render(state, messages, display_texts("en")) == lines


@pytest.mark.parametrize(
    ("from_", "to", "amount", "lines"),
    [
        (1, 2, 12_345_000, ("Großmama>12,345M", "Marianne    GO/C")),
        (1, 3, 12_345_000, ("Großmama > Zoe", "12,345M     GO/C")),
        (2, 4, 12_345_000, ("Marianne>KARTE 4", "12,345M     GO/C")),
        (3, 0, 2_000_000, ("Zoe > BANK    2M", "GO JA     C NEIN")),
        (4, 5, 12_345_000, ("4 > 5    12,345M", "GO JA     C NEIN")),
    ],
)
def test_a_payment_of_a_phone_names_the_players(from_: int, to: int, amount: int, lines: tuple[str, str]) -> None:
    game = GameRecord(WORLD, dict.fromkeys(range(1, 6), 15_000_000), names=Names(["Großmama", "Marianne", "Zoe"]))
    asked = Payment("id", 0, from_, to, amount, "players", by=0, asked_at=0.0)
    state = UnitState(game, payments=NO_PAYMENTS.with_asked(asked), can_show=True)
    assert render(state, Messages(), display_texts("de")) == lines


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", edition_names())
def test_no_name_of_eight_letters_is_cut_where_money_is_confirmed(name: str, language: str) -> None:
    edition, texts = load_edition(name), display_texts(language)
    game = GameRecord(edition, {1: 1, 2: 1}, names=Names(["Großmama", "Marianne"]))
    longest = edition.money.typed("123.45" if edition.money.units else "12345", "M")
    asked = Payment("id", 0, 1, 2, longest, "players", by=0, asked_at=0.0)
    cards: dict[Side, InsertedCard] = {"right": InsertedCard("D1", 1), "left": InsertedCard("D2", 2)}
    for state in (
        UnitState(game, payments=NO_PAYMENTS.with_asked(asked), can_show=True),
        choose(open_menu(UnitState(game, cards=cards)), "2"),
    ):
        first, second = render(state, Messages(), texts)
        assert first.startswith("Großmama>")
        assert second.startswith("Marianne ")
        assert len(first) <= 16 >= len(second)
