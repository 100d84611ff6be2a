"""The question block as an accessory: its config, devices, events and request."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, get_args

from reboard.accessories.accessory import TRUE_OR_FALSE, Accessory, OtherSections, Request, TableContext
from reboard.accessories.chart import Chart
from reboard.accessories.entity import Entity, in_language
from reboard.accessories.question_block.block import QuestionBlock, not_linked
from reboard.accessories.question_block.odds_chart import OddsChart
from reboard.accessories.question_block.outcomes import MOST_COINS, Bag, Kind, Odds, Outcome
from reboard.config.kinds import Section, Several, Whole, flag
from reboard.config.pins_and_ports import pin
from reboard.config.reading import Reading
from reboard.devices.contact import BUTTON, Button
from reboard.devices.device import FittedDevice
from reboard.devices.lamp import LAMP, AbsentLamp, Lamp
from reboard.editions.edition import edition_names, load_edition
from reboard.errors import ReboardError
from reboard.events import EventKind

log = logging.getLogger(__name__)

WORDS: Mapping[str, str] = {"en": "Question block", "de": "Fragezeichenblock"}
"""The name of the entity in each language."""

OUTCOME = """
{%- if value_json.event == "block.outcome" -%}
{{ {"event_type": value_json.outcome, "coins": value_json.coins} | tojson }}
{%- endif -%}
"""

WEIGHT = Whole(0, 1000)
ODDS = Section(
    Odds, {"coins": Several(WEIGHT, 1, MOST_COINS)} | dict.fromkeys(("laugh", "power_up", "game_over"), WEIGHT)
)


@dataclass(frozen=True, slots=True)
class BlockConfig:
    """The section ``[block]``. If *linked* is true, the banker unit transfers the money for each outcome."""

    button: Annotated[int, pin]
    lamp: Annotated[int | None, pin] = None
    odds: Annotated[Odds, ODDS] = field(default_factory=Odds)
    bag: Annotated[bool, flag] = False
    quiet: Annotated[bool, flag] = False
    linked: Annotated[bool, flag] = False


class QuestionBlockAccessory(Accessory[BlockConfig]):
    """The question block of Monopoly Super Mario Celebration."""

    name = "block"
    title = "Question block"
    order = 10
    section = Section(BlockConfig)
    absent_snapshot: Mapping[str, object] = {"block": None}
    requests: Mapping[str, Request] = {"quiet": Request({"on": TRUE_OR_FALSE})}
    events: Mapping[str, EventKind] = {
        "block.pressed": EventKind(),
        "block.outcome": EventKind("outcome", "coins", is_shared=True),
        "quiet": EventKind("on"),
    }
    charts: Mapping[str, Chart] = {"odds": OddsChart()}

    def entities(self, state: Mapping[str, Any], language: str) -> Iterator[Entity]:
        settings = {"event_types": list(get_args(Kind)), "icon": "mdi:comment-question"}
        yield Entity("outcome", "event", in_language(WORDS, language), OUTCOME.strip(), settings=settings)

    def shared(self, snapshot: Mapping[str, Any], *, names: bool) -> Mapping[str, object]:
        block = snapshot["block"]
        return {"block": block and {"last": block["last"], "quiet": block["quiet"]}}

    def devices(self, config: BlockConfig | None) -> Sequence[FittedDevice[Any, Any]]:
        return (_button(config), _lamp(config))

    def validate(self, reading: Reading, config: BlockConfig, table: OtherSections) -> None:
        if not config.linked:
            return
        linked = (self.name, "linked")
        if "bank" not in table.sections:
            reading.wrong(linked, "block.linked needs a banker unit: add a section [bank], or remove block.linked")
        if load_edition(table.edition).block is None:
            able = " or ".join(name for name in edition_names() if load_edition(name).block)
            needs = f"block.linked needs an edition with amounts for the block, but {table.edition} has none"
            reading.wrong(linked, f"{needs}: set edition to {able}, or remove block.linked")

    def describe(self, config: BlockConfig) -> Iterator[tuple[str, str]]:
        odds = "the rule book's odds" if config.odds == Odds() else "custom odds"
        lamp = "no lamp" if config.lamp is None else f"lamp on pin {config.lamp}"
        words = [f"button on pin {config.button}", lamp, odds + (", drawn from a bag" if config.bag else "")]
        words += ["quiet: the lamp shows the outcome"] if config.quiet else []
        words += ["linked: the banker unit transfers the money"] if config.linked else []
        yield self.title.lower(), ", ".join(words)

    @asynccontextmanager
    async def open(self, config: BlockConfig, context: TableContext) -> AsyncIterator[QuestionBlock]:
        async with AsyncExitStack() as devices:
            tally: Counter[Outcome] = context.keep("tally", Counter)
            rng = context.randomness("block")
            yield QuestionBlock(
                await devices.enter_async_context(_button(config).open(context.board, context.emit)),
                await devices.enter_async_context(_lamp(config).open(context.board, context.emit)),
                context.speaker,
                rng=rng,
                chance=Bag(config.odds) if config.bag else config.odds,
                quiet=config.quiet,
                tally=tally,
                transfer=partial(_transfer, context) if config.linked else not_linked,
                emit=context.emit,
            )


async def _transfer(context: TableContext, outcome: Outcome) -> None:
    """Send a request to the banker unit to transfer the money for *outcome*.

    If the request fails or times out, log a warning and let the block continue.
    """
    try:
        await context.request("pay_outcome", kind=outcome.kind, coins=outcome.coins)
    except ReboardError as error:
        log.warning("the banker unit did not confirm the transfer for the block's outcome: %s", error)


def _button(config: BlockConfig | None) -> FittedDevice[int, Button]:
    return FittedDevice(
        "block.button",
        "block's button",
        BUTTON,
        None if config is None else config.button,
        wiring="button",
        gesture="Press the button",
        usual=17,
        is_required=True,
    )


def _lamp(config: BlockConfig | None) -> FittedDevice[int, Lamp | AbsentLamp]:
    return FittedDevice(
        "block.lamp",
        "block's lamp",
        LAMP,
        None if config is None else config.lamp,
        wiring="lamp",
        question="Does the block have a lamp?",
        usual=27,
    )


QUESTION_BLOCK = QuestionBlockAccessory()
