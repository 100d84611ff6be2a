"""The dialogs of the menu: final count and ranking, bankruptcy, games, editions, clock, players, and the pot.

In a menu a digit chooses, and ``GO`` does what the display shows as chosen. No key that types or enters an amount does
anything else, because users type amounts into a menu that they have not noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from reboard.accessories.banker_unit.game_records import CLOCK_LENGTHS_MIN, EndedGame, KeptGame, ranking
from reboard.accessories.banker_unit.paying import Offer, drop, leave, offer
from reboard.accessories.banker_unit.schema import BANK
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.accessories.banker_unit.unit_state import (
    Act,
    Ask,
    Dialog,
    Lines,
    Notice,
    Side,
    Sound,
    Step,
    UnitState,
    another_game,
    done,
    refuse,
)
from reboard.board import COLUMNS
from reboard.errors import REJECTIONS, Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.schema import Transfer

COUNT_PATIENCE_S = 600.0
"""The time without a key or card after which the final count and the ranking close, in seconds.

It is long because the players add up deeds and houses between two cards."""

D = TypeVar("D", bound=Dialog)

CHOICE_S = 5.0
"""The time for which a digit's choice can be confirmed, in seconds. So a forgotten choice is none, and the second ``C``
that closes a final count with added amounts comes soon."""

PAGE = 9
"""The number of choices that the digits 1 to 9 can tell apart."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of a menu, with its *digit*. *does* is a key of `CHOICES`, and *args* are the function's arguments.

    *text* with *values* is shown behind the digit, or without a text, the player of the card in *args*. *detail* is
    shown below it, until it is chosen.
    """

    digit: str
    does: str
    text: str
    values: tuple[tuple[str, object], ...] = ()
    args: tuple[Any, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Menu(Dialog):
    """A dialog that shows one choice at a time."""

    name: ClassVar[str] = "menu"
    choices: tuple[Choice, ...]
    at: int = 0

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        choice = self.choices[self.at]
        is_chosen = self.choice_until < inf
        if is_chosen and choice.does == "bankrupt":
            return _bankruptcy_lines(state, texts)
        shown = texts(choice.text, **dict(choice.values)) if choice.text else state.game.holder(choice.args[0], texts)
        first = f"{choice.digit} {shown}"[:COLUMNS]
        if is_chosen:
            return first, texts(Text.ANSWER_KEYS)
        return first, choice.detail or texts(Text.MENU_KEYS, digit=choice.digit)


def numbered(does: str, *choices: Choice) -> Menu:
    """Return a menu of *choices*, all of which do *does* if they do not say what, with the digits 1 to 9."""
    return Menu(
        tuple(
            replace(choice, digit=choice.digit or str(place % PAGE + 1), does=choice.does or does)
            for place, choice in enumerate(choices)
        )
    )


def choose(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which a digit chooses, among the nine choices around the shown one."""
    menu = _menu(state)
    page = menu.at // PAGE * PAGE
    for place, choice in enumerate(menu.choices[page : page + PAGE], page):
        if choice.digit == key:
            return state.with_dialog(replace(menu, at=place, choice_until=at + CHOICE_S), at), (Sound("key"),)
    return unchoose(state, key, at)


def unchoose(state: UnitState, key: str, at: float) -> Step:
    """Return the step that rejects a key, and clears the choice."""
    assert state.dialog
    return refuse(state.with_dialog(without_choice(state.dialog), at), "dialog", at)


def without_choice(dialog: D) -> D:
    """Return *dialog* in which nothing is chosen."""
    return replace(dialog, choice_until=inf)


def _menu(state: UnitState) -> Menu:
    assert isinstance(state.dialog, Menu)
    return state.dialog


def menu_go(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which ``GO`` does what is chosen, or shows the next choice if nothing is."""
    menu = _menu(state)
    if menu.choice_until == inf:
        return state.with_dialog(replace(menu, at=(menu.at + 1) % len(menu.choices)), at), ()
    choice = menu.choices[menu.at]
    state = state.with_dialog(without_choice(menu), at).with_entry(state.entry.cleared())
    return CHOICES[choice.does](state, at, *choice.args)


def open_menu(state: UnitState, at: float) -> Step:
    """Return the step that opens the menu. An amount that is being typed is lost."""
    entry = state.entry.broken(at) if state.entry else state.entry.cleared()
    choices = [
        Choice("", "count", Text.FINAL_COUNT),
        Choice("", "bankrupt", Text.BANKRUPTCY),
        Choice("", "games", Text.OTHER_GAME),
        Choice("", "editions", Text.NEW_EDITION),
        Choice("", "clock", Text.GAME_CLOCK),
        Choice("", "players", Text.PLAYERS_MENU),
    ]
    if state.game.has_pot:
        choices.append(Choice("", "pot", Text.BANK_TO_POT))
    return state.with_entry(entry).with_dialog(numbered("", *choices), at), ()


# Games, editions and the clock.


def _open_games(state: UnitState, at: float) -> Step:
    def opened(state: UnitState, games: Sequence[KeptGame], at: float) -> Step:
        if not games:
            return refuse(state, "no other game", at)
        return state.with_dialog(numbered("resume", *map(_kept, games)), at), ()

    return state, (Ask("kept_games", (), opened),)


def _kept(kept: KeptGame) -> Choice:
    values = (("edition", kept.game.edition.upper()[:10]), ("number", kept.players))
    when = datetime.fromtimestamp(kept.game.started_at)
    return Choice("", "", Text.KEPT_GAME, values, (kept.game,), f"{when:%Y-%m-%d %H:%M}")


def _resume(state: UnitState, at: float, game: Any) -> Step:
    return _change_game(state, at, Ask("resume", (game,), partial(_in_game, text=Text.GAME)))


def _open_editions(state: UnitState, at: float) -> Step:
    editions = (
        Choice("", "", "{title}", (("title", edition.short_title.upper()),), (edition,))
        for edition in state.game.editions
    )
    return state.with_dialog(numbered("start", *editions), at), ()


def _start(state: UnitState, at: float, edition: Any) -> Step:
    return _change_game(state, at, Ask("start_game", (edition,), partial(_in_game, text=Text.NEW_GAME)))


def _change_game(state: UnitState, at: float, ask: Ask) -> Step:
    return refuse(state, "cards in", at) if state.taken else (state, (ask,))


def _in_game(state: UnitState, _: object, at: float, *, text: Text) -> Step:
    return another_game(state, Notice(text, {"number": state.game.id}), at)


def _open_clock(state: UnitState, at: float) -> Step:
    lengths = (Choice("", "", Text.CLOCK_MINUTES, (("minutes", each),), (each,)) for each in CLOCK_LENGTHS_MIN)
    state = state.with_dialog(numbered("set clock", *lengths, Choice("", "", Text.CLOCK_OFF, args=(None,))), at)
    if state.game.clock is not None:
        state = state.saying(Notice(Text.MINUTES_LEFT, {"minutes": state.game.clock}), at)
    return state, ()


def _set_clock(state: UnitState, at: float, minutes: int | None) -> Step:
    notice = Notice(Text.CLOCK_OFF) if minutes is None else Notice(Text.CLOCK_MINUTES, {"minutes": minutes})

    def is_set(state: UnitState, _: object, at: float) -> Step:
        return state.with_dialog(None, at).saying(notice, at), (Sound("key"),)

    return state, (Ask("set_clock", (minutes,), is_set),)


# Bankruptcy.


def _bankruptcy_lines(state: UnitState, texts: Texts) -> Lines:
    card, game = state.number("right"), state.game
    if card is None:
        return texts(Text.BANKRUPTCY), texts(Text.CARD_TO_RIGHT)
    first = texts(Text.BANKRUPT, number=card)
    if card in game.retired:
        return first, texts(Text.COME_BACK)
    if game.balances[card] < 0:
        return first, texts(Text.BANK_FORGIVES)
    creditor = state.number("left")
    if creditor is None:
        return first, texts(Text.ALL_TO_BANK)
    named = texts(Text.ALL_TO, who=game.holder(creditor, texts))
    # half a name is enough in a ranking, but here money is given away
    return first, named if len(named) <= COLUMNS else texts(Text.ALL_TO, who=texts(Text.CARD, number=creditor))


def _bankrupt(state: UnitState, at: float) -> Step:
    card, left = state.number("right"), state.number("left")
    if card is None or state.rejected:
        return refuse(state, state.rejected or "no card", at)
    if card in state.game.retired:
        return state, (Ask("readmit", (card,), _back_in),)
    return state, (Ask("bankrupt", (card, left or BANK), partial(_went_bankrupt, card=card)),)


def _back_in(state: UnitState, _: object, at: float) -> Step:
    return state.with_dialog(None, at).saying(Notice(Text.BACK_IN), at), (Sound("undone"), *done(state))


def _went_bankrupt(state: UnitState, transfer: Transfer | None, at: float, *, card: int) -> Step:
    state = state.with_dialog(None, at).with_act(Act.of([transfer], at, card=card, reason="bankrupt"))
    game, effects = state.game, done(state)
    if not game.is_over:
        out = Notice(REJECTIONS["bankrupt"].display)
        return state.saying(out, at), (Sound("paid"), *effects)
    state = state.saying(Notice(Text.GAME_OVER), at)
    if game.ends_with_count and len(game.in_game) > 1:
        # the final count finds the winner
        return state.with_dialog(FinalCount(), at), (Sound("time_up"), *effects)
    won = {player: game.balances[player] for player in game.playing}
    return state, (*effects, Ask("end", (won,), _has_won, _not_ended))


def _has_won(state: UnitState, _: EndedGame, at: float) -> Step:
    return state, (Sound("winner"),)


def _not_ended(state: UnitState, _: Rejection, at: float) -> Step:
    # the bankruptcy is saved: a disk that refuses the end must not leave it open
    return state, ()


# The final count.


@dataclass(frozen=True, slots=True)
class FinalCount(Dialog):
    """The dialog that adds the values of deeds and houses to the balances, and ends the game.

    An amount is added to the worth of the card in the slots, if there is only one. Only players count: neither bankrupt
    cards nor those that only joined. Without cards, 1 and ``GO`` end the game. *asks* is whether a second ``C`` closes
    the count, which has amounts.
    """

    name: ClassVar[str] = "count"
    patience_s: ClassVar[float] = COUNT_PATIENCE_S
    added: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    asks: bool = False

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        card, game = state.alone, state.game
        if card is None:
            if self.choice_until < inf and not self.asks:
                return texts(Text.END_GAME), texts(Text.ANSWER_KEYS)
            if state.entry:
                return texts(Text.FINAL_COUNT), state.entry.shown.rjust(COLUMNS)
            return texts(Text.FINAL_COUNT), texts(REJECTIONS["two cards"].display if state.taken else Text.COUNT_KEYS)
        last = state.entry.shown or next((game.shown(amount) for amount in self.added.get(card, ())[-1:]), "")
        return f"{card} {game.shown(self.worth(card, state))}", f"+ {last}".rstrip().rjust(COLUMNS)

    def worth(self, card: int, state: UnitState) -> int:
        """Return the balance of *card* plus its added amounts."""
        return state.game.balances[card] + sum(self.added.get(card, ()))

    def worths(self, state: UnitState) -> dict[int, int]:
        """Return the worth of each player."""
        return {card: self.worth(card, state) for card in state.game.playing}


def open_count(state: UnitState, at: float) -> Step:
    """Return the step that opens the final count, with a reminder of what a hotel is worth if the book has a rule."""
    state = state.with_dialog(FinalCount(), at)
    hotel = Notice(Text.HOTEL_COUNTS, {"houses": state.game.edition.hotel_houses})
    return state.saying(hotel if state.game.edition.hotel_houses else None, at), ()


def _count(state: UnitState) -> FinalCount:
    assert isinstance(state.dialog, FinalCount)
    return state.dialog


def count_digit(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which a digit or a point is typed, or 1 without a card chooses the end of the game."""
    if state.alone:
        state = state.with_entry(state.entry.typed(key)).with_dialog(FinalCount(_count(state).added), at)
        return state, (Sound("key"),)
    if key == "1" and not state.taken:
        return state.with_dialog(replace(_count(state), choice_until=at + CHOICE_S, asks=False), at), (Sound("key"),)
    return refuse(state, "two cards" if state.taken else "no card", at)


def count_amount(state: UnitState, key: str, at: float) -> Step:
    """Return the step that adds the typed amount to the worth of the only card."""
    count, card, game, entry = _count(state), state.alone, state.game, state.entry
    state = state.with_entry(entry.cleared())
    if card is None:
        return refuse(state, "two cards" if state.taken else "no card", at)
    if entry.is_broken:
        return refuse(state, "torn", at)
    if card not in game.playing:
        return refuse(state, "bankrupt" if card in game.retired else "not playing", at)
    try:
        amount = game.edition.money.typed(entry.text, key)
    except Rejection as rejection:
        return refuse(state, rejection.why, at)
    if count.worth(card, state) + amount > game.edition.money.largest:
        return refuse(state, "too much", at)
    added = {**count.added, card: (*count.added.get(card, ()), amount)}
    return state.with_dialog(FinalCount(added), at), (Sound("received"),)


def count_go(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which ``GO`` ends the game, if 1 chose that."""
    count = _count(state)
    if state.entry.text and state.alone:
        return refuse(state, "m enters", at)
    if state.taken or count.asks or count.choice_until == inf:
        return refuse(state, "cards in" if state.taken else "dialog", at)
    worths = count.worths(state)
    if not worths:
        return refuse(state, "no players", at)
    state = state.with_entry(state.entry.cleared()).with_dialog(Ranking(FinalCount(count.added)), at)
    if state.game.ended and state.game.ended.worths == worths:
        return state, ()

    def refused(state: UnitState, rejection: Rejection, at: float) -> Step:
        return refuse(state.with_dialog(FinalCount(count.added), at), rejection.why, at)

    return state, (Ask("end", (worths,), _has_won, refused),)


def count_c(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which ``C`` clears the amount, removes the last one of the card, or closes the count."""
    count, card = _count(state), state.alone or 0
    if state.entry:
        return state.with_entry(state.entry.cleared()), (Sound("undone"),)
    if count.added.get(card):
        added = {**count.added, card: count.added[card][:-1]}
        return state.with_dialog(FinalCount(added), at), (Sound("undone"),)
    if any(count.added.values()) and not (count.asks and count.choice_until < inf):
        asking = replace(count, asks=True, choice_until=at + CHOICE_S)
        return state.with_dialog(asking, at).saying(Notice(Text.COUNT_ENDS), at), ()
    return state.with_dialog(None, at), ()


@dataclass(frozen=True, slots=True)
class Ranking(Dialog):
    """A dialog that shows one player at a time, in the order of the ranking."""

    name: ClassVar[str] = "ranking"
    patience_s: ClassVar[float] = COUNT_PATIENCE_S
    count: FinalCount
    at: int = 0

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        ranked = ranking(self.count.worths(state))
        if not ranked:
            return texts(Text.FINAL_COUNT), ""
        best = ranked[self.at % len(ranked)]
        return f"{best.place}. {state.game.holder(best.card, texts)}", state.game.shown(best.worth).rjust(COLUMNS)


def next_place(state: UnitState, key: str, at: float) -> Step:
    """Return the step that shows the next player of the ranking."""
    assert isinstance(state.dialog, Ranking)
    return state.with_dialog(replace(state.dialog, at=state.dialog.at + 1), at), ()


def back_to_count(state: UnitState, key: str, at: float) -> Step:
    """Return the step that goes back from the ranking to the final count."""
    assert isinstance(state.dialog, Ranking)
    return state.with_dialog(state.dialog.count, at), ()


# Players.


def _open_players(state: UnitState, at: float) -> Step:
    game = state.game
    if not game.balances:
        return refuse(state, "no players", at)
    players = (
        Choice(str(card), "", "", args=(card,), detail=game.shown(balance))
        for card, balance in sorted(game.balances.items())
    )
    return state.with_dialog(numbered("player", *players), at), ()


def _open_player(state: UnitState, at: float, card: int) -> Step:
    number, game = (("number", card),), state.game
    choices = [Choice("", "lost", Text.LOST, number), Choice("", "free", Text.FREE, number)]
    if card in game.in_game:
        choices.insert(0, Choice("", "leave", Text.LEAVES, number))
    elif card in game.left:
        choices.insert(0, Choice("", "come back", Text.COMES_BACK, number))
    return state.with_dialog(numbered("", *(replace(choice, args=(card,)) for choice in choices)), at), ()


def _leave(state: UnitState, at: float, card: int) -> Step:
    return leave(state.with_dialog(None, at), at, card)


def _come_back(state: UnitState, at: float, card: int) -> Step:
    return state, (Ask("come_back", (card,), _back_in),)


def _free(state: UnitState, at: float, card: int) -> Step:
    def is_free(state: UnitState, _: object, at: float) -> Step:
        state = replace(state.with_dialog(None, at), undoable=())
        for side in state.taken:
            if state.number(side) == card:
                state = state.with_card(side, replace(state.cards[side], number=None, why="left"))
        return state.saying(Notice(Text.IS_FREE, {"number": card}), at), (Sound("paid"),)

    return state, (Ask("free", (card,), is_free),)


@dataclass(frozen=True, slots=True)
class NewCard(Dialog):
    """The dialog that waits for the card which replaces lost *card*."""

    name: ClassVar[str] = "new card"
    card: int

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        return texts(Text.LOST, number=self.card), texts(Text.INSERT_NEW_CARD)


def open_new_card(state: UnitState, at: float, card: int) -> Step:
    """Return the step that waits for the card which replaces lost *card*."""
    if state.cards:
        return refuse(state, "cards in", at)
    return state.with_dialog(NewCard(card), at), ()


def offer_new_card(state: UnitState, side: Side, tag: str, at: float) -> Step:
    """Return the step that offers to replace the lost card by the card *tag*, which was just inserted."""
    assert isinstance(state.dialog, NewCard)
    card = state.dialog.card
    return offer(state, Offer("replace", (card, tag, side), Text.NEW_CARD, (("number", card),)), at)


# The pot.


@dataclass(frozen=True, slots=True)
class FillPot(Dialog):
    """The dialog in which the amount is typed that the bank pays into the Free Parking pot."""

    name: ClassVar[str] = "pot"

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        return texts(Text.BANK_TO_POT), f"+ {state.entry.shown}".rjust(COLUMNS)


def _open_pot(state: UnitState, at: float) -> Step:
    return refuse(state, "cards in", at) if state.cards else (state.with_dialog(FillPot(), at), ())


def pot_digit(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which a digit or a point of the pot's amount is typed."""
    return state.with_entry(state.entry.typed(key)), (Sound("key"),)


def pot_amount(state: UnitState, key: str, at: float) -> Step:
    """Return the step that offers to pay the typed amount into the pot."""
    entry, game = state.entry, state.game
    state = state.with_entry(entry.cleared())
    if entry.is_broken:
        return refuse(state, "torn", at)
    try:
        amount = game.edition.money.typed(entry.text, key)
    except Rejection as rejection:
        return refuse(state, rejection.why, at)
    return offer(state, Offer("fill pot", (amount,), Text.POT_GETS, (("amount", game.shown(amount)),)), at)


def pot_c(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which ``C`` clears the amount, or closes the dialog."""
    if state.entry:
        return state.with_entry(state.entry.cleared()), (Sound("key"),)
    return drop(state, key, at)


CHOICES: Mapping[str, Callable[..., Step]] = {
    "count": open_count,
    "bankrupt": _bankrupt,
    "games": _open_games,
    "resume": _resume,
    "editions": _open_editions,
    "start": _start,
    "clock": _open_clock,
    "set clock": _set_clock,
    "players": _open_players,
    "player": _open_player,
    "leave": _leave,
    "come back": _come_back,
    "lost": open_new_card,
    "free": _free,
    "pot": _open_pot,
}
"""What ``GO`` does with a choice."""
