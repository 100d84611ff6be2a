"""The question block as an accessory: a press draws an outcome, and the block plays its sound."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any

from reboard.accessories.accessory import Announcement
from reboard.accessories.chart import Chart
from reboard.accessories.game_accessory import Game, GameAccessory
from reboard.accessories.question_block.odds_chart import OddsChart
from reboard.accessories.question_block.outcomes import KINDS, Bag, Blink, Odds, Outcome, by_kind
from reboard.accessories.question_block.vocabulary import Block, Drawn, Last, Pressed, Quiet, QuietSet
from reboard.aiotools import first_of
from reboard.config.kinds import Section, Several, Whole, flag
from reboard.config.pins_and_ports import pin
from reboard.devices.contact import BUTTON
from reboard.devices.device import FittedDevice
from reboard.devices.lamp import LAMP, AbsentLamp, Lamp
from reboard.languages import Texts
from reboard.record import Record
from reboard.vocabulary.declared import Request
from reboard.vocabulary.vocabulary import Vocabulary

COIN_GAP_S = 0.4
"""The time between the starts of two coin sounds, in seconds. It is long enough for a child to count along."""

FAULT_RHYTHM: Sequence[Blink] = [(0.05, 0.15), (0.05, 5.0)]
"""The lamp's pattern while a device of the table has a fault: two short flashes about every five seconds."""

WEIGHT = Whole(0, 1000)
ODDS = Section(Odds, {name: Several(WEIGHT, 1, kind.most) if kind.most else WEIGHT for name, kind in KINDS.items()})


class BlockConfig(Record):
    """The section ``[block]``. If *linked* is true, the banker unit transfers the money for each outcome."""

    button: Annotated[int, pin, "the button, which closes to ground"]
    lamp: Annotated[int | None, pin, "the lamp: an LED with its resistor, or a transistor's base or gate"] = None
    odds: Annotated[Odds, ODDS, "weight of each outcome"] = field(default_factory=Odds)
    bag: Annotated[
        bool, flag, "`true`: draw outcomes without repeating, until each has come as often as its weight"
    ] = False
    quiet: Annotated[bool, flag, "`true`: no sound, the lamp blinks the outcome"] = False
    linked: Annotated[
        bool,
        flag,
        "`true`: the bank [books what the block brings](banker.md#linked-play). Requires `[bank]` and an edition with "
        "`[outcomes.block]`",
    ] = False


class QuestionBlock(GameAccessory[BlockConfig]):
    """The question block of Monopoly Super Mario Celebration."""

    name = "block"
    title = "Question block"
    order = 10
    section = Section(BlockConfig)
    fitted: Sequence[FittedDevice[Any, Any]] = (
        FittedDevice(
            "block.button",
            "block's button",
            BUTTON,
            gesture="Press the button",
            usual=17,
            is_required=True,
        ),
        FittedDevice(
            "block.lamp",
            "block's lamp",
            LAMP,
            question="Does the block have a lamp?",
            usual=27,
        ),
    )
    vocabulary = Vocabulary(
        "reboard.accessories.question_block.vocabulary", "reboard.accessories.question_block.outcomes"
    )
    charts: Mapping[str, Chart] = {"odds": OddsChart()}

    def describe(self, config: BlockConfig) -> Iterator[tuple[str, str]]:
        odds = "the rule book's odds" if config.odds == Odds() else "custom odds"
        lamp = "no lamp" if config.lamp is None else f"lamp on GPIO{config.lamp}"
        words = [f"button on GPIO{config.button}", lamp, odds + (", drawn from a bag" if config.bag else "")]
        words += ["quiet: the lamp shows the outcome"] if config.quiet else []
        words += ["linked: the banker unit transfers the money"] if config.linked else []
        yield self.title.lower(), ", ".join(words)

    def announcements(self) -> Mapping[str, Announcement]:
        return {Drawn.event: _announcement}

    def spoken_texts(self, say: Texts) -> Sequence[str]:
        return [say.plural("1 coin", "{n} coins", 2), *(say(kind.label) for kind in KINDS.values() if not kind.most)]

    async def play(self, game: Game[BlockConfig]) -> None:
        """Draw an outcome at each press, have it booked, and show it. A press meanwhile does nothing.

        While a device of the table has a fault, the lamp flashes between presses.
        """
        odds = game.config.odds
        chance = Bag(odds) if game.config.bag else odds
        tally = game.context.keep("tally", Counter[Outcome])
        state: Block = {
            "last": None,
            "quiet": game.config.quiet,
            "odds": by_kind(dict(odds.weighted())),
            "tally": by_kind(tally),
        }
        game.state.update(state)
        while True:
            await first_of(game.devices.button.pressed(), _flash_on_fault(game))
            game.emit(Pressed())
            drawn = chance.draw(game.random)
            tally[drawn] += 1
            last: Last = {"outcome": drawn.kind, "coins": drawn.coins}
            game.state.update(last=last, tally=by_kind(tally))
            game.emit(Drawn(drawn.kind, drawn.coins))
            await game.book(drawn.kind, drawn.coins or 1)
            await _show(game, drawn)

    async def answer(self, game: Game[BlockConfig], request: Request) -> object:
        match request:
            case Quiet(on=on):
                game.state["quiet"] = on
                game.emit(QuietSet(on))
                return None
            case _:
                return await super().answer(game, request)


def _announcement(event: Mapping[str, Any], table: Mapping[str, Any], say: Texts) -> str:
    if table["block"]["quiet"]:
        return ""
    kind, coins = KINDS[event["outcome"]], event["coins"]
    return f"{say.plural('1 coin', '{n} coins', coins) if coins else say(kind.label)}."


async def _show(game: Game[BlockConfig], drawn: Outcome) -> None:
    """Play the sound of the outcome with the lamp on, or blink its rhythm for each coin in quiet mode."""
    lamp: Lamp | AbsentLamp = game.devices.lamp
    kind = KINDS[drawn.kind]
    try:
        if game.state["quiet"]:
            await _blink(lamp, [*kind.rhythm] * (drawn.coins or 1))
            return
        lamp.on()
        for _ in range(drawn.coins - 1):
            game.speaker.play(kind.sound)
            await asyncio.sleep(COIN_GAP_S)
        await game.speaker.played(kind.sound)
    finally:
        lamp.off()


async def _flash_on_fault(game: Game[BlockConfig]) -> None:
    lamp: Lamp | AbsentLamp = game.devices.lamp
    try:
        while True:
            await game.has_fault.wait()
            await _blink(lamp, FAULT_RHYTHM)
    finally:
        lamp.off()


async def _blink(lamp: Lamp | AbsentLamp, rhythm: Sequence[Blink]) -> None:
    for on_s, off_s in rhythm:
        lamp.on()
        await asyncio.sleep(on_s)
        lamp.off()
        await asyncio.sleep(off_s)


QUESTION_BLOCK = QuestionBlock()
