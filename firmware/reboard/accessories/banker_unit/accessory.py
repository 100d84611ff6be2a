"""The banker unit as an accessory: its config, its devices, its requests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from reboard.accessories.accessory import Accessory, Argument, Request, TableContext, optional, text, whole
from reboard.accessories.banker_unit.announcements import Announcer
from reboard.accessories.banker_unit.balance_chart import BalanceChart
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.ledger_check import check_ledger
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.printed_cards import ask_for_printed_cards
from reboard.accessories.banker_unit.texts import LANGUAGES, must_be
from reboard.accessories.banker_unit.unit import BankerUnit
from reboard.accessories.chart import Chart
from reboard.config.kinds import ByKind, Choice, Section, Several, flag
from reboard.config.kinds import text as text_setting
from reboard.config.pins_and_ports import tag
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import CheckContext, FittedDevice, SetupStep
from reboard.devices.display import DISPLAY, DISPLAY_SECTION, AbsentDisplay, Display, DisplayConfig
from reboard.devices.keypad import KEYPAD, AbsentKeypad, Keypad, KeypadConfig
from reboard.devices.readers.card_slot import CARD_SLOT, SLOT_KINDS, SlotConfig, mixed_readers
from reboard.devices.readers.reader import Slot
from reboard.editions.edition import MOST_PLAYERS
from reboard.events import EventKind
from reboard.finding import Finding

ROW = whole(2**63 - 1, least=1)
"""The number of a game or a transfer in the ledger."""

CARDS = tuple(str(number) for number in range(1, MOST_PLAYERS + 1))
WORTH = whole(10**15)
"""The worth of deeds and houses: no balance is higher."""


def _is_worths(value: object) -> bool:
    return isinstance(value, dict) and all(card in CARDS and WORTH.allows(worth) for card, worth in value.items())


WORTHS = Argument(f'an object of cards, "1" to "{CARDS[-1]}", each with {WORTH.words}', _is_worths)


def player_name(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the name of a player."""
    name = text_setting(reading, path, value)
    if allowed := must_be(name):
        raise reading.must_be(path, allowed, value)
    reading.claim(f"the name {name}", path)
    return name


@dataclass(frozen=True, slots=True)
class BankConfig:
    """``[bank]``, the banker unit.

    *cards* are the tags of cards 1, 2, …, *names* the players with them.
    *pot*: the game has a Free Parking pot.
    """

    left: Annotated[SlotConfig | None, ByKind("reader", SLOT_KINDS)] = None
    right: Annotated[SlotConfig | None, ByKind("reader", SLOT_KINDS)] = None
    keypad: Annotated[KeypadConfig | None, Section(KeypadConfig)] = None
    display: Annotated[DisplayConfig | None, DISPLAY_SECTION] = None
    cards: Annotated[tuple[str, ...], Several(tag, 0, MOST_PLAYERS)] = ()
    names: Annotated[tuple[str, ...], Several(player_name, 0, MOST_PLAYERS)] = ()
    language: Annotated[str, Choice(*LANGUAGES)] = "en"
    pot: Annotated[bool, flag] = False


class BankerUnitAccessory(Accessory[BankConfig]):
    """The banker unit of Monopoly Here & Now: The World Edition."""

    name = "bank"
    title = "Banker unit"
    order = 30
    question = "Is there a banker unit, with card readers, keypad or display?"
    section = Section(BankConfig)
    absent_snapshot: Mapping[str, object] = {
        "game": None,
        "display": ["", ""],
        "ended": None,
        "clock": None,
        "cards": [],
        "pot": None,
        "slots": {"left": None, "right": None},
        "deal": None,
        "transfers": [],
        "editions": [],
    }
    requests: Mapping[str, Request] = {
        "history": Request({}, changes=False),
        "new_game": Request({"game": optional(ROW), "edition": optional(text(200))}),
        "end_game": Request({"game": ROW, "worths": optional(WORTHS)}),
        "undo": Request({"transfer": ROW}),
        "name": Request({"card": whole(MOST_PLAYERS, least=1), "name": text(60, least=0)}),
    }
    internal_requests = ("book_outcome",)
    events: Mapping[str, EventKind] = {
        "card.inserted": EventKind("slot", "number"),
        "card.removed": EventKind("slot", "number"),
        "transfer": EventKind("id", "game", "from", "to", "amount", "reason", "undoes"),
        "refused": EventKind("why"),
        "game.started": EventKind("game", "edition"),
        "game.resumed": EventKind("game", "edition"),
        "game.ended": EventKind("game", "ranking"),
        "game.clock": EventKind("minutes"),
        "named": EventKind("number", "name"),
        "deal.started": EventKind(),
        "deal.tick": EventKind(is_passing=True),
        "deal.ended": EventKind(),
        "deal.cancelled": EventKind(),
    }
    charts: Mapping[str, Chart] = {"balances": BalanceChart()}

    def devices(self, config: BankConfig | None) -> Sequence[FittedDevice[Any, Any]]:
        return (_slot(config, "left"), _slot(config, "right"), _keypad(config), _display(config))

    def describe(self, config: BankConfig) -> Iterator[tuple[str, str]]:
        yield "left slot (+)", _slot(config, "left").describe()
        yield "right slot (-)", _slot(config, "right").describe()
        yield "keypad", _keypad(config).describe()
        yield "display", _display(config).describe()
        known = f"{len(config.cards)} known beforehand" if config.cards else "each gets the next number when first seen"
        yield "cards", known
        if config.names:
            yield "names", ", ".join(config.names)
        if config.language != LANGUAGES[0]:
            yield "language", config.language
        if config.pot:
            yield "pot", "fines and taxes can go into a Free Parking pot"

    def setup_steps(self) -> Sequence[FittedDevice[Any, Any] | SetupStep]:
        return (_slot(None, "left"), _slot(None, "right"), ask_for_printed_cards, _display(None), _keypad(None))

    async def checks(self, config: BankConfig | None, context: CheckContext) -> AsyncIterator[Finding]:
        async for finding in check_ledger(context, is_fitted=config is not None):
            yield finding

    def findings(self, config: BankConfig) -> Iterator[Finding]:
        if config.left and config.right and (mixed := mixed_readers(config.left.reader, config.right.reader)):
            yield mixed

    @asynccontextmanager
    async def open(self, config: BankConfig, context: TableContext) -> AsyncIterator[BankerUnit]:
        board, emit = context.board, context.emit
        announcer = context.keep("announcer", lambda: Announcer(context.emit_kept))
        async with AsyncExitStack() as devices:
            open_ledger = partial(LedgerFile, context.state / LEDGER_FILE, database=board.open_database)
            ledger_thread = LedgerThread(open_ledger)
            devices.push_async_callback(ledger_thread.close)
            rng = context.randomness("deal")
            yield BankerUnit(
                await devices.enter_async_context(_slot(config, "left").open(board, emit)),
                await devices.enter_async_context(_slot(config, "right").open(board, emit)),
                await devices.enter_async_context(_keypad(config).open(board, emit)),
                await devices.enter_async_context(_display(config).open(board, emit)),
                context.speaker,
                edition=context.edition,
                ledger_thread=ledger_thread,
                rng=rng,
                emit=emit,
                announcer=announcer,
                wall_time=board.wall_time,
                cards=config.cards,
                names=config.names,
                language=config.language,
                pot=config.pot,
            )


def _slot(config: BankConfig | None, side: str) -> FittedDevice[SlotConfig, Slot | None]:
    slot: SlotConfig | None = getattr(config, side, None)
    role = "receives (+)" if side == "left" else "pays (-)"
    return FittedDevice(
        f"bank.{side}",
        f"{side} slot",
        CARD_SLOT,
        slot,
        wiring=side,
        line=side,
        question=f"Is there a {side} slot, which {role}?",
    )


def _keypad(config: BankConfig | None) -> FittedDevice[KeypadConfig, Keypad | AbsentKeypad]:
    return FittedDevice(
        "bank.keypad",
        "keypad",
        KEYPAD,
        None if config is None else config.keypad,
        line="key",
        usual=KeypadConfig((23, 24, 25, 12), (5, 6, 16, 26)),
    )


def _display(config: BankConfig | None) -> FittedDevice[DisplayConfig, Display | AbsentDisplay]:
    return FittedDevice(
        "bank.display",
        "display",
        DISPLAY,
        None if config is None else config.display,
        wiring="display",
        question="Is there a display of two lines, with an I²C backpack?",
    )


BANKER_UNIT = BankerUnitAccessory()
