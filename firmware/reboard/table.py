"""A table: the accessories of one config, run side by side, each supervised on its own."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from functools import partial
from random import Random, SystemRandom
from typing import Any, TypeVar

from reboard import build
from reboard.banker.book import LEDGER_FILE
from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.requests import Requests
from reboard.banker.teller import Teller
from reboard.banker.unit import BankerUnit
from reboard.board import Board, ReportMotor, unguarded
from reboard.config import AppleConfig, BankConfig, BlockConfig, TableConfig
from reboard.edition import load_edition
from reboard.errors import ReboardError, RequestError
from reboard.events import Emit, Event, Events
from reboard.odds import Outcome
from reboard.parts.speaker import Speaker
from reboard.question_block import QuestionBlock
from reboard.supervise import supervised
from reboard.worm_apple import WormApple

log = logging.getLogger(__name__)

T = TypeVar("T")

LONGEST_OPENING_S = 5.0
"""How long the rest of the table waits for a bank whose disk stalls before it is `Table.ready`."""

LONGEST_BOOKING_S = 10.0
"""How long the block waits for a bank whose disk stalls."""

NO_BANK: dict[str, object] = {
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
"""What a table without a banker unit tells in its place."""

Story = Callable[[Speaker], Coroutine[Any, Any, None]]


def system_randomness(_: str) -> Random:
    """The machine's own randomness, whatever it is for: what a table that is played on draws from."""
    return SystemRandom()


class Table:
    """One running reboard: made from a config on a board, and run until it is cancelled.

    *randomness* gives the random numbers for a use (``"block"``, ``"deal"``); a play gives seeded ones.

    `ready` is set when every accessory has been started once, the bank with its ledger open. One that could not be
    built is a fault like any other: the rest of the table plays, and it is tried again.
    """

    def __init__(
        self, config: TableConfig, board: Board, *, randomness: Callable[[str], Random] = system_randomness
    ) -> None:
        self.config = config
        self.edition = load_edition(config.edition)
        self.events = Events(asyncio.get_running_loop().time)
        self.ready = asyncio.Event()
        self.faults: dict[str, str] = {}
        self.block: QuestionBlock | None = None
        self.apple: WormApple | None = None
        self.bank: BankerUnit | None = None
        self._teller = Teller(self.events.emit)
        self._trouble = asyncio.Event()
        self._tally: Counter[Outcome] = Counter()
        self._speaker: Speaker | None = None
        self._board = board
        self._randomness = randomness
        self._stories = self._stories_of(config)
        self._untried = set(self._stories)
        self.events.listen(self._keep_faults)

    async def run(self) -> None:
        """Play until cancelled; every part is given back on the way out, the motor off."""
        with ExitStack() as parts:
            speaker = self._speaker = build.speaker(self.config.speaker, parts, self._board, self.events.emit)
            async with asyncio.TaskGroup() as stories:
                for name, story in self._stories.items():
                    stories.create_task(supervised(name, partial(story, speaker), self.events.emit), name=name)

    def _stories_of(self, config: TableConfig) -> dict[str, Story]:
        stories: dict[str, Story] = {}
        if config.block:
            stories["block"] = partial(self._play_block, config.block)
        if config.apple:
            stories["apple"] = partial(self._play_apple, config.apple)
        if config.bank:
            stories["bank"] = partial(self._play_bank, config.bank)
        return stories

    async def _play_block(self, config: BlockConfig, speaker: Speaker) -> None:
        with ExitStack() as parts:
            rng = self._randomness("block")
            self.block = build.question_block(
                config,
                parts,
                self._board,
                speaker,
                rng,
                self.events.emit,
                trouble=self._trouble,
                tally=self._tally,
                book=self._book,
            )
            self._tried("block")
            await self.block.run()

    async def _play_apple(self, config: AppleConfig, speaker: Speaker) -> None:
        async with AsyncExitStack() as guard:
            report: ReportMotor = unguarded
            if config.motor is not None:
                report = await guard.enter_async_context(self._board.guard_motor(config.motor))
            with ExitStack() as parts:
                now = self.events.now
                self.apple = build.worm_apple(
                    config, parts, self._board, speaker, self.events.emit, now=now, report_motor=report
                )
                self._tried("apple")
                await self.apple.run()

    async def _play_bank(self, config: BankConfig, speaker: Speaker) -> None:
        async with AsyncExitStack() as open_books:
            books = Bookkeeper(self.config.state.directory / LEDGER_FILE, database=self._board.open_database)
            open_books.push_async_callback(books.close)
            with ExitStack() as parts, self._parts_of_one_life() as emit:
                rng = self._randomness("deal")
                self.bank = build.banker_unit(
                    config,
                    parts,
                    self._board,
                    speaker,
                    rng,
                    emit,
                    edition=self.edition,
                    books=books,
                    teller=self._teller,
                )
                self._show_trouble()
                tried = partial(self._tried, "bank")
                parts.callback(asyncio.get_running_loop().call_later(LONGEST_OPENING_S, tried).cancel)
                await self.bank.run(tried)

    async def _book(self, outcome: Outcome) -> None:
        """Linked play: the bank books it first, so that what was heard is there after a power cut.

        A bank that cannot, or takes too long, does not keep the block from playing.
        """
        try:
            async with asyncio.timeout(LONGEST_BOOKING_S):
                await self._needed(self.bank, "banker unit").book(outcome)
        except TimeoutError:
            log.warning("the block plays on: the bank has not booked its outcome for %g s", LONGEST_BOOKING_S)
        except ReboardError as error:
            log.warning("the block plays on, and nothing is booked: %s", error)

    @contextmanager
    def _parts_of_one_life(self) -> Iterator[Emit]:
        """Tells for parts that are given back when the block fails.

        Those that follow know nothing of what was at fault with them, and tell it anew if it still is.
        """
        at_fault = set()

        def emit(name: str, /, **fields: object) -> None:
            if name == "fault":
                at_fault.add(fields["part"])
            self.events.emit(name, **fields)

        try:
            yield emit
        except Exception:
            for part in self.faults.keys() & at_fault:
                self.events.emit("recovered", part=part)
            raise

    def _tried(self, accessory: str) -> None:
        """It was put together, or told why it could not be."""
        self._untried.discard(accessory)
        if not self._untried:
            self.ready.set()

    def greet(self) -> None:
        """Let those at the table hear that it plays: most have neither a keyboard nor a screen."""
        if self._speaker:
            self._speaker.play("ready")

    def snapshot(self) -> dict[str, Any]:
        """The table now, fit for JSON: what the door, the pages and `GET /api/table` tell."""
        edition = self.bank.edition if self.bank else self.edition
        return {
            "edition": edition.name,
            "title": edition.title,
            "titles": edition.titles,
            "t": self.events.now(),
            "units": edition.money.units,
            "rules": edition.rules(),
            **(self.bank.snapshot() if self.bank else NO_BANK),
            "block": self.block.snapshot() if self.block else None,
            "apple": self.apple.snapshot() if self.apple else None,
            "volume": self._speaker.volume if self._speaker else 0,
            "faults": dict(self.faults),
        }

    async def history(self) -> str:
        """The past of the game that is on, as JSON: it is long, and was written where nobody waits for it."""
        return await self._bank_requests.history()

    async def request(self, do: str, **args: Any) -> object:
        """Carry out a changing request of ``docs/door.md``; it returns JSON. ``by`` says whose it is.

        Raises `RequestError` when this table has not what it takes, and `Refusal` when the rules forbid it.
        """
        by = args.pop("by", "door")
        # said before it is done: whatever becomes of it, even if the plug is pulled, it is known who asked
        asked = " ".join([do, *(json.dumps(arg, ensure_ascii=False) for arg in args.values())])
        log.info("%s, by %s", asked, by, extra={"REBOARD_REQUEST": do, "REBOARD_BY": by})
        answer = await self._carried_out(do, args)
        self.events.emit("requested", do=do, by=by, args=args)
        return answer

    async def _carried_out(self, do: str, args: Mapping[str, Any]) -> object:
        match do, args:
            case "volume", {"level": int(level)}:
                self._set_volume(level)
            case "quiet", {"on": bool(on)}:
                self._needed(self.block, "question block").quiet = on
                self.events.emit("quiet", on=on)
            case "new_game", _:
                return await self._bank_requests.new_game(args.get("game"), args.get("edition"))
            case "end_game", {"game": int(game)}:
                worths = {int(card): worth for card, worth in args.get("worths", {}).items()}
                return await self._bank_requests.end_game(game, worths)
            case "undo", _:
                return await self._bank_requests.undo(args.get("transfer"))
            case "name", {"card": int(card), "name": str(name)}:
                await self._bank_requests.name(card, name)
            case _:
                raise RequestError(f"a table cannot do {do!r} with {args}")
        return None

    @property
    def _bank_requests(self) -> Requests:
        return self._needed(self.bank, "banker unit").requests

    def _set_volume(self, level: int) -> None:
        speaker = self._needed(self._speaker, "speaker")
        try:
            speaker.volume = level
        except ValueError as problem:
            raise RequestError(str(problem)) from None

    def _needed(self, accessory: T | None, name: str) -> T:
        if accessory is None:
            raise RequestError(f"this table has no {name}")
        return accessory

    def _keep_faults(self, event: Event) -> None:
        if event.name not in ("fault", "recovered"):
            return
        part = str(event.fields["part"])
        if event.name == "fault":
            self.faults[part] = str(event.fields["cause"])
            log.warning("%s: %s", part, self.faults[part], extra={"REBOARD_PART": part})
            self._tried(part)
        else:
            self.faults.pop(part, None)
            log.info("%s: it is well again", part, extra={"REBOARD_PART": part})
        self._show_trouble()

    def _show_trouble(self) -> None:
        """On the lamp that something is at fault, and on the display what."""
        (self._trouble.set if self.faults else self._trouble.clear)()
        if self.bank:
            self.bank.show_trouble(next(iter(self.faults), None))
