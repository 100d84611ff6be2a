"""A tap between the drivers and the board, which records the signals of a running table for other programs.

The tap records what the drivers see: each edge that the kernel reports, each level that a driver sets or reads, each
event of an input device, and each byte of a serial port, sent on an I²C bus, or exchanged with a chip on an SPI bus. A
PWM signal is recorded as its duty cycle. A watch keeps a limited number of signals, so it never delays a driver.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from types import MethodType
from typing import Any

from gpiozero import Factory

from reboard.board import SPI_HZ, Board, I2cBus, InputLine, SerialLine, SpiDevice
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


def _unobserved(name: str) -> Any:
    """Return a property whose value is that of the wrapped pin's property *name*."""
    return property(lambda self: getattr(self._pin, name), lambda self, value: setattr(self._pin, name, value))


class ObservedPin:
    """A wrapper of the gpiozero pin *pin* that records its levels in *tap*. *pins* is the factory of *pin*."""

    pull, bounce, edges = map(_unobserved, ("pull", "bounce", "edges"))

    def __init__(self, pin: Any, pins: Factory, tap: SignalTap) -> None:
        self._pin = pin
        self._pins = pins
        self._tap = tap
        self.info = pin.info
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

    @property
    def function(self) -> str:
        return str(self._pin.function)

    @function.setter
    def function(self, value: str) -> None:
        self._put(None, is_output=value == "output")
        self._pin.function = value

    @property
    def state(self) -> float:
        state: float = self._pin.state
        if self._tap.is_watched and state != self._read:
            self._put(state, is_output=self._pin.function == "output")
        return state

    @state.setter
    def state(self, value: float) -> None:
        self._pin.state = value
        self._put(float(value), is_output=True)

    @property
    def frequency(self) -> float | None:
        frequency: float | None = self._pin.frequency
        return frequency

    @frequency.setter
    def frequency(self, value: float | None) -> None:
        self._pin.frequency = value
        if self._tap.is_watched:
            self._put(*self.now())

    @property
    def when_changed(self) -> Callable[[float, float], None] | None:
        return self._callback()

    @when_changed.setter
    def when_changed(self, value: Callable[[float, float], None] | None) -> None:
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


class _Observed:
    """A wrapper of *inner* that passes everything on. A subclass records the signals of some methods in *tap*.

    *place* is the first part of the signals' values, such as the number of a bus.
    """

    def __init__(self, inner: Any, tap: SignalTap, *place: object) -> None:
        self._inner = inner
        self._tap = tap
        self._place = place

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _ObservedPins(_Observed):
    def pin(self, name: Any) -> ObservedPin:
        return ObservedPin(self._inner.pin(name), self._inner, self._tap)


class _ObservedSerial(_Observed):
    def read(self, size: int = 1, /) -> bytes:
        data: bytes = self._inner.read(size)
        if self._tap.is_watched and data:
            self._tap.put("read", *self._place, data.hex())
        return data

    def write(self, data: bytes, /) -> int | None:
        if self._tap.is_watched:
            self._tap.put("written", *self._place, data.hex())
        written: int | None = self._inner.write(data)
        return written


class _ObservedInput(_Observed):
    def read(self, size: int, /) -> bytes:
        data: bytes = self._inner.read(size)
        if self._tap.is_watched and data:
            whole = data[: len(data) - len(data) % EVENT.size]
            changes = [change for _, _, *change in EVENT.iter_unpack(whole)]
            self._tap.put("keys", *self._place, changes)
        return data


class _ObservedI2c(_Observed):
    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        answered = False
        try:
            self._inner.write_i2c_block_data(i2c_addr, register, data, force)
            answered = True
        finally:
            if self._tap.is_watched:
                self._tap.put("i2c", *self._place, i2c_addr, bytes((register, *data)).hex(), answered)


class _ObservedSpi(_Observed):
    def xfer2(self, values: bytes, /) -> Sequence[int]:
        received: Sequence[int] = self._inner.xfer2(values)
        if self._tap.is_watched:
            self._tap.put("spi", *self._place, values.hex(), bytes(received).hex())
        return received


class ObservedBoard(_Observed):
    """A wrapper of a `reboard.board.Board` that records the signals of its pins, ports and buses in *tap*."""

    def __init__(self, board: Board, tap: SignalTap) -> None:
        super().__init__(board, tap)
        self.pins: Factory = _ObservedPins(board.pins, tap)

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        return _ObservedSerial(self._inner.open_serial(port, baud_rate), self._tap, port)

    def open_keyboard(self, device: str) -> InputLine:
        return _ObservedInput(self._inner.open_keyboard(device), self._tap, device)

    def open_i2c(self, bus: int) -> I2cBus:
        return _ObservedI2c(self._inner.open_i2c(bus), self._tap, bus)

    def open_spi(self, bus: int, chip_select: int, hz: int = SPI_HZ) -> SpiDevice:
        return _ObservedSpi(self._inner.open_spi(bus, chip_select, hz), self._tap, bus, chip_select)
