"""The pins of the virtual Pi: a pin factory for gpiozero, on virtual lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf
from threading import RLock
from typing import cast

from gpiozero import PinInvalidFunction, PinInvalidState, PinPWMFixedValue, PinSetInput, SharedMixin
from gpiozero.pins import PinInfo
from gpiozero.pins.local import LocalPiSoftwareSPI, LocalPiSoftwareSPIShared
from gpiozero.pins.pi import PiFactory

from reboard.devices.gpio.input_settings import InputSettings
from reboard_sim.board.gpiozero_spi import HardwareSpi, SharedHardwareSpi
from reboard_sim.board.line import Line, Pull, Short
from reboard_sim.board.spi import VirtualSpiDevice

__all__ = ["Line", "Short", "VirtualPin", "VirtualPins"]

ZERO_2_W = 0x902120
"""The revision code of a Raspberry Pi Zero 2 W."""

GPIOS = range(28)
BOOTS_PULLED_UP = range(9)
"""The GPIOs that a Raspberry Pi pulls up at reset (BCM2835 data sheet). It pulls the others down."""

REMEMBERED_SHORTS = 1000


class VirtualPins(PiFactory):  # type: ignore[misc]
    """A gpiozero pin factory without threads. An edge reaches its listeners in the call that changes the line.

    *clock* returns the time in seconds, like the ``time`` of a loop. *revision* is the revision code of a Raspberry Pi.
    """

    def __init__(self, clock: Callable[[], float], *, revision: int = ZERO_2_W) -> None:
        super().__init__()
        # a plain lock hangs if the garbage collector runs the destructor of an SPI device while the lock is held
        self._res_lock = RLock()
        self.pin_class = VirtualPin
        self.spi_devices: dict[tuple[int, int], VirtualSpiDevice] = {}
        """The places on the SPI buses, by bus and chip select, which gpiozero's hardware SPI opens."""
        self.shorts: deque[Short] = deque(maxlen=REMEMBERED_SHORTS)
        self._clock = clock
        self._revision = revision
        self.lines = {
            number: Line(f"GPIO{number}", clock, self.shorts.append, "up" if number in BOOTS_PULLED_UP else "down")
            for number in GPIOS
        }
        self.ground = Line("ground", clock, self.shorts.append, "down")
        self.ground.drive(False)
        self.supply = Line("3V3", clock, self.shorts.append, "down")
        """The Pi's 3.3 V."""

    def line(self, number: int) -> Line:
        """Return the line at GPIO *number*. Raises ``LookupError`` if the header does not have this GPIO."""
        try:
            return self.lines[number]
        except KeyError:
            raise LookupError(f"There is no GPIO{number} on the header. Use GPIO0 to GPIO27.") from None

    def power_off(self) -> None:
        """Cut the power and release every pin. gpiozero devices that still use a pin no longer affect its line."""
        for pin in self.pins.values():
            pin.die()
        self.pins.clear()
        self._reservations.clear()
        self._forget_shared_devices()
        self.supply.drive(None)
        for line in self.lines.values():
            line.power(None)

    def power_on(self) -> None:
        """Switch the power on. Every pin becomes an input, pulled up or down as after a reset."""
        self.supply.drive(True)
        for number, line in self.lines.items():
            line.power("up" if number in BOOTS_PULLED_UP else "down")

    def _forget_shared_devices(self) -> None:
        """Forget what devices share, such as an SPI bus: gpiozero keeps it until the process ends."""
        for key, reference in tuple(SharedMixin._instances.items()):
            device = reference()
            if device is not None and device.pin_factory is self:
                device.close = lambda: None  # its own would make gpiozero forget the next device with this key
                del SharedMixin._instances[key]

    def ticks(self) -> float:
        return self._clock()

    def here(self) -> None:
        """Prepare for the use of a bus. Pins whose user runs on a thread override this method."""

    @staticmethod
    def ticks_diff(later: float, earlier: float) -> float:
        return later - earlier

    def _get_revision(self) -> int:
        return self._revision

    def _get_spi_class(self, shared: bool, hardware: bool) -> type:
        classes: dict[tuple[bool, bool], type] = {
            (False, True): HardwareSpi,
            (True, True): SharedHardwareSpi,
            (False, False): LocalPiSoftwareSPI,
            (True, False): LocalPiSoftwareSPIShared,
        }
        return classes[shared, hardware]


class VirtualPin(InputSettings):
    """A gpiozero pin on a `Line`. It begins as an input, floating unless the board pulls it up or down."""

    known_edges = (*InputSettings.known_edges, "none")

    def __init__(self, factory: VirtualPins, info: PinInfo) -> None:
        super().__init__(factory, info)
        self._line: Line = factory.line(self._number)
        self._is_alive = True
        self._duty = 0.0
        self._frequency: float | None = None
        self._last_edge = -inf
        self._level = self._line.level
        self._is_watched = False
        self._line.on_change.append(self._line_changed)
        self._apply()

    def close(self) -> None:
        self.when_changed = None
        self._frequency = None
        self._function, self._pull = "input", self._fixed_pull
        self._apply()

    def die(self) -> None:
        """Disconnect the pin from its line permanently, because the power is cut."""
        self._is_alive = False
        self._line.on_change.remove(self._line_changed)

    @property
    def _is_output(self) -> bool:
        return self._function == "output"

    def _apply(self) -> None:
        if self._is_alive:
            pull = None if self._is_output or self._pull == "floating" else cast(Pull, self._pull)
            self._line.hz = self._frequency or 0.0
            self._line.set_pin(self._duty if self._is_output else None, pull)

    _pull_changed = _apply

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f'invalid function "{value}" for pin {self!r}')
        self._function = value
        self._duty = 0.0
        self._apply()

    def _get_state(self) -> float:
        if self._is_output and self._frequency:
            return self._duty
        return int(self._line.level)

    def _set_state(self, value: float) -> None:
        if not self._is_output:
            raise PinSetInput(f"cannot set state of pin {self!r}")
        if not 0 <= value <= 1:
            raise PinInvalidState(f'invalid state "{value}" for pin {self!r}')
        self._duty = float(value if self._frequency else bool(value))
        self._apply()

    def _get_frequency(self) -> float | None:
        return self._frequency

    def _set_frequency(self, value: float | None) -> None:
        if value and not self._is_output:
            raise PinPWMFixedValue(f"cannot start PWM on pin {self!r}")
        if not (value and self._frequency):
            self._duty = 0.0
        self._frequency = value or None
        self._apply()

    def _enable_event_detect(self) -> None:
        self._is_watched = True

    def _disable_event_detect(self) -> None:
        self._is_watched = False

    def _line_changed(self, t: float, duty: float) -> None:
        level = duty > 0
        if level == self._level:
            return
        self._level = level
        if not self._is_watched or self._is_output or self._edges not in ("both", "rising" if level else "falling"):
            return
        if self._bounce_s is None or t - self._last_edge >= self._bounce_s:
            self._last_edge = t
            self._call_when_changed(t, int(level))
