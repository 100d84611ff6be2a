"""A tap between the drivers and the board, which records the signals of a running table for other programs.

The tap records what the drivers see: each edge that the kernel reports, each level that a driver sets or reads, each
event of an input device, and each byte of a serial port, sent on an I²C bus, or exchanged with a chip on an SPI bus. A
PWM signal is recorded as its duty cycle. A watch keeps a limited number of signals, so it never delays a driver.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from itertools import count
from types import MethodType
from typing import Any

from gpiozero import Factory
from gpiozero.pins import Pin

from reboard.board import SPI_HZ, Board, I2cBus, InputLine, Program, ReportMotor, SerialLine, Sink, SpiDevice
from reboard.devices.readers.input_device import EVENT
from reboard.errors import RequestError

MOST_KEPT = 5000
"""The maximum number of signals that a watch keeps. It is enough for one second of a held key, or for ten
rewrites of a display."""

MOST_WATCHES = 2

Signal = tuple[str, float, *tuple[object, ...]]
"""A signal: its kind, its time in seconds since the start of the table, and its values, all JSON-serializable.

The values of each kind are:

- ``pin``: GPIO number, level or duty cycle (``None`` if unknown), whether the Pi drives the pin
- ``read`` and ``written``: serial port, bytes in hex
- ``keys``: input device, list of ``[type, code, value]``
- ``i2c``: bus number, address, the bytes of a transfer in hex, whether the device answered
- ``spi``: bus number, chip select, the bytes to the chip and those that it sends meanwhile, in hex
- ``event``: the event as a mapping"""


class Watch:
    """A buffer for the latest `MOST_KEPT` signals. Any thread can call `put`."""

    def __init__(self) -> None:
        self._kept: deque[tuple[int, Signal]] = deque(maxlen=MOST_KEPT)
        self._numbers = count()
        self._next = 0

    def put(self, signal: Signal) -> None:
        """Add *signal*, and drop the oldest signal if there are more than `MOST_KEPT`."""
        self._kept.append((next(self._numbers), signal))

    def take(self, most: int) -> tuple[list[Signal], int]:
        """Remove and return up to *most* of the oldest signals, and the number dropped since the last call."""
        taken: list[tuple[int, Signal]] = []
        with suppress(IndexError):
            while len(taken) < most:
                taken.append(self._kept.popleft())
        if not taken:
            return [], 0
        before, self._next = self._next, max(number for number, _ in taken) + 1
        return [signal for _, signal in taken], max(0, self._next - before - len(taken))


class SignalTap:
    """The watches and the open pins of a table. *clock* returns the seconds since the start of the table."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._watches: tuple[Watch, ...] = ()
        self.pins: dict[int, ObservedPin] = {}
        """The open pins, keyed by GPIO number."""

    @property
    def is_watched(self) -> bool:
        """Whether at least one watch is open."""
        return bool(self._watches)

    def watch(self) -> Watch:
        """Open a watch, which records until `end`. Raises `RequestError` if `MOST_WATCHES` are already open."""
        if len(self._watches) >= MOST_WATCHES:
            raise RequestError(
                f"{MOST_WATCHES} programs are already watching the signals of this table: close one of them"
            )
        watch = Watch()
        self._watches = (*self._watches, watch)
        return watch

    def end(self, watch: Watch) -> None:
        """Stop recording signals in *watch*."""
        self._watches = tuple(other for other in self._watches if other is not watch)

    def put(self, kind: str, *values: object, age_s: float = 0.0) -> None:
        """Record a signal that occurred *age_s* seconds ago in every watch."""
        for watch in self._watches:
            watch.put((kind, round(self._clock() - age_s, 6), *values))


class ObservedPin(Pin):  # type: ignore[misc]  # gpiozero has no type information
    """A wrapper of the gpiozero pin *pin* that records its levels in *tap*. *pins* is the factory of *pin*."""

    def __init__(self, pin: Any, pins: Factory, tap: SignalTap) -> None:
        self._pin = pin
        self._pins = pins
        self._tap = tap
        self._number = int(str(pin.info.name).removeprefix("GPIO"))
        self._read: object = None
        self._callback: Callable[[], Callable[[float, float], None] | None] = lambda: None
        tap.pins[self._number] = self

    def __repr__(self) -> str:
        return repr(self._pin)

    def now(self) -> tuple[float | None, bool]:
        """Return the current level or duty cycle (``None`` if unknown), and whether the Pi drives the pin."""
        with suppress(Exception):  # the drivers report what they cannot use
            return float(self._pin.state), self._pin.function == "output"
        return None, False

    def close(self) -> None:
        if self._tap.pins.get(self._number) is self:
            del self._tap.pins[self._number]
        self._pin.close()

    def output_with_state(self, state: float) -> None:
        # first, because edges of other pins may follow from it
        self._put(float(state), is_output=True)
        self._pin.output_with_state(state)

    def input_with_pull(self, pull: str) -> None:
        self._put(None, is_output=False)
        self._pin.input_with_pull(pull)

    def _get_info(self) -> Any:
        return self._pin.info

    def _get_function(self) -> str:
        return str(self._pin.function)

    def _set_function(self, value: str) -> None:
        self._put(None, is_output=value == "output")
        self._pin.function = value

    def _get_state(self) -> float:
        state: float = self._pin.state
        if self._tap.is_watched and state != self._read:
            self._put(state, is_output=self._pin.function == "output")
        return state

    def _set_state(self, value: float) -> None:
        self._pin.state = value
        self._put(float(value), is_output=True)

    def _get_pull(self) -> str:
        return str(self._pin.pull)

    def _set_pull(self, value: str) -> None:
        self._pin.pull = value

    def _get_frequency(self) -> float | None:
        frequency: float | None = self._pin.frequency
        return frequency

    def _set_frequency(self, value: float | None) -> None:
        self._pin.frequency = value
        if self._tap.is_watched:
            self._put(*self.now())

    def _get_bounce(self) -> float | None:
        bounce: float | None = self._pin.bounce
        return bounce

    def _set_bounce(self, value: float | None) -> None:
        self._pin.bounce = value

    def _get_edges(self) -> str:
        return str(self._pin.edges)

    def _set_edges(self, value: str) -> None:
        self._pin.edges = value

    def _get_when_changed(self) -> object:
        return self._callback()

    def _set_when_changed(self, value: Callable[[float, float], None] | None) -> None:
        if value is None:
            self._pin.when_changed = None
            self._callback = lambda: None
            return
        # weak as in gpiozero, so that a device that nothing uses any more is closed
        self._callback = weakref.WeakMethod(value) if isinstance(value, MethodType) else weakref.ref(value)
        self._pin.when_changed = self._changed

    def _changed(self, ticks: float, state: float) -> None:
        if self._tap.is_watched:
            age_s = self._pins.ticks_diff(self._pins.ticks(), ticks)
            self._put(float(state), is_output=False, age_s=age_s)
        if callback := self._callback():
            callback(ticks, state)

    def _put(self, level: float | None, is_output: bool, age_s: float = 0.0) -> None:
        self._read = level
        self._tap.put("pin", self._number, level, is_output, age_s=age_s)


class _ObservedPins(Factory):  # type: ignore[misc]
    """A wrapper of the pin factory *pins* that returns observed pins."""

    def __init__(self, pins: Factory, tap: SignalTap) -> None:
        self._pins = pins
        self._tap = tap

    def reserve_pins(self, requester: Any, *names: Any) -> None:
        self._pins.reserve_pins(requester, *names)

    def release_pins(self, reserver: Any, *names: Any) -> None:
        self._pins.release_pins(reserver, *names)

    def release_all(self, reserver: Any) -> None:
        self._pins.release_all(reserver)

    def pin(self, name: Any) -> ObservedPin:
        return ObservedPin(self._pins.pin(name), self._pins, self._tap)

    def ticks(self) -> float:
        ticks: float = self._pins.ticks()
        return ticks

    def ticks_diff(self, later: float, earlier: float) -> float:
        seconds: float = self._pins.ticks_diff(later, earlier)
        return seconds

    def close(self) -> None:
        self._pins.close()

    def _get_board_info(self) -> Any:
        return self._pins.board_info


class _ObservedSerial:
    """A wrapper of a serial port that records its bytes in *tap*."""

    def __init__(self, line: SerialLine, port: str, tap: SignalTap) -> None:
        self._line = line
        self._port = port
        self._tap = tap
        self.fileno = line.fileno
        self.close = line.close

    @property
    def out_waiting(self) -> int:
        return self._line.out_waiting

    def read(self, size: int = 1, /) -> bytes:
        data = self._line.read(size)
        if self._tap.is_watched and data:
            self._tap.put("read", self._port, data.hex())
        return data

    def write(self, data: bytes, /) -> int | None:
        if self._tap.is_watched:
            self._tap.put("written", self._port, data.hex())
        return self._line.write(data)


class _ObservedInput:
    """A wrapper of an input device that records its events in *tap*."""

    def __init__(self, line: InputLine, device: str, tap: SignalTap) -> None:
        self._line = line
        self._device = device
        self._tap = tap
        self.name = line.name
        self.fileno = line.fileno
        self.close = line.close

    def read(self, size: int, /) -> bytes:
        data = self._line.read(size)
        if self._tap.is_watched and data:
            whole = data[: len(data) - len(data) % EVENT.size]
            changes = [change for _, _, *change in EVENT.iter_unpack(whole)]
            self._tap.put("keys", self._device, changes)
        return data


class _ObservedI2c:
    """A wrapper of an I²C bus that records the written bytes in *tap*."""

    def __init__(self, bus: I2cBus, number: int, tap: SignalTap) -> None:
        self._bus = bus
        self._number = number
        self._tap = tap
        self.read_byte = bus.read_byte
        self.close = bus.close

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        answered = False
        try:
            self._bus.write_i2c_block_data(i2c_addr, register, data, force)
            answered = True
        finally:
            if self._tap.is_watched:
                self._tap.put("i2c", self._number, i2c_addr, bytes((register, *data)).hex(), answered)


class _ObservedSpi:
    """A wrapper of a chip on an SPI bus that records in *tap* what the chip answers."""

    def __init__(self, chip: SpiDevice, bus: int, chip_select: int, tap: SignalTap) -> None:
        self._chip = chip
        self._place = (bus, chip_select)
        self._tap = tap
        self.writebytes2 = chip.writebytes2
        self.close = chip.close

    def xfer2(self, values: bytes, /) -> Sequence[int]:
        received = self._chip.xfer2(values)
        if self._tap.is_watched:
            self._tap.put("spi", *self._place, values.hex(), bytes(received).hex())
        return received


class ObservedBoard:
    """A wrapper of a `reboard.board.Board` that records the signals of its pins, ports and buses in *tap*."""

    def __init__(self, board: Board, tap: SignalTap) -> None:
        self._board = board
        self._tap = tap
        self.pins: Factory = _ObservedPins(board.pins, tap)

    def guard_motor(self, pin: int) -> AbstractAsyncContextManager[ReportMotor]:
        return self._board.guard_motor(pin)

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        return _ObservedSerial(self._board.open_serial(port, baud_rate), port, self._tap)

    def open_keyboard(self, device: str) -> InputLine:
        return _ObservedInput(self._board.open_keyboard(device), device, self._tap)

    def holders(self, file: str) -> list[Program]:
        return self._board.holders(file)

    def open_i2c(self, bus: int) -> I2cBus:
        return _ObservedI2c(self._board.open_i2c(bus), bus, self._tap)

    def open_spi(self, bus: int, chip_select: int, hz: int = SPI_HZ) -> SpiDevice:
        return _ObservedSpi(self._board.open_spi(bus, chip_select, hz), bus, chip_select, self._tap)

    def open_sink(self, library: str | None, device: str | None, *, keep_awake: bool = False) -> Sink:
        return self._board.open_sink(library, device, keep_awake=keep_awake)

    def open_database(self, uri: str) -> sqlite3.Connection:
        return self._board.open_database(uri)

    def wall_time(self) -> float:
        return self._board.wall_time()

    def is_time_synced(self) -> bool:
        return self._board.is_time_synced()

    def close(self) -> None:
        self._board.close()
