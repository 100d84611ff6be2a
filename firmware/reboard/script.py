"""Accessories for scripts, in gpiozero's manner: no event loop, no config file, a callback for what happens.

Each is a whole `Table` with one accessory, on a thread of its own: what a script plays with is what the daemon plays.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import logging
import queue
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from reboard.board import Board
from reboard.config import TableConfig, parse_config
from reboard.dance import USUAL_S
from reboard.errors import PartError
from reboard.events import Event
from reboard.loop_thread import LoopThread
from reboard.table import Table
from reboard.volume import USUAL_VOLUME

log = logging.getLogger(__name__)

Self = TypeVar("Self", bound="ScriptedAccessory")
Fields = Mapping[str, Any]
"""What an event tells, by name: ``{"outcome": "coins", "coins": 3}``."""

Callback = Callable[..., object] | None
"""Called without anything, or with the event's `Fields` if it takes an argument."""

MOST_CALLBACKS_WAITING = 100
LOOK_AGAIN_S = 0.5
"""How soon the thread of a closed accessory's callbacks ends."""

THIS_SCRIPT = Path("this script")
"""What a wrong argument is told under, where a config's would be told under its file."""


def raspberry_pi() -> Board:
    """The board that scripts play on."""
    from reboard.raspberry_pi import RaspberryPi

    return RaspberryPi()


make_board: Callable[[], Board] = raspberry_pi
"""Called for the board that an accessory is wired to. A test puts a virtual Pi here."""


class ScriptedAccessory:
    """What the three share: they play from their making until `close`, or to the end of a ``with`` block.

    Callbacks run one after the other in a thread of their own: a slow one delays neither the game nor the motor. A
    script that ends, also by an exception, closes what it left open; one that is killed by a signal does not. Raises
    `ConfigError` for arguments that make no sense, and `PartError` for a pin that cannot be had.
    """

    PART: ClassVar[str]
    """What the table calls it."""

    CALLBACKS: ClassVar[Mapping[str, str]]
    """Which attribute is called for which event."""

    def __init__(self, settings: Mapping[str, object]) -> None:
        config = parse_config(_without_none(settings), path=THIS_SCRIPT)
        self._callbacks: queue.Queue[Callable[[], object]] = queue.Queue(MOST_CALLBACKS_WAITING)
        self._ended = threading.Event()
        self._caller = threading.Thread(target=self._call_back, name="reboard callbacks", daemon=True)
        self._thread = LoopThread()
        try:
            self._table = self._thread.call(self._switched_on(config))
        except BaseException:
            self._thread.close()
            raise
        self._caller.start()
        # a script that ends without closing would leave its motor running: the kernel keeps a pin's level
        atexit.register(self.close)

    @property
    def closed(self) -> bool:
        """Whether it has been put away."""
        return self._thread.closed

    def close(self) -> None:
        """Put it away: the motor off, the pins given back. May be called twice."""
        if not self.closed:
            atexit.unregister(self.close)
            self._thread.call(self._switched_off())
            self._thread.close()
            self._ended.set()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else ", ".join(f"{name}={value!r}" for name, value in self._state().items())
        return f"<reboard.{type(self).__name__} object {state}>"

    def _state(self) -> Fields:
        """What the repr shows: the accessory's part of the table's snapshot."""
        state: Fields = self._snapshot()[self.PART]
        return state

    def _snapshot(self) -> dict[str, Any]:
        async def look() -> dict[str, Any]:
            return self._table.snapshot()

        return self._thread.call(look())

    def _wait_for(self, event_name: str, timeout: float | None) -> Fields | None:
        happened: queue.SimpleQueue[Fields] = queue.SimpleQueue()
        stop = self._table.events.listen(lambda event: happened.put(event.fields) if event.name == event_name else None)
        try:
            return happened.get(timeout=timeout)
        except queue.Empty:
            return None
        finally:
            stop()

    async def _switched_on(self, config: TableConfig) -> Table:
        board = make_board()
        try:
            table = Table(config, board)
        except BaseException:
            board.close()
            raise
        table.events.listen(self._hear)
        self._playing = asyncio.create_task(table.run())
        self._playing.add_done_callback(lambda _: board.close())
        await table.ready.wait()
        if self.PART in table.faults:
            await self._switched_off()
            raise PartError(table.faults[self.PART])
        return table

    async def _switched_off(self) -> None:
        self._playing.cancel()
        await asyncio.gather(self._playing, return_exceptions=True)

    def _hear(self, event: Event) -> None:
        callback: Callback = getattr(self, self.CALLBACKS.get(event.name, ""), None)
        if callback is None:
            return
        takes_fields = bool(inspect.signature(callback).parameters)
        try:
            self._callbacks.put_nowait(partial(callback, event.fields) if takes_fields else callback)
        except queue.Full:
            log.warning("%s was not called: %d callbacks wait already", event.name, MOST_CALLBACKS_WAITING)

    def _call_back(self) -> None:
        while not self._ended.is_set():
            try:
                self._callbacks.get(timeout=LOOK_AGAIN_S)()
            except queue.Empty:
                continue
            except Exception:
                log.exception("a callback of this script failed")


class QuestionBlock(ScriptedAccessory):
    """The question block on BCM pins *button* and, if there is one, *lamp*.

    *odds* are weights as in ``table.toml`` (``{"coins": [1, 1, 1], "laugh": 1}``); *volume* is 0 to 4.

    - ``when_pressed``: the button was pressed
    - ``when_outcome``: with ``outcome`` (``coins``, ``power_up``, ``laugh``, ``game_over``) and ``coins`` (0 to 6)
    """

    PART = "block"
    CALLBACKS: ClassVar = {"block.pressed": "when_pressed", "block.outcome": "when_outcome"}

    def __init__(
        self,
        button: int,
        lamp: int | None = None,
        *,
        odds: Mapping[str, object] | None = None,
        bag: bool = False,
        quiet: bool = False,
        volume: int = USUAL_VOLUME,
    ) -> None:
        self.when_pressed: Callback = None
        self.when_outcome: Callback = None
        block = {"button": button, "lamp": lamp, "odds": odds, "bag": bag, "quiet": quiet}
        super().__init__({"block": block, "speaker": {"volume": volume}})

    @property
    def last(self) -> Fields | None:
        """The last outcome, ``None`` before the first."""
        last: Fields | None = self._state()["last"]
        return last

    def wait_for_outcome(self, timeout: float | None = None) -> Fields | None:
        """Wait for the next outcome, *timeout* seconds at the most (``None``: for ever); ``None`` when none came."""
        return self._wait_for("block.outcome", timeout)


class WormApple(ScriptedAccessory):
    """The worm apple on BCM pins *lever* and *motor*; the worms dance for *seconds* (5 to 120).

    - ``when_wound``: the lever is all the way back
    - ``when_started``: it was let go; with ``seconds``
    - ``when_stopped``: the time is up, or the lever was pulled again
    """

    PART = "apple"
    CALLBACKS: ClassVar = {
        "apple.wound": "when_wound",
        "apple.started": "when_started",
        "apple.stopped": "when_stopped",
    }

    def __init__(self, lever: int, motor: int, *, seconds: float = USUAL_S, volume: int = USUAL_VOLUME) -> None:
        self.when_wound: Callback = None
        self.when_started: Callback = None
        self.when_stopped: Callback = None
        super().__init__({"apple": {"lever": lever, "motor": motor, "seconds": seconds}, "speaker": {"volume": volume}})

    @property
    def is_running(self) -> bool:
        """Whether the worms dance."""
        return bool(self._state()["running"])

    @property
    def is_wound(self) -> bool:
        """Whether the lever is held back."""
        return bool(self._state()["wound"])

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until the dance ends, *timeout* seconds at the most (``None``: for ever); false when it did not."""
        return self._wait_for("apple.stopped", timeout) is not None


class BankerUnit(ScriptedAccessory):
    """The banker unit: RDM6300 readers on the serial ports *left* and *right*.

    *keypad* is ``{"rows": [4 pins], "columns": [4 pins]}``, *display* the address of its backpack on I²C bus 1.
    The ledger is kept in the directory *state*; without it, it is gone afterwards.

    - ``when_card_inserted``, ``when_card_removed``: with ``slot`` (``left``, ``right``) and ``number``
    - ``when_transfer``: with ``from``, ``to`` (0 is the bank), ``amount``, ``reason`` …
    - ``when_refused``: with ``why``
    - ``when_deal_started``, ``when_deal_ended``
    """

    PART = "bank"
    CALLBACKS: ClassVar = {
        "card.inserted": "when_card_inserted",
        "card.removed": "when_card_removed",
        "transfer": "when_transfer",
        "refused": "when_refused",
        "deal.started": "when_deal_started",
        "deal.ended": "when_deal_ended",
    }

    def __init__(
        self,
        left: str | None = None,
        right: str | None = None,
        *,
        keypad: Mapping[str, Sequence[int]] | None = None,
        display: int | None = None,
        edition: str = "world",
        cards: Sequence[str] = (),
        state: str | Path | None = None,
        volume: int = USUAL_VOLUME,
    ) -> None:
        self.when_card_inserted: Callback = None
        self.when_card_removed: Callback = None
        self.when_transfer: Callback = None
        self.when_refused: Callback = None
        self.when_deal_started: Callback = None
        self.when_deal_ended: Callback = None
        self._gone = tempfile.TemporaryDirectory(prefix="reboard-")
        bank = {
            "left": _rdm6300(left),
            "right": _rdm6300(right),
            "keypad": keypad,
            "display": None if display is None else {"driver": "hd44780-i2c", "address": display},
            "cards": list(cards),
        }
        directory = Path(state or self._gone.name).absolute()
        super().__init__(
            {"edition": edition, "bank": bank, "speaker": {"volume": volume}, "state": {"directory": str(directory)}}
        )

    @property
    def balances(self) -> dict[int, int]:
        """What each card holds, by its number, in whole currency."""
        return {card["number"]: card["balance"] for card in self._snapshot()["cards"]}

    def new_game(self) -> None:
        """Put every card back to the starting balance. The old game stays in the ledger."""
        self._thread.call(self._table.request("new_game"))

    def undo(self) -> None:
        """Take back the last transfer. Raises `Refusal` when there is none to take back."""
        self._thread.call(self._table.request("undo"))

    def close(self) -> None:
        """Put it away. May be called twice."""
        super().close()
        self._gone.cleanup()

    def _state(self) -> Fields:
        snapshot = self._snapshot()
        return {"edition": snapshot["edition"], "game": snapshot["game"], "display": snapshot["display"]}


def _rdm6300(port: str | None) -> dict[str, str] | None:
    return None if port is None else {"reader": "rdm6300", "port": port}


def _without_none(settings: Mapping[str, object]) -> dict[str, object]:
    """The *settings* as a config has them: what is not there is not said."""
    return {
        key: _without_none(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if value is not None
    }
