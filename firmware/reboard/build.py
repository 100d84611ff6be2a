"""Accessories from a config: which parts each one gets, on which wires of which board.

Every function enters the parts into the `ExitStack` it is given, so that they are given back with it, also when a later
one cannot be had.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, closing
from random import Random
from typing import Literal

from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.teller import Teller
from reboard.banker.unit import BankerUnit
from reboard.board import Board, Devices, ReportMotor
from reboard.config import (
    AppleConfig,
    BankConfig,
    BlockConfig,
    BumpsConfig,
    DisplayConfig,
    Id12Config,
    KeyboardConfig,
    KeypadConfig,
    LineSlotConfig,
    Pn532Config,
    Rdm6300Config,
    SlotConfig,
    SpeakerConfig,
)
from reboard.edition import Edition
from reboard.events import Emit
from reboard.odds import Bag, Outcome
from reboard.parts.absent import AbsentDisplay, AbsentKeypad, AbsentLamp, AbsentMotor
from reboard.parts.contact import Button, Lever
from reboard.parts.display import Display
from reboard.parts.keypad import Keypad
from reboard.parts.lamp import Lamp
from reboard.parts.motor import Motor
from reboard.parts.slots.bumps import Bumps
from reboard.parts.slots.id12 import Id12
from reboard.parts.slots.keyboard import Keyboard
from reboard.parts.slots.pn532 import Pn532
from reboard.parts.slots.rdm6300 import Rdm6300
from reboard.parts.slots.slot import Slot
from reboard.parts.speaker import Speaker
from reboard.question_block import QuestionBlock, no_booking
from reboard.sounds import SoundSet
from reboard.worm_apple import WORM_DANCE, WormApple

MOTOR_MARGIN_S = 0.05
"""How far behind the story's timer the motor's own limit lies: it is a guard, and must not end a dance that is well."""

SlotName = Literal["left", "right"]

NO_SPEAKER = SpeakerConfig(library="silent")
"""A table without a speaker still takes its time over every sound."""


def speaker(config: SpeakerConfig | None, parts: ExitStack, board: Board, emit: Emit) -> Speaker:
    """The table's one speaker, which all accessories share."""
    config = config or NO_SPEAKER
    sounds = SoundSet.with_folder(config.folder) if config.folder else SoundSet.built_in()
    sink = board.open_sink(config.library, config.device)
    return parts.enter_context(closing(Speaker(sounds, sink, emit=emit, volume=config.volume)))


def question_block(
    config: BlockConfig,
    parts: ExitStack,
    board: Board,
    speaker: Speaker,
    rng: Random,
    emit: Emit,
    *,
    trouble: asyncio.Event,
    tally: Counter[Outcome],
    book: Callable[[Outcome], Awaitable[None]],
) -> QuestionBlock:
    """The question block; *book* is for linked play alone. Raises `PartError` when a pin cannot be had."""
    return QuestionBlock(
        parts.enter_context(closing(Button(config.button, pins=board.pins, name="block's button"))),
        parts.enter_context(closing(_lamp(config.lamp, board, emit))),
        speaker,
        rng=rng,
        chance=Bag(config.odds) if config.bag else config.odds,
        quiet=config.quiet,
        trouble=trouble,
        tally=tally,
        book=book if config.linked else no_booking,
        emit=emit,
    )


def worm_apple(
    config: AppleConfig,
    parts: ExitStack,
    board: Board,
    speaker: Speaker,
    emit: Emit,
    *,
    now: Callable[[], float],
    report_motor: ReportMotor,
) -> WormApple:
    """The worm apple; *now* is the events' clock. Raises `PartError` when a pin cannot be had."""
    return WormApple(
        parts.enter_context(closing(Lever(config.lever, pins=board.pins, name="apple's lever"))),
        parts.enter_context(closing(_motor(config, board, emit, report_motor))),
        speaker,
        seconds=config.seconds,
        pattern=config.pattern or WORM_DANCE,
        now=now,
        emit=emit,
    )


def banker_unit(
    config: BankConfig,
    parts: ExitStack,
    board: Board,
    speaker: Speaker,
    rng: Random,
    emit: Emit,
    *,
    edition: Edition,
    books: Bookkeeper,
    teller: Teller,
) -> BankerUnit:
    """The banker unit. Raises `PartError` when a pin cannot be had; a reader or display that is away comes later."""
    return BankerUnit(
        _slot(config.left, "left", parts, board, emit),
        _slot(config.right, "right", parts, board, emit),
        parts.enter_context(closing(_keypad(config.keypad, board, emit))),
        parts.enter_context(closing(_display(config.display, board, emit))),
        speaker,
        edition=edition,
        books=books,
        rng=rng,
        emit=emit,
        teller=teller,
        wall_time=board.wall_time,
        cards=config.cards,
        names=config.names,
        language=config.language,
        pot=config.pot,
    )


def _lamp(pin: int | None, board: Board, emit: Emit) -> Lamp | AbsentLamp:
    return AbsentLamp() if pin is None else Lamp(pin, pins=board.pins, emit=emit, name="block's lamp")


def _motor(config: AppleConfig, board: Board, emit: Emit, report: ReportMotor) -> Motor | AbsentMotor:
    if config.motor is None:
        return AbsentMotor()
    longest_s = config.seconds + MOTOR_MARGIN_S
    return Motor(config.motor, pins=board.pins, longest_s=longest_s, emit=emit, report=report)


def _keypad(config: KeypadConfig | None, board: Board, emit: Emit) -> Keypad | AbsentKeypad:
    return AbsentKeypad() if config is None else Keypad(config.rows, config.columns, pins=board.pins, emit=emit)


def _display(config: DisplayConfig | None, board: Board, emit: Emit) -> Display | AbsentDisplay:
    return AbsentDisplay() if config is None else Display(board, config.bus, config.address, emit=emit)


def _slot(config: SlotConfig | None, name: SlotName, parts: ExitStack, board: Board, emit: Emit) -> Slot | None:
    if config is None:
        return None
    slot: Slot
    if isinstance(config, BumpsConfig):
        slot = Bumps(config.pins, pins=board.pins, emit=emit, name=name)
    else:
        slot = slot_on_a_line(config, name, board, emit)
    return parts.enter_context(closing(slot))


def slot_on_a_line(config: LineSlotConfig, name: SlotName, devices: Devices, emit: Emit) -> Slot:
    """A slot whose reader takes no pin, to be started and closed; a reader that is away comes later."""
    match config:
        case KeyboardConfig(device=device):
            return Keyboard(device, board=devices, emit=emit, name=name)
        case Rdm6300Config(port=port, hold_s=hold_s):
            return Rdm6300(port, board=devices, emit=emit, name=name, hold_s=hold_s)
        case Id12Config(port=port):
            return Id12(port, board=devices, emit=emit, name=name)
        case Pn532Config(port=port, hold_s=hold_s):
            return Pn532(port, board=devices, emit=emit, name=name, hold_s=hold_s)
