"""The banker unit as an accessory: its config, devices, requests, events, setup steps and ledger check.

``disk.ledger``: whether the ledger is whole and adds up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from reboard.accessories.accessory import Accessory, Announcement, Devices, TableContext, devices_of
from reboard.accessories.banker_unit import entities
from reboard.accessories.banker_unit.announcements import Announcer
from reboard.accessories.banker_unit.balance_chart import BalanceChart
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.open_files import SUFFIXES
from reboard.accessories.banker_unit.phone_access import KeptPhoneAccess, draw_code
from reboard.accessories.banker_unit.player_names import must_be
from reboard.accessories.banker_unit.unit import BankerUnit
from reboard.accessories.banker_unit.unit_state import SIDES
from reboard.accessories.chart import Chart
from reboard.accessories.entity import Entity
from reboard.config.kinds import ByKind, Choice, Section, Several, flag
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import FittedDevice
from reboard.devices.display import DISPLAY, DISPLAY_SECTION
from reboard.devices.displays.display_controller import DisplayConfig
from reboard.devices.examination import CheckContext, SetupStep, TryOut, fault_in_use
from reboard.devices.keypad import KEYPAD, KeypadConfig
from reboard.devices.readers.card_slot import CARD_SLOT, SlotName
from reboard.devices.readers.card_tags import check_tags, is_same_card, mixed_readers, tag
from reboard.devices.readers.reader import Slot
from reboard.devices.readers.reader_kind import READER_KINDS, SLOT_KINDS, SlotConfig
from reboard.editions.edition import MOST_PLAYERS
from reboard.errors import DeviceError, ReboardError
from reboard.events import ignore_event
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.languages import ENGLISH, Texts, languages
from reboard.record import Record
from reboard.vocabulary.vocabulary import Vocabulary

LEDGER_FINDING = "disk.ledger"
PRINTED_CARDS = 6
"""The number of cards in the original game. They have the numbers 1 to 6 printed on them."""

CARD_READ_S = 0.5
"""The time that a slot needs to read an inserted card, in seconds."""


def player_name(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read a player's name, which must be unique and comply with the rules of `must_be`."""
    name = value if isinstance(value, str) else ""
    if allowed := must_be(name):
        raise reading.must_be(path, allowed, value)
    reading.claim(f"the name {name.upper()}", path)
    return name


SLOT = ByKind("reader", SLOT_KINDS, short="port")


class BankConfig(Record):
    """The config section ``[bank]`` of the banker unit."""

    left: Annotated[SlotConfig | None, SLOT, "the slot that receives (+), see below. Left out: no slot"] = None
    right: Annotated[SlotConfig | None, SLOT, "the slot that pays (−), see below. Left out: no slot"] = None
    keypad: Annotated[KeypadConfig | None, Section(KeypadConfig), "the sixteen keys, see below"] = None
    display: Annotated[DisplayConfig | None, DISPLAY_SECTION, "two lines of 16 characters, see below"] = None
    cards: Annotated[
        tuple[str, ...],
        Several(tag, 0, MOST_PLAYERS),
        "tags for cards 1, 2, … in this order, [as the reader reports them](readers.md). "
        "Left out: new cards get the next free number",
    ] = ()
    names: Annotated[
        tuple[str, ...],
        Several(player_name, 0, MOST_PLAYERS),
        "names of the players with cards 1, 2, …, each once, up to 20 characters; the display shows eight. Not "
        "`BANK`, `POT`, `CARD 5` or `5`. The host's names come first. Left out: the cards' numbers",
    ] = ()
    language: Annotated[str, Choice(*languages()), "of the display"] = "en"
    pot: Annotated[bool, flag, "`true`: [Free Parking pot](banker.md#free-parking-pot)"] = False


def _slot(side: str, role: str) -> FittedDevice[SlotConfig, Slot]:
    question = f"Is there a {side} slot, which {role}?"
    return FittedDevice(f"bank.{side}", f"{side} slot", CARD_SLOT, wiring=side, line=side, question=question)


class BankerUnitAccessory(Accessory[BankConfig]):
    """The banker unit of Monopoly Here & Now: The World Edition."""

    name = "bank"
    title = "Banker unit"
    order = 30
    section = Section(BankConfig)
    fitted: Sequence[FittedDevice[Any, Any]] = (
        _slot("left", "receives (+)"),
        _slot("right", "pays (-)"),
        FittedDevice("bank.keypad", "keypad", KEYPAD, line="key", usual=KeypadConfig((23, 24, 25, 12), (5, 6, 16, 26))),
        FittedDevice("bank.display", "display", DISPLAY, question="Is there a display (LCD or OLED, on I²C)?"),
    )
    vocabulary = Vocabulary(
        "reboard.accessories.banker_unit.vocabulary",
        "reboard.accessories.banker_unit.phone_vocabulary",
        "reboard.accessories.shared_requests",
        "reboard.accessories.banker_unit.rejections",
        "reboard.accessories.banker_unit.accounts",
        "reboard.editions.money",
    )
    charts: Mapping[str, Chart] = {"balances": BalanceChart()}

    def entities(self, state: Mapping[str, Any], language: str) -> Iterator[Entity]:
        yield from super().entities(state, language)
        yield from entities.entities(state, language)

    def describe(self, config: BankConfig) -> Iterator[tuple[str, str]]:
        left, right, keypad, display = devices_of(self, config)
        yield "left slot (+)", left.describe()
        yield "right slot (-)", right.describe()
        yield "keypad", keypad.describe()
        yield "display", display.describe()
        known = f"{len(config.cards)} in the config" if config.cards else "each new card gets the next number"
        yield "cards", known
        if config.names:
            yield "names", ", ".join(config.names)
        if config.language != ENGLISH:
            yield "language", config.language
        if config.pot:
            yield "pot", "fines and taxes can go into a Free Parking pot"

    def announcements(self) -> Mapping[str, Announcement]:
        from reboard.accessories.banker_unit.spoken import ANNOUNCEMENTS  # a table without a voice does not load it

        return ANNOUNCEMENTS

    def spoken_texts(self, say: Texts) -> Iterable[str]:
        from reboard.accessories.banker_unit.spoken import spoken_texts

        return spoken_texts(say)

    def setup_steps(self) -> Sequence[FittedDevice[Any, Any] | SetupStep]:
        left, right, keypad, display = self.fitted
        return left, right, _ask_for_printed_cards, display, keypad

    def findings(self, config: BankConfig | None, context: CheckContext | None) -> Iterator[Finding]:
        if config:
            if config.left and config.right and (mixed := mixed_readers(config.left.reader, config.right.reader)):
                yield mixed
            yield from check_tags("bank.cards", config.cards, _readers(config))
        if context and context.host.may_use(context.state):
            # otherwise the check of the disk reports it
            yield from _ledger_findings(context, is_fitted=config is not None)

    def running(self, config: BankConfig, devices: Devices, context: TableContext) -> BankerUnit:
        board = context.board
        session = GameSession(
            LedgerThread(partial(LedgerFile, context.state / LEDGER_FILE, database=board.open_database)),
            context.edition,
            emit=context.emit,
            announcer=context.keep("announcer", lambda: Announcer(context.emit_kept)),
            wall_time=board.wall_time,
            is_time_synced=board.is_time_synced,
            cards=config.cards,
            is_same_card=partial(is_same_card, readers=_readers(config)),
            names=config.names,
            has_pot=config.pot,
            pay=context.pay,
        )
        access = context.keep("phones", KeptPhoneAccess)
        return BankerUnit(
            devices.left,
            devices.right,
            devices.keypad,
            devices.display,
            context.speaker,
            session=session,
            rng=context.randomness("deal"),
            access=access,
            draw_code=lambda: draw_code(context.randomness("join code")),
            fitted=[device.noun for device in devices_of(self, config) if device.config is not None],
            language=config.language,
            emit=context.emit,
        )


def _readers(config: BankConfig) -> list[str]:
    return [slot.reader for slot in (config.left, config.right) if slot]


async def _ask_for_printed_cards(work: TryOut) -> None:
    """If a slot reads the original cards, read them, and write their tags into the config."""
    for side in SIDES:
        settings = work.setting(f"bank.{side}") or {}
        kind = READER_KINDS.get(str(settings.get("reader")))
        if kind and kind.cards.tags:
            break
    else:
        return
    work.prompts.say("Insert each original card once, in order, so that each card keeps its printed number.")
    try:
        slot = kind.open(kind.config(**settings), f"{side} slot", work.board, ignore_event)
        with closing(slot):
            slot.start(lambda _: None, lambda _: None)
            cards = await _read_cards(work, side, slot, kind.cards.tags)
    except DeviceError as problem:
        work.prompts.say(f"{problem}")
        return
    if cards:
        work.put("bank.cards", cards)


async def _read_cards(work: TryOut, side: SlotName, slot: Slot, tags: Sequence[str]) -> list[str]:
    """Ask for each original card. Return the *tags* of the cards from 1 to the highest card that was read.

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
    unread = (tag for tag in tags if tag not in read.values())
    return [read.get(card) or next(unread) for card in range(1, max(read, default=0) + 1)]


def _ledger_findings(context: CheckContext, *, is_fitted: bool) -> Iterator[Finding]:
    """Yield whether the user who runs the table can write the ledger, and whether it adds up.

    *is_fitted* is whether the table has a banker unit.
    """
    host, file = context.host, context.state / LEDGER_FILE
    if not host.has(file):
        if is_fitted and host.has(context.state):
            yield _no_ledger(context)
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


def _no_ledger(context: CheckContext) -> Finding:
    if context.host.named(f"{context.state / LEDGER_FILE}.backup-[0-9]*") and not context.is_in_use:
        what = "The ledger is missing. When the table starts, it takes the newest backup that is intact."
        return note(LEDGER_FINDING, what)
    if not context.is_in_use:
        return fine(LEDGER_FINDING, "There is no ledger yet. The table creates it when it starts.")
    if context.snapshot and not fault_in_use(BANKER_UNIT.name, context):
        what = f"The banker unit is running, but its ledger, {context.state / LEDGER_FILE}, is missing."
        return wrong(LEDGER_FINDING, what, "Restart the table. docs/ledger.md says how to put a backup back.")
    return note(LEDGER_FINDING, "There is no ledger, because the banker unit has not started.")


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
