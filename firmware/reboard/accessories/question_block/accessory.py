"""The question block as an accessory: its config, devices, events and request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any

from reboard.accessories.accessory import Accessory, TableContext
from reboard.accessories.chart import Chart
from reboard.accessories.question_block.block import QuestionBlock
from reboard.accessories.question_block.odds_chart import OddsChart
from reboard.accessories.question_block.outcomes import KINDS, Bag, Odds, Outcome
from reboard.config.kinds import Section, Several, Whole, flag
from reboard.config.pins_and_ports import pin
from reboard.devices.contact import BUTTON
from reboard.devices.device import FittedDevice
from reboard.devices.lamp import LAMP
from reboard.record import Record
from reboard.vocabulary.vocabulary import Vocabulary

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


class QuestionBlockAccessory(Accessory[BlockConfig]):
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

    def running(self, config: BlockConfig, devices: Mapping[str, Any], context: TableContext) -> QuestionBlock:
        return QuestionBlock(
            devices["button"],
            devices["lamp"],
            context.speaker,
            rng=context.randomness("block"),
            chance=Bag(config.odds) if config.bag else config.odds,
            quiet=config.quiet,
            tally=context.keep("tally", Counter[Outcome]),
            book=context.book,
            emit=context.emit,
        )


QUESTION_BLOCK = QuestionBlockAccessory()
