"""The state of the unit apart from the game, and the effects of a key, a card or a request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Literal, Protocol

from reboard.accessories.banker_unit.schema import BANK, POT
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.errors import Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_records import EndedGame
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.accessories.banker_unit.schema import Transfer
    from reboard.editions.edition import Edition
    from reboard.editions.money import Money

Side = Literal["left", "right"]
"""A slot: the left one receives, the right one pays."""

OTHER_SIDE: Mapping[Side, Side] = {"left": "right", "right": "left"}

Lines = tuple[str, str]

MOST_TYPED = 13
"""A line has no room for more behind a card's number. An amount this long is rejected anyway."""

REST_S = 1.0
"""The pause after which the next key starts a new amount."""

REST_AFTER_WAKING_S = 2.0
"""The same after a key woke the unit: the display shows the notice for this long."""

REST_BEFORE_CARD_S = 0.5
"""A card that is inserted after this long without a key starts a new amount, too."""

OUT_S = 0.2
"""A card that is back sooner was not taken out: its reader flickers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The amount that is being typed: digits and points in *text*, right or wrong, until a key enters them.

    When its first digits are lost, the rest must not become an amount: users type on for a while before they look up.
    A torn entry refuses digits until the keypad has rested, an entering key is pressed, or the entry is cleared. *lost*
    is its first key, if that woke the unit. *into_pot*: the amount goes into the Free Parking pot. Times are of the
    event loop's clock.
    """

    text: str = ""
    into_pot: bool = False
    is_torn: bool = False
    lost: str = ""
    key_at: float = -inf
    torn_at: float = -inf

    def pressed(self, at: float) -> Entry:
        """Note when the next key went down: with a slow disk that is long ago."""
        rested_s = at - max(self.key_at, self.torn_at)
        rest_s = REST_AFTER_WAKING_S if self.lost else REST_S
        return replace(self, is_torn=self.is_torn and rested_s < rest_s, key_at=at)

    def card_in(self, at: float) -> Entry:
        """Note when a card was inserted."""
        is_new = not self.lost and at - self.key_at >= REST_BEFORE_CARD_S and at - self.torn_at >= OUT_S
        return replace(self, is_torn=self.is_torn and not is_new)

    @property
    def can_begin_with_point(self) -> bool:
        """Whether a point would be the first key of an amount."""
        return not self.text and not (self.is_torn and self.lost != ".")

    def type(self, key: str) -> Entry:
        """Add a digit, a point, or a ``K`` that adds two zeros. What does not fit the line is ignored.

        Raises ``Rejection("torn")``.
        """
        if self.is_torn:
            raise Rejection("torn")
        added = "00" * bool(self.text) if key == "K" else key
        return replace(self, text=self.text + added) if len(self.text + added) <= MOST_TYPED else self

    def amount(self, key: str, money: Money) -> int:
        """Return the amount that *key* enters. Raises `Rejection` as `Money.typed` does."""
        if self.is_torn:
            raise Rejection("torn")
        return money.typed(self.text, key)

    def cleared(self, *, into_pot: bool = False) -> Entry:
        """Drop the typed amount: the next key starts a new one."""
        return replace(self, text="", is_torn=False, into_pot=into_pot)

    def torn(self, lost: str = "") -> Entry:
        """Drop an amount that the user may still be typing."""
        return replace(self, text="", is_torn=True, lost=lost, torn_at=asyncio.get_running_loop().time())


@dataclass(frozen=True, slots=True)
class InsertedCard:
    """A card in a slot. Without a *number* it was rejected: the slot counts as empty."""

    tag: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Retirement:
    """The bankruptcy of a card that had nothing: no money moved."""

    card: int


@dataclass(frozen=True, slots=True)
class Undoable:
    """The transfer that ``C`` can take back while its cards are in. *at*: the event loop's clock."""

    what: Transfer | Retirement
    at: float

    def concerns(self, card: int) -> bool:
        """Whether *card* took part."""
        if isinstance(self.what, Retirement):
            return self.what.card == card
        return card in (self.what.from_, self.what.to)


@dataclass(frozen=True, slots=True)
class UnitState:
    """The state of the unit, apart from the game. Handlers return a new one."""

    cards: Mapping[Side, InsertedCard] = field(default_factory=dict)
    entry: Entry = Entry()
    dialog: Dialog | None = None
    undoable: tuple[Undoable, ...] = ()
    is_refused: bool = False
    """Whether the last touch was rejected, so that ``C`` only dismisses the notice."""
    hold_counts: bool = True
    """Whether the key that is down may be held, or released, for its other meaning."""
    takes_back: bool = False
    """Whether the ``C`` that is down takes a transfer back when it is released."""
    deal_started_at: float | None = None
    """The start of the running deal, on the event loop's clock. `Effects.deal` starts and stops it."""

    def tag(self, side: Side) -> str | None:
        """Return the tag of the card in a slot."""
        card = self.cards.get(side)
        return card.tag if card else None

    def number(self, side: Side) -> int | None:
        """Return the number of the card in a slot, unless it was rejected."""
        card = self.cards.get(side)
        return card.number if card else None

    @property
    def taken(self) -> tuple[Side, ...]:
        """The slots with a card that plays."""
        return tuple(side for side, card in self.cards.items() if card.number)

    @property
    def alone(self) -> int | None:
        """The number of the only card that is in."""
        numbers = [card.number for card in self.cards.values() if card.number]
        return numbers[0] if len(numbers) == 1 else None

    def with_card(self, side: Side, card: InsertedCard | None) -> UnitState:
        """Put *card* into a slot; ``None``: empty it."""
        others = {other: present for other, present in self.cards.items() if other != side}
        return replace(self, cards={**others, side: card} if card else others)

    def with_entry(self, entry: Entry) -> UnitState:
        """Replace the entry."""
        return replace(self, entry=entry)

    def with_undoable(self, what: Transfer | Retirement) -> UnitState:
        """Let ``C`` take *what* back next, also after a rejection."""
        undoable = Undoable(what, asyncio.get_running_loop().time())
        return replace(self, undoable=(*self.undoable, undoable), is_refused=False)

    def without_transfer(self, number: int | None) -> UnitState:
        """Forget a transfer that was taken back."""
        return self._without(lambda each: not isinstance(each.what, Retirement) and each.what.id == number)

    def without_retirement(self, card: int) -> UnitState:
        """Forget the retirement of a card that plays again."""
        return self._without(lambda each: each.what == Retirement(card))

    def without_undoable_of(self, card: int) -> UnitState:
        """Forget what *card* took part in, because it was taken out."""
        return self._without(lambda each: each.concerns(card))

    def _without(self, is_gone: Callable[[Undoable], bool]) -> UnitState:
        return replace(self, undoable=tuple(each for each in self.undoable if not is_gone(each)))

    def for_another_game(self) -> UnitState:
        """Forget unfinished input of the game before."""
        return replace(self, undoable=(), entry=self.entry.cleared(), dialog=None)


@dataclass(frozen=True, slots=True)
class Notice:
    """A text of the display, with its values."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


NO_NOTICE = Notice("")
"""Ends the notice that is shown."""


@dataclass(frozen=True, slots=True)
class PotNotice:
    """The balance of the Free Parking pot."""


@dataclass(frozen=True, slots=True)
class TransferNotice:
    """One of the last transfers of *card*; *place* 1 is the newest."""

    place: int
    card: int
    transfer: Transfer


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a key, a card or a request, which the unit carries out in this order.

    A handler that changes nothing raises `Rejection`; one that changes the state all the same returns the *rejection*.
    *done* are the slots whose card did what it was inserted for.
    """

    state: UnitState
    events: Sequence[tuple[str, Mapping[str, object]]] = ()
    done: Sequence[Side] = ()
    steps_volume: bool = False
    deal: Literal["start", "stop"] | None = None
    sound: str | None = None
    notice: Notice | PotNotice | TransferNotice | None = None
    rejection: Rejection | None = None


def another_game(state: UnitState, notice: Notice) -> Effects:
    """Return the effects of a game that was started or continued."""
    return Effects(state.for_another_game(), deal="stop", sound="new_game", notice=notice)


@dataclass(frozen=True, slots=True)
class GameView:
    """A copy of the game's data that the display shows."""

    edition: Edition
    balances: Mapping[int, int]
    retired: frozenset[int]
    names: Mapping[int, str]
    pot: int
    ended: EndedGame | None

    @classmethod
    def of(cls, session: GameSession) -> GameView:
        """Copy the current game."""
        names = {card: session.names.of(card) for card in session.balances}
        return cls(
            session.edition, dict(session.balances), frozenset(session.retired), names, session.pot, session.ended
        )

    @property
    def playing(self) -> list[int]:
        """The cards in the game that have not gone bankrupt."""
        return [card for card in sorted(self.balances) if card not in self.retired]

    def shown(self, amount: int) -> str:
        """Return *amount* as the edition writes it."""
        return self.edition.money.shown(amount)

    def holder(self, account: int, texts: Texts) -> str:
        """Return the name of an account's holder, or a default name."""
        if account == BANK:
            return texts(Text.BANK)
        if account == POT:
            return texts(Text.POT)
        return self.names.get(account) or texts(Text.CARD, number=account)


class Dialog(Protocol):
    """A dialog of the display and the keys. Cards can come and go meanwhile."""

    @property
    def patience_s(self) -> float:
        """The time without a key or card after which it closes."""

    def lines(self, state: UnitState, game: GameView, texts: Texts) -> Lines:
        """Return the two lines of the display. A notice takes the second line."""

    async def key(self, key: str, state: UnitState, session: GameSession) -> Effects:
        """Handle a key. Raises `Rejection`."""
