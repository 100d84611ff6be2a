"""The slot for the original game's cards: plastic cards with up to three bumps, which press three microswitches."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Annotated, Any

from reboard.board import Board
from reboard.config.kinds import Several
from reboard.config.pins_and_ports import pin
from reboard.devices.device import FittedDevice, pin_list
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import InputPin
from reboard.devices.readers.presence import Presence
from reboard.devices.readers.reader import CardType, Slot
from reboard.devices.readers.reader_kind import ReaderKind, SlotConfig
from reboard.events import Emit, ignore_event
from reboard.languages import translatable

if TYPE_CHECKING:
    from gpiozero import Factory

WEIGHTS = (1, 2, 4)
"""The values of the three switches. The code of a card is the sum of the values of the switches that it closes."""

TAGS = tuple(f"bumps-{code}" for code in range(1, sum(WEIGHTS) + 1))
CARDS = CardType("the original game's cards", re.compile("bumps-[1-7]"), '"bumps-1" to "bumps-7"', tags=TAGS)

SETTLE_S = 0.35
"""The time for which all switches must be steady before the code is read, in seconds. A card that is pushed in slowly
or askew closes the switches up to 0.3 s apart. The other 50 ms are for the bounce of the last switch. In simulated
tries with such gaps and 20 ms of bounce, none of 3,000 cards was read wrongly. With 0.2 s, 428 of 900 were."""

RESTLESS_S = 5.0
"""The time in seconds after which switches that keep changing are a fault: a switch or a wire is loose. Inserting a
card takes less time."""


class Bumps(Slot):
    """A slot with three microswitches, each between a pin and ground.

    *switches* are the pins of the switches with the values 1, 2 and 4. The code of a card is read once all three have
    been steady for `SETTLE_S`; code 0 means no card. Until then the slot keeps its state.

    Two patterns are no card's, and cause a ``fault`` of *name*: switches that keep changing for `RESTLESS_S`, and a
    code that becomes another one although the switches were never all open, so no card can have been exchanged. After
    such a change the slot is empty until they were all open. Raises `DeviceError` if a pin cannot be used.
    """

    def __init__(
        self,
        switches: Sequence[int],
        *,
        pins: Factory,
        emit: Emit = ignore_event,
        name: str,
    ) -> None:
        if len(switches) != len(WEIGHTS):
            raise ValueError(f"a slot for original cards needs 3 pins, one for each switch, not {len(switches)}")
        super().__init__(Presence(), emit, name)
        self._where = ", ".join(f"GPIO{pin}" for pin in switches)
        self._is_started = False
        self._changed_at = self._changing_since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._has_been_open = False
        self._impossible: str | None = None
        with ExitStack() as inputs:
            self._inputs = [
                inputs.enter_context(closing(InputPin(pin, pins=pins, device=name, edge=self._edge)))
                for pin in switches
            ]
            self._open_pins = inputs.pop_all()

    @property
    def description(self) -> str:
        return f"three switches for the original cards on {self._where}"

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        super().start(inserted, removed)
        self._is_started = True
        self._edge(True)

    def close(self) -> None:
        self._is_started = False
        super().close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._open_pins.close()

    def _edge(self, _is_closed: bool) -> None:
        if not self._is_started:
            return
        self._changed_at = self._loop.time()
        self._has_been_open |= not self._code()
        if self._timer is None:
            self._changing_since = self._changed_at
            self._check_at(self._changed_at + SETTLE_S)

    def _check_at(self, due: float) -> None:
        self._timer = self._loop.call_at(due, self._check, due)

    def _check(self, due: float) -> None:
        # the timer is not moved at each edge: a loose switch has thousands of them
        steady_at = self._changed_at + SETTLE_S
        if due < steady_at:
            self._check_at(steady_at)
            if due >= self._changing_since + RESTLESS_S:
                self._report_restless()
            return
        self._timer = None
        self._read()

    def _code(self) -> int:
        return sum(weight for weight, switch in zip(WEIGHTS, self._inputs, strict=True) if switch.is_active)

    def _read(self) -> None:
        code, before = self._code(), self.tag
        tag = f"bumps-{code}" if code else None
        if self._has_been_open or not code:
            self._impossible = None
        elif before not in (None, tag):
            self._impossible = translatable(
                f"the code of the card on {self._where} changed from {before} to {tag} while the card was in: take it "
                "out and push it in quickly; if it happens again, a switch or a wire is loose"
            )
        self._has_been_open = False
        self._fault.set(self._impossible)
        if tag is None or self._impossible:
            self._presence.gone()
        elif tag != before:
            self.heard.count(self.heard.frames + 1, self.heard.dropped)
            self.heard.card(tag)
            self._presence.seen(tag)

    def _report_restless(self) -> None:
        cause = translatable(f"the card switches on {self._where} keep changing: check for a loose switch or wire")
        if self._fault.set(cause):
            self.heard.count(self.heard.frames, self.heard.dropped + 1)


class BumpsConfig(SlotConfig):
    """The config of three microswitches for the original game's cards."""

    pins: Annotated[tuple[int, ...], Several(pin, 3, 3), "for `bumps`: of the switches that count 1, 2 and 4"]


class BumpsKind(ReaderKind[BumpsConfig]):
    """The kind of slots with switches."""

    name = "bumps"
    title = "the game's own cards"
    order = 50
    cards = CARDS
    config = BumpsConfig
    choice = ("switches", "three switches, for the cards of the original game")

    def open(self, config: BumpsConfig, name: str, board: Board, emit: Emit) -> Bumps:
        return Bumps(config.pins, pins=board.pins, emit=emit, name=name)

    def pins(self, config: BumpsConfig) -> Mapping[str, int]:
        return {f"bump_{weight}": pin for weight, pin in zip(WEIGHTS, config.pins, strict=True)}

    def describe(self, config: BumpsConfig) -> str:
        return f"{config.reader} on {pin_list(config.pins)}"

    def example(self, side: str) -> str:
        pins = [7, 8, 9] if side == "left" else [4, 10, 11]
        return f'{{ reader = "{self.name}", pins = {pins} }}'

    async def try_out(self, device: FittedDevice[Any, Any], work: TryOut) -> dict[str, object]:
        before = work.setting(f"{device.label}.pins") or [None] * len(WEIGHTS)
        pins = [
            await work.ask_input_pin(
                f"{device.label}.{weight}", f"the switch with the value {weight}", "Press it", usual
            )
            for weight, usual in zip(WEIGHTS, before, strict=True)
        ]
        return {"reader": self.name, "pins": pins}


KIND = BumpsKind()
