"""The display's text: two lines of sixteen characters that show the state of the unit and the game."""

from __future__ import annotations

from collections.abc import Mapping

from reboard.accessories.banker_unit.accounts import CARDS, POT, Reason
from reboard.accessories.banker_unit.game_record import GameRecord
from reboard.accessories.banker_unit.game_settings import EndedGame, ranking
from reboard.accessories.banker_unit.ledger_errors import Cause
from reboard.accessories.banker_unit.payments import Payment
from reboard.accessories.banker_unit.texts import Text, both_ends
from reboard.accessories.banker_unit.unit_state import (
    SIDES,
    AnyNotice,
    Lines,
    Notice,
    PotNotice,
    TransferNotice,
    UnitState,
)
from reboard.accessories.banker_unit.vocabulary import Side
from reboard.languages import DISPLAY_COLUMNS as WIDTH
from reboard.languages import Texts

SHORTEST_DEAL = 5
"""The number of characters for a running deal between two long balances: ``AUCT.``."""

PARTS: Mapping[str, Text] = {"clock": Text.DATE}
"""The display's texts for parts that have another name there."""


class Messages:
    """The messages on the display that are not part of the unit's state.

    *is_waiting* is whether the disk is slow. *fault* is the name of the part with a fault, such as ``ledger``, or
    ``None``. *no_ledger* is the reason why the ledger cannot be opened, or ``None``.
    """

    def __init__(self, *, is_waiting: bool = False, fault: str | None = None, no_ledger: Cause | None = None) -> None:
        self.is_waiting = is_waiting
        self.fault = fault
        self.no_ledger = no_ledger


def render(state: UnitState, messages: Messages, texts: Texts) -> Lines:
    """Return the two lines for the display.

    If the ledger cannot be opened, they show the edition's title and the cause. In a dialog, they show the dialog, and
    a notice replaces the second line. A payment that a player asks for is shown like a dialog. While a card is in, its
    place on the display says that it waits.

    The first line shows the card in the left slot, and the second line the card in the right slot. Without cards, the
    first line shows a title, and the second line a fault, the winner, the pot or a prompt. The typed amount is at the
    right end of the only card's line, or else of the second line. If the balance leaves no room, the amount is in the
    other line, or else it hides the balance. A notice replaces the other line. Another accessory's notice fills both
    lines if there is neither card nor amount; it does not replace a card's line. Without a notice, an empty other line
    shows a fault, or else the name of the player with the only card. The word for a running deal is in a line with
    space, or replaces a balance.
    """
    game = state.game
    notice = texts(Text.WAIT_FOR_DISK) if messages.is_waiting else notice_text(state.notice, game, texts)
    title = texts(game.edition.short_title.upper())
    if messages.no_ledger:
        return title, texts(Text[messages.no_ledger.name])
    if state.dialog:
        first_line, second_line = state.dialog.lines(state, texts)
        return first_line, second_line if state.dialog.asks and not messages.is_waiting else notice or second_line
    if state.question:
        keys = texts(Text.ANSWER_KEYS), texts(Text.SHORT_KEYS)
        first_line, second_line = _payment_lines(state.question, game, texts, *keys)
        return first_line, texts(Text.WAIT_FOR_DISK) if messages.is_waiting else second_line

    left, right = (_card_line(sign, side, state, game, texts) for sign, side in zip("+-", SIDES, strict=True))
    first, second = left or _Line(""), right or _Line("")
    if not notice and not state.entry.into_pot and state.payments.waiting and state.can_show and (left or right):
        notice = texts(Text.WAITS)
    if not notice and not state.entry.into_pot and not (left and right) and state.shown_code:
        notice = texts(Text.JOIN_CODE, code=state.shown_code)
    if state.guest and not notice and not state.entry.into_pot:
        guest = _guest_lines(state.guest, game, texts)
        if not (left or right or state.entry):
            return guest[0], guest[1]
        if not (left and right):
            notice = guest[0]
    deal = texts(Text.DEAL) if state.deal_at is not None else ""
    fault = f"! {texts(PARTS.get(messages.fault) or messages.fault.upper())}"[:WIDTH] if messages.fault else ""
    if not notice and state.entry.into_pot:
        notice = texts(Text.TO_POT)
    if not left and not right:
        joins = state.has_no_display and game.pay != "off"
        idle = texts(Text.JOIN_ON_A_PHONE if joins else Text.INSERT_CARD)
        if game.ended:
            title, idle = texts(Text.GAME_OVER), _winner(game.ended, game, texts)
        elif game.pot:
            idle = _pot(game, texts)
        first = _Line(title)
        second = _Line("" if state.entry or deal else fault or idle)
    payer, other = (first, second) if left and not right else (second, first)
    if notice:
        other.text = other.short = notice
    elif fault and not other.text and not deal:
        other.text = fault
    elif state.alone and not other.text:
        other.text = game.names.on_display(state.alone)
    if state.entry:
        lines = [payer] if notice else [payer, other]
        shown = texts.amount(state.entry.shown)
        next((line for line in lines if line.has_room_for(shown)), payer).add(shown)
    if deal:
        _place(deal, [line for line in (other, payer) if not line.right], notice)
    return str(first), str(second)


def _guest_lines(guest: Payment | tuple[str | Notice, str | Notice], game: GameRecord, texts: Texts) -> Lines:
    if isinstance(guest, Payment):
        return _payment_lines(guest, game, texts)
    first, second = (line if isinstance(line, str) else notice_text(line, game, texts) for line in guest)
    return first, second


def notice_text(notice: AnyNotice | None, game: GameRecord, texts: Texts) -> str:
    """Return the text of a notice, for one line of the display, or ``""`` if there is none."""
    match notice:
        case None:
            return ""
        case Notice(text, values):
            return game.said(texts, text, values)
        case PotNotice():
            return _pot(game, texts)
        case TransferNotice():
            return _transfer(notice, game, texts)


class _Line:
    """A line with *text* on the left and *right* on the right. *short* replaces *text* if both do not fit."""

    def __init__(self, text: str, short: str = "") -> None:
        self.text = text
        self.short = short
        self.right = ""

    def has_room_for(self, right: str) -> bool:
        return not self.right and len(self.text) + bool(self.text) + len(right) <= WIDTH

    def add(self, right: str) -> None:
        if not self.has_room_for(right):
            self.text = self.short
        self.right = right

    def __str__(self) -> str:
        return (self.text + self.right.rjust(WIDTH - len(self.text))).rstrip()


def _card_line(sign: str, side: Side, state: UnitState, game: GameRecord, texts: Texts) -> _Line | None:
    """Return the line of a card: its number and its balance, or why it was rejected. ``None`` without a card."""
    card = state.cards.get(side)
    if card and card.number:
        return _Line(f"{sign}{card.number} {game.shown(game.balances[card.number], texts)}", f"{sign}{card.number}")
    return _Line(texts(card.why.display)) if card and card.why else None


def _place(deal: str, lines: list[_Line], notice: str) -> None:
    """Add *deal* to an empty line or a line with space, shortened if it must be.

    Otherwise, it replaces a balance, but never a notice.
    """
    short = f"{deal[: SHORTEST_DEAL - 1]}."
    candidates = (
        *((line, deal) for line in lines if not line.text),
        *((line, word) for word in (deal, short) for line in lines if line.has_room_for(word)),
        *((line, deal) for line in lines if not notice or line.text != notice),
    )
    for line, word in candidates[:1]:
        line.add(word)


def _winner(ended: EndedGame, game: GameRecord, texts: Texts) -> str:
    winners = [ranked.card for ranked in ranking(ended.worths) if ranked.place == 1]
    if len(winners) == 1:
        return game.said(texts, Text.WINNER, {"who": winners[0]})
    named = " & ".join(game.holder(winner, texts) for winner in winners)
    return named if len(named) <= WIDTH else texts(Text.WINNERS, number=len(winners))


def _payment_lines(payment: Payment, game: GameRecord, texts: Texts, keys: str = "", short_keys: str = "") -> Lines:
    """Return the lines for a payment that a phone asks for, with the *keys* that answer it, or that it has made.

    Long names leave no room for the amount beside them, and only for *short_keys*.
    """
    from_, to = payment.from_, payment.to
    if payment.reason == Reason.START:
        return game.said(texts, Text.JOINS, {"who": to}), keys
    if payment.reason == Reason.BANKRUPT:
        first = game.said(texts, Text.BANKRUPT, {"who": from_})
        first = first if len(first) <= WIDTH else game.holder(from_, texts)
        return first, both_ends(f">{game.holder(to, texts)}", short_keys).rstrip()
    amount, names = game.shown(payment.amount, texts), [game.holder(account, texts) for account in (from_, to)]
    numbers = [str(each) if each in CARDS else name for each, name in zip((from_, to), names, strict=True)]
    for shown in (names,) if game.names.on_display(from_) or game.names.on_display(to) else (names, numbers):
        for arrow in (" > ", ">"):
            if len(parties := arrow.join(shown)) < WIDTH - len(amount):
                return both_ends(parties, amount), keys
    return game.transfer_lines(from_, to, amount, short_keys, texts)


def _pot(game: GameRecord, texts: Texts) -> str:
    amount = game.shown(game.pot, texts)
    named = f"{texts(POT.name)} {amount}"
    return named if len(named) <= WIDTH else amount


def _transfer(notice: TransferNotice, game: GameRecord, texts: Texts) -> str:
    """Return the text of a transfer for a card's owner: place (1 is the newest), amount, other account.

    A long name takes the room of the place. If there is still too little, a player's name is cut, and any other name is
    left out, because part of a card's number would be a different number.
    """
    transfer = notice.transfer
    is_received = transfer.to == notice.card
    other = transfer.from_ if is_received else transfer.to
    amount = f"{'+' if is_received else '-'}{game.shown(transfer.amount, texts)}"
    name = game.holder(other, texts)
    if len(line := f"{notice.place} {amount} {name}") <= WIDTH:
        return line
    if len(line := f"{amount} {name}") > WIDTH:
        line = f"{amount} {game.names.on_display(other)}"
    return line[:WIDTH].rstrip()
