"""The menu and its dialogs: games, editions, clock, players, and the pot.

In a menu a digit chooses, and ``GO`` does what the display shows as chosen. No key that types or enters an amount does
anything else, because users type amounts into a menu that they have not noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from math import inf
from typing import Any, ClassVar

from reboard.accessories.banker_unit.bankruptcy import back_in, bankruptcy_lines, go_bankrupt
from reboard.accessories.banker_unit.final_count import open_count
from reboard.accessories.banker_unit.inputs import CardIn
from reboard.accessories.banker_unit.paying import CHOICE_S, Offer, close, dropped, fill_pot, leave, offer, replace_card
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Game
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import Dialog, InsertedCard, Lines, Notice, UnitState
from reboard.accessories.banker_unit.vocabulary import CLOCK_LENGTHS_MIN
from reboard.editions.edition import Edition
from reboard.errors import Rejection
from reboard.languages import DISPLAY_COLUMNS as COLUMNS
from reboard.languages import Texts
from reboard.record import Record, replace

HOW_S = 20.0
"""The time for which the display explains how each player pays, in seconds."""

NEW_CARD_PATIENCE_S = 120.0
"""The time for which the unit waits for a card that replaces a lost one, in seconds: it must be found first."""

PAGE = 9
"""The number of choices with different digits."""

# Menus.


class Choice(Record):
    """A choice of a menu, which calls *does* with the state and *args*.

    *text* with *values* is shown behind the *digit*, by default the place in the menu, and *below* it a text until it
    is chosen.
    """

    does: Callable[..., UnitState]
    text: str = ""
    values: tuple[tuple[str, object], ...] = ()
    args: tuple[Any, ...] = ()
    below: Text = Text.MENU_KEYS
    digit: str = ""


class Menu(Dialog):
    """A dialog that shows one choice at a time. What a digit chose is chosen until *choice_until*."""

    name: ClassVar[str] = "menu"
    choices: tuple[Choice, ...]
    at: int = 0
    choice_until: float = inf

    @classmethod
    def of(cls, *choices: Choice) -> Menu:
        return cls(tuple(replace(each, digit=each.digit or str(at % PAGE + 1)) for at, each in enumerate(choices)))

    @property
    def asks(self) -> bool:
        return self.choice_until < inf

    def without_choice(self) -> Menu:
        return replace(self, choice_until=inf)

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        choice = self.choices[self.at]
        if self.asks and choice.does is go_bankrupt:
            return bankruptcy_lines(state, texts)
        shown, below = texts(choice.text, **dict(choice.values)), texts(choice.below, digit=choice.digit)
        if choice.does is _open_player:
            (card,) = choice.args
            shown, balance = state.game.holder(card, texts), state.game.shown(state.game.balances[card], texts)
            room = COLUMNS - 2 - len(shown)
            shown += balance.rjust(room) if len(balance) < room else ""
        elif choice.does is _resume:
            below = datetime.fromtimestamp(choice.args[0].started_at).strftime(texts(Text.WHEN))
        return f"{choice.digit} {shown}"[:COLUMNS], texts(Text.ANSWER_KEYS) if self.asks else below


def _menu(state: UnitState) -> Menu:
    assert isinstance(state.dialog, Menu)
    return state.dialog


def choose(state: UnitState, key: str) -> UnitState:
    """Choose."""
    menu = _menu(state)
    page = menu.at // PAGE * PAGE
    for at, choice in enumerate(menu.choices[page : page + PAGE], page):
        if choice.digit == key:
            return state.showing(replace(menu, at=at, choice_until=state.now + CHOICE_S)).play("key")
    return unchoose(state, key)


def unchoose(state: UnitState, key: str) -> UnitState:
    """Refuse: `PRESS C FIRST`. Clear the choice."""
    return without_choice(state).refuse(BankWhy.DIALOG)


def without_choice(state: UnitState) -> UnitState:
    """Clear what a digit has chosen in a menu or in the final count."""
    if isinstance(state.dialog, Offer) and state.dialog.back:
        return dropped(state)
    return state.showing(state.dialog.without_choice()) if isinstance(state.dialog, Menu) else state


def blinded(state: UnitState) -> UnitState:
    """Close an offer or a menu, because the display has stopped showing it. A final count stays."""
    if not isinstance(state.dialog, Offer | Menu):
        return state
    return dropped(state).refuse(BankWhy.UNSEEN)


def menu_go(state: UnitState, key: str) -> UnitState:
    """Do what is chosen, otherwise show the next."""
    menu = _menu(state)
    if not menu.asks:
        return state.showing(replace(menu, at=(menu.at + 1) % len(menu.choices)))
    choice = menu.choices[menu.at]
    return choice.does(state.showing(menu.without_choice()).cleared(), *choice.args)


def open_menu(state: UnitState) -> UnitState:
    """Open the menu. An amount that is being typed is lost."""
    if state.is_blind:
        return state.refuse(BankWhy.UNSEEN)
    entries = {
        open_count: Text.FINAL_COUNT,
        go_bankrupt: Text.BANKRUPTCY,
        _open_games: Text.OTHER_GAME,
        _open_editions: Text.NEW_EDITION,
        _open_clock: Text.GAME_CLOCK,
        _open_players: Text.PLAYERS_MENU,
        _explain_each: Text.EVERYONE,
        _offer_new_game: Text.NEW_GAME,
        **({_open_pot: Text.BANK_TO_POT} if state.game.has_pot else {}),
    }
    below = {go_bankrupt: Text.CARDS_FIRST}
    menu = Menu.of(*(Choice(does, text, below=below.get(does, Text.MENU_KEYS)) for does, text in entries.items()))
    return (state.broken() if state.entry else state.cleared()).showing(menu)


# Games, editions and the clock.


def _open_games(state: UnitState) -> UnitState:
    titles = {edition.name: edition.short_title for edition in state.game.editions}

    def kept(game: Game) -> Choice:
        return Choice(_resume, titles.get(game.edition, game.edition).upper(), args=(game,))

    def opened(state: UnitState, games: Sequence[Game]) -> UnitState:
        return state.showing(Menu.of(*map(kept, games))) if games else state.refuse(BankWhy.NO_OTHER_GAME)

    return state.ask("kept_games", then=opened)


def _resume(state: UnitState, game: Game) -> UnitState:
    return state.ask_without_cards(
        "resume", game, then=lambda state, _: state.in_another_game().saying(Text.GAME, number=game.id)
    )


def _open_editions(state: UnitState) -> UnitState:
    def choice(edition: Edition) -> Choice:
        return Choice(_start, edition.short_title.upper(), args=(edition,))

    return state.showing(Menu.of(*map(choice, state.game.editions)))


def _start(state: UnitState, edition: Edition) -> UnitState:
    return state.ask_without_cards("start_game", edition, then=started)


def started(state: UnitState, _: object) -> UnitState:
    """Show that a game has started."""
    return state.in_another_game().saying(Text.NEW_GAME)


def _offer_new_game(state: UnitState) -> UnitState:
    if state.cards:
        return state.refuse(BankWhy.CARDS_IN)
    return offer(state, Offer(_start, (state.game.edition,), Text.NEW_GAME))


def _explain_each(state: UnitState) -> UnitState:
    return state.showing(None).saying(Text.HOW_EACH, lasting_s=HOW_S)


def _open_clock(state: UnitState) -> UnitState:
    lengths = (Choice(_set_clock, Text.CLOCK_MINUTES, (("minutes", each),), (each,)) for each in CLOCK_LENGTHS_MIN)
    state = state.showing(Menu.of(*lengths, Choice(_set_clock, Text.CLOCK_OFF, args=(None,))))
    return state if state.game.clock is None else state.saying(Text.MINUTES_LEFT, minutes=state.game.clock)


def _set_clock(state: UnitState, minutes: int | None) -> UnitState:
    text = Text.CLOCK_OFF if minutes is None else Text.CLOCK_MINUTES
    return state.ask(
        "set_clock", minutes, then=lambda state, _: state.showing(None).saying(text, minutes=minutes).play("key")
    )


# Players.


def _open_players(state: UnitState) -> UnitState:
    game = state.game
    choices = (Choice(_open_player, args=(card,), digit=str(card)) for card in sorted(game.balances))
    return state.showing(Menu.of(*choices)) if game.balances else state.refuse(BankWhy.NO_PLAYERS)


def _open_player(state: UnitState, card: int) -> UnitState:
    texts = {open_new_card: Text.LOST, _free: Text.FREE}
    if card in state.game.in_game:
        texts = {leave: Text.LEAVES, **texts}
    elif card in state.game.left:
        texts = {_come_back: Text.COMES_BACK, **texts}
    choices = (Choice(does, text, (("number", card),), (card,)) for does, text in texts.items())
    return state.showing(Menu.of(*choices))


def _come_back(state: UnitState, card: int) -> UnitState:
    return state.ask("come_back", card, then=back_in)


def _free(state: UnitState, card: int) -> UnitState:
    return state.ask_without_cards(
        "free",
        card,
        then=lambda state, _: state.barred().showing(None).saying(Text.IS_FREE, number=card).play("paid"),
    )


class NewCard(Dialog):
    """The dialog that waits for the card which replaces lost *card*."""

    name: ClassVar[str] = "new card"
    patience_s = NEW_CARD_PATIENCE_S
    card: int

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        return texts(Text.LOST, number=self.card), texts(Text.INSERT_NEW_CARD)


def open_new_card(state: UnitState, card: int) -> UnitState:
    """Wait for the card which replaces lost *card*."""
    return state.refuse(BankWhy.CARDS_IN) if state.cards else replace(state.showing(NewCard(card)), down=None)


def offer_new_card(state: UnitState, inserted: CardIn) -> UnitState:
    """Offer to replace the lost card by the card that was just inserted, unless that one plays, too."""
    assert isinstance(state.dialog, NewCard)
    card = state.dialog.card

    def found(state: UnitState, number: int | None) -> UnitState:
        if number == card or number not in state.game.playing:
            state = state.holding(inserted.side, InsertedCard(inserted.tag, why=BankWhy.NOT_IN_THE_GAME))
            args = card, inserted, None if number == card else number
            return offer(state, Offer(replace_card, args, Text.NEW_CARD, (("number", card),)))
        state = state.holding(inserted.side, InsertedCard(inserted.tag, why=BankWhy.SAME_CARD_TWICE))
        return state.refuse(BankWhy.SAME_CARD_TWICE, Notice(Text.IN_USE, {"number": number}))

    return state.ask("number_of", inserted.tag, then=found)


# The pot.


class FillPotDialog(Dialog):
    """The dialog in which the amount is typed that the bank pays into the Free Parking pot."""

    name: ClassVar[str] = "pot"

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        return texts(Text.BANK_TO_POT), f"+ {texts.amount(state.entry.shown)}".rjust(COLUMNS)


def _open_pot(state: UnitState) -> UnitState:
    return state.refuse(BankWhy.CARDS_IN) if state.cards else state.showing(FillPotDialog())


def pot_amount(state: UnitState, key: str) -> UnitState:
    """Offer to pay the amount into the pot."""
    try:
        if state.taken or state.entry.is_broken:
            raise Rejection(BankWhy.CARDS_IN if state.taken else BankWhy.TORN)
        amount = state.game.edition.money.typed(state.entry.text, key)
    except Rejection as rejection:
        return state.cleared().refuse(rejection.why)
    return offer(state, Offer(fill_pot, (amount,), Text.POT_GETS, (("amount", amount),)))


def pot_c(state: UnitState, key: str) -> UnitState:
    """Clear the amount, or close it."""
    return state.cleared().play("key") if state.entry else close(state, key)
