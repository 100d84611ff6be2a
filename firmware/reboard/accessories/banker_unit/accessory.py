"""The banker unit as an accessory: its config, devices, requests, events, setup steps and ledger check."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from reboard.accessories.accessory import Accessory, TableContext
from reboard.accessories.banker_unit import entities
from reboard.accessories.banker_unit.announcements import Announcer
from reboard.accessories.banker_unit.balance_chart import BalanceChart
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.texts import must_be
from reboard.accessories.banker_unit.unit import BankerUnit
from reboard.accessories.chart import Chart
from reboard.accessories.entity import Entity
from reboard.config.kinds import ByKind, Choice, Section, Several, flag, text
from reboard.config.pins_and_ports import tag
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import CheckContext, FittedDevice, SetupStep, TryOut
from reboard.devices.display import DISPLAY, DISPLAY_SECTION, AbsentDisplay, Display, DisplayConfig
from reboard.devices.keypad import KEYPAD, AbsentKeypad, Keypad, KeypadConfig
from reboard.devices.readers.bumps import SETTLE_S, Bumps
from reboard.devices.readers.card_slot import CARD_SLOT, SLOT_KINDS, SlotConfig, SlotName
from reboard.devices.readers.card_tags import check_tags, mixed_readers
from reboard.devices.readers.reader import Slot
from reboard.editions.edition import MOST_PLAYERS
from reboard.errors import DeviceError, ReboardError
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.languages import ENGLISH, languages
from reboard.vocabulary.vocabulary import Vocabulary

LEDGER_FINDING = "disk.ledger"
SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The suffixes of the ledger file and of the files that SQLite keeps beside it."""

PRINTED_CARDS = 6
"""The number of cards in the original game. They have the numbers 1 to 6 printed on them."""

PRINTED_TAGS = [f"bumps-{code}" for code in range(1, 8)]

CARD_READ_S = SETTLE_S + 0.15
"""The time that a slot with bump switches needs to read an inserted card, in seconds."""

SIDES: tuple[SlotName, ...] = ("left", "right")


def player_name(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read a player's name, which must be unique and comply with the rules of `must_be`."""
    name = text(reading, path, value)
    if allowed := must_be(name):
        raise reading.must_be(path, allowed, value)
    reading.claim(f"the name {name}", path)
    return name


@dataclass(frozen=True, slots=True)
class BankConfig:
    """The config section ``[bank]`` of the banker unit.

    *cards* are the tags of cards 1, 2, …, and *names* are the names of their players. *language* is the language of the
    display. *pot* is whether the game has a Free Parking pot.
    """

    left: Annotated[SlotConfig | None, ByKind("reader", SLOT_KINDS)] = None
    right: Annotated[SlotConfig | None, ByKind("reader", SLOT_KINDS)] = None
    keypad: Annotated[KeypadConfig | None, Section(KeypadConfig)] = None
    display: Annotated[DisplayConfig | None, DISPLAY_SECTION] = None
    cards: Annotated[tuple[str, ...], Several(tag, 0, MOST_PLAYERS)] = ()
    names: Annotated[tuple[str, ...], Several(player_name, 0, MOST_PLAYERS)] = ()
    language: Annotated[str, Choice(*languages())] = "en"
    pot: Annotated[bool, flag] = False


class BankerUnitAccessory(Accessory[BankConfig]):
    """The banker unit of Monopoly Here & Now: The World Edition."""

    name = "bank"
    title = "Banker unit"
    order = 30
    question = "Is there a banker unit, with card readers, keypad or display?"
    section = Section(BankConfig)
    vocabulary = Vocabulary("reboard.accessories.banker_unit.vocabulary", "reboard.accessories.shared_requests")
    charts: Mapping[str, Chart] = {"balances": BalanceChart()}

    def entities(self, state: Mapping[str, Any], language: str) -> Iterator[Entity]:
        return entities.entities(state, language)

    def language(self, config: BankConfig) -> str:
        return config.language

    def devices(self, config: BankConfig | None) -> Sequence[FittedDevice[Any, Any]]:
        return (_slot(config, "left"), _slot(config, "right"), _keypad(config), _display(config))

    def describe(self, config: BankConfig) -> Iterator[tuple[str, str]]:
        yield "left slot (+)", _slot(config, "left").describe()
        yield "right slot (-)", _slot(config, "right").describe()
        yield "keypad", _keypad(config).describe()
        yield "display", _display(config).describe()
        known = f"{len(config.cards)} in the config" if config.cards else "each new card gets the next number"
        yield "cards", known
        if config.names:
            yield "names", ", ".join(config.names)
        if config.language != ENGLISH:
            yield "language", config.language
        if config.pot:
            yield "pot", "fines and taxes can go into a Free Parking pot"

    def setup_steps(self) -> Sequence[FittedDevice[Any, Any] | SetupStep]:
        return (_slot(None, "left"), _slot(None, "right"), _ask_for_printed_cards, _display(None), _keypad(None))

    async def checks(self, config: BankConfig | None, context: CheckContext) -> AsyncIterator[Finding]:
        async for finding in _check_ledger(context, is_fitted=config is not None):
            yield finding

    def findings(self, config: BankConfig) -> Iterator[Finding]:
        if config.left and config.right and (mixed := mixed_readers(config.left.reader, config.right.reader)):
            yield mixed
        readers = [slot.reader for slot in (config.left, config.right) if slot]
        yield from check_tags("bank.cards", config.cards, readers)

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
                is_time_synced=board.is_time_synced,
                cards=config.cards,
                names=config.names,
                language=config.language,
                pot=config.pot,
            )


def _slot(config: BankConfig | None, side: str) -> FittedDevice[SlotConfig, Slot]:
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
        question="Is there a display (16×2 LCD with an I²C backpack)?",
    )


async def _ask_for_printed_cards(work: TryOut) -> None:
    """If a slot has bump switches, read the original cards and write their tags into the config."""
    side = next((side for side in SIDES if work.setting(f"bank.{side}.reader") == "bumps"), None)
    if side is None:
        return
    work.prompts.say("Insert each original card once, in order, so that each card keeps its printed number.")
    try:
        with closing(Bumps(work.setting(f"bank.{side}.pins"), pins=work.board.pins, name=f"{side} slot")) as slot:
            slot.start(lambda _: None, lambda _: None)
            cards = await _read_cards(work, side, slot)
    except DeviceError as problem:
        work.prompts.say(f"{problem}")
        return
    if cards:
        work.put("bank.cards", cards)


async def _read_cards(work: TryOut, side: SlotName, slot: Bumps) -> list[str]:
    """Ask for each original card. Return the tags of the cards from 1 to the highest card that was read.

    A missing card in between gets a tag that no other card has.
    """
    prompts = work.prompts
    read: dict[int, str] = {}
    number = 1
    while number <= PRINTED_CARDS:
        answer = await prompts.ask(
            f"Push card {number} into the {side} slot as far as it goes, then press Enter. If the card is missing, "
            "type n first."
        )
        if answer.lower() in ("n", "no"):
            number += 1
            continue
        await asyncio.sleep(CARD_READ_S)
        if slot.tag is None:
            prompts.say("No switch is closed. Push the card all the way in, with its bumps towards the switches.")
        elif earlier := next((card for card, tag in read.items() if tag == slot.tag), None):
            prompts.say(
                f"Card {number} has the same code as card {earlier}, {slot.tag}. Check that each card is the right way "
                "round and that every switch closes."
            )
        else:
            read[number] = slot.tag
            prompts.say(f"Card {number} has the code {slot.tag}.")
            number += 1
    unread = (tag for tag in PRINTED_TAGS if tag not in read.values())
    return [read.get(card) or next(unread) for card in range(1, max(read, default=0) + 1)]


async def _check_ledger(context: CheckContext, *, is_fitted: bool) -> AsyncIterator[Finding]:
    """Check that the user who runs the table can write the ledger, and that the ledger adds up. Yield the findings.

    Yield nothing if the state directory is not accessible, because the disk check reports that. *is_fitted* is
    whether the table has a banker unit.
    """
    if not context.host.may_use(context.state):
        return
    for finding in await context.host.in_thread(lambda: list(_ledger_findings(context, is_fitted))):
        yield finding


def _ledger_findings(context: CheckContext, is_fitted: bool) -> Iterator[Finding]:
    host, file = context.host, context.state / LEDGER_FILE
    if not host.has(file):
        if is_fitted and host.has(context.state):
            yield fine(LEDGER_FINDING, "There is no ledger yet. The table creates it when it starts.")
        return
    if host.space(context.state).is_read_only:
        return
    if not context.unwritable(context.state):
        problems = (context.unwritable(Path(f"{file}{suffix}")) for suffix in SUFFIXES)
        yield from list(filter(None, problems))[:1]
    if not host.may_read(host.path(file)):
        what = f"The ledger was not checked: {host.user} has no permission to read {file}."
        yield note(LEDGER_FINDING, what, "`sudo reboard doctor` checks the ledger.")
        return
    yield _verified(host.path(file))


def _verified(file: Path) -> Finding:
    try:
        with closing(LedgerFile(file, read_only=True)) as ledger:
            problems = ledger.verify()
    except ReboardError as problem:
        return wrong(LEDGER_FINDING, sentence(problem))
    if problems:
        return wrong(
            LEDGER_FINDING, f"The ledger does not add up: {problems[0]}.", "`reboard ledger verify` lists all problems."
        )
    return fine(LEDGER_FINDING, "The ledger adds up.")


BANKER_UNIT = BankerUnitAccessory()
