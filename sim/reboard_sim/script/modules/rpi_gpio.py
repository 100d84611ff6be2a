"""``RPi.GPIO`` on the virtual pins. Its constants, rules, errors and warnings are those of RPi.GPIO 0.7.1."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable

from reboard_sim.script.modules.gpio_channel import EDGES, PWM, Channel
from reboard_sim.script.modules.machine import Machine, VirtualModule

OUT, IN = 0, 1
LOW, HIGH = 0, 1
BOARD, BCM = 10, 11
PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22
RISING, FALLING, BOTH = EDGES
SERIAL, SPI, I2C, HARD_PWM, UNKNOWN = 40, 41, 42, 43, -1

PULLS = {PUD_OFF: "floating", PUD_DOWN: "down", PUD_UP: "up"}

CONSTANTS = {name: value for name, value in globals().items() if name.isupper() and isinstance(value, int)}

NO_BOUNCE = -666
"""The default of a bounce time, and of a timeout."""

NOTHING_TO_CLEAN_UP = (
    "No channels have been set up yet - nothing to clean up!  Try cleaning up at the end of your program instead!"
)


class Gpio:
    """The functions of ``RPi.GPIO``, and the channels *used*, keyed by BCM number."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.used: dict[int, Channel] = {}
        self._pins = machine.board.pins
        self._mode: int | None = None
        self._warns = True
        header = self._pins.board_info.headers["J8"].pins
        self._on_header = {
            number: int(info.name.removeprefix("GPIO"))
            for number, info in header.items()
            if info.name.startswith("GPIO")
        }

    def setwarnings(self, on: bool) -> None:
        self._warns = bool(on)

    def setmode(self, mode: int) -> None:
        if self._mode is not None and mode != self._mode:
            raise ValueError("A different mode has already been set!")
        if mode not in (BOARD, BCM):
            raise ValueError("An invalid mode was passed to setmode()")
        self._mode = mode

    def getmode(self) -> int | None:
        return self._mode

    def setup(
        self, channel: int | Iterable[int], direction: int, pull_up_down: int = PUD_OFF, initial: int = -1
    ) -> None:
        if direction not in (IN, OUT):
            raise ValueError("An invalid direction was passed to setup()")
        if direction == OUT and pull_up_down != PUD_OFF:
            raise ValueError("pull_up_down parameter is not valid for outputs")
        if direction == IN and initial != -1:
            raise ValueError("initial parameter is not valid for inputs")
        if pull_up_down not in PULLS:
            raise ValueError("Invalid value for pull_up_down - should be either PUD_OFF, PUD_UP or PUD_DOWN")
        channels = [self._set_up(number, direction == OUT, PULLS[pull_up_down], initial) for number in _listed(channel)]
        self.machine.opened(channels)

    def output(self, channel: int | Iterable[int], value: int | Iterable[int]) -> None:
        channels = _listed(channel)
        values = list(value) if isinstance(value, Iterable) else [value] * len(channels)
        if len(channels) != len(values):
            raise RuntimeError("Number of channels != number of values")
        for number, level in zip(channels, values, strict=True):
            used = self.used.get(self.bcm_number(number))
            if not used or not used.is_output:
                raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
            self.machine.here()
            used.pin.state = int(bool(level))

    def input(self, channel: int) -> int:
        if not (used := self.used.get(self.bcm_number(channel))):
            raise RuntimeError("You must setup() the GPIO channel first")
        self.machine.here()
        return int(used.pin.state > 0)

    def add_event_detect(
        self,
        channel: int,
        edge: int,
        callback: Callable[[int], object] | None = None,
        bouncetime: int = NO_BOUNCE,
    ) -> None:
        used = self._detectable(channel, edge, bouncetime)
        if callback is not None and not callable(callback):
            raise TypeError("Parameter must be callable")
        if used.edge is not None:
            raise RuntimeError("Conflicting edge detection already enabled for this GPIO channel")
        used.watch(edge, bouncetime)
        if callback:
            used.callbacks.append(callback)

    def add_event_callback(self, channel: int, callback: Callable[[int], object]) -> None:
        used = self._input(channel)
        if used.edge is None:
            raise RuntimeError("Add event detection using add_event_detect first before adding a callback")
        if not callable(callback):
            raise TypeError("Parameter must be callable")
        used.callbacks.append(callback)

    def remove_event_detect(self, channel: int) -> None:
        if used := self.used.get(self.bcm_number(channel)):
            self.machine.here()
            used.ignore()

    def event_detected(self, channel: int) -> bool:
        used = self.used.get(self.bcm_number(channel))
        self.machine.here()
        detected = bool(used and used.was_detected)
        if used:
            used.was_detected = False
        return detected

    def wait_for_edge(
        self, channel: int, edge: int, bouncetime: int = NO_BOUNCE, timeout: int = NO_BOUNCE
    ) -> int | None:
        used = self._detectable(channel, edge, bouncetime)
        if timeout != NO_BOUNCE and timeout <= 0:
            raise ValueError("Timeout must be greater than 0")
        if used.edge is not None and (used.callbacks or used.edge != edge):
            raise RuntimeError("Conflicting edge detection events already exist for this GPIO channel")
        used.watch(edge, bouncetime)
        used.detected.clear()
        try:
            is_seen = used.detected.wait(timeout / 1000 if timeout > 0 else None)
        finally:
            used.ignore()
        return channel if is_seen else None

    def gpio_function(self, channel: int) -> int:
        return OUT if self._pins.pin(self.bcm_number(channel)).function == "output" else IN

    def cleanup(self, channel: int | Iterable[int] | None = None) -> None:
        self.machine.here()
        if not self.used:
            self._warn(NOTHING_TO_CLEAN_UP)
        numbers = [*self.used] if channel is None else [self.bcm_number(number) for number in _listed(channel)]
        for number in numbers:
            if used := self.used.pop(number, None):
                used.ignore()
                used.has_pwm = False
                used.pin.close()
                self._pins.release_all(used)
        if channel is None:
            self._mode = None

    def bcm_number(self, channel: int) -> int:
        """Return the BCM number of a *channel*. Raises what RPi.GPIO does without a mode, or for another channel."""
        if self._mode is None:
            raise RuntimeError("Please set pin numbering mode using GPIO.setmode(GPIO.BOARD) or GPIO.setmode(GPIO.BCM)")
        if not isinstance(channel, int):
            raise ValueError("Channel must be an integer")
        number = self._on_header.get(channel) if self._mode == BOARD else channel
        if number not in self._pins.lines:
            raise ValueError("The channel sent is invalid on a Raspberry Pi")
        assert number is not None
        return number

    def _set_up(self, channel: int, is_output: bool, pull: str, initial: int) -> Channel:
        number = self.bcm_number(channel)
        self.machine.here()
        pin = self._pins.pin(number)
        before = self.used.get(number)
        if before:
            before.ignore()
            before.has_pwm = False
            self._pins.release_all(before)
        used = Channel(channel, number, pin, is_output=is_output, pull=pin.info.pull or pull)
        self._pins.reserve_pins(used, pin.info.name)
        self.used[number] = used
        if is_output:
            level = pin.state > 0 if initial == -1 and pin.function == "output" else initial > 0
            pin.frequency = None
            pin.output_with_state(int(level))
        else:
            if pin.info.pull and pull != "floating":
                self._warn("A physical pull up resistor is fitted on this channel!")
            pin.input_with_pull(used.pull)
        return used

    def _input(self, channel: int) -> Channel:
        used = self.used.get(self.bcm_number(channel))
        if not used or used.is_output:
            raise RuntimeError("You must setup() the GPIO channel as an input first")
        self.machine.here()
        return used

    def _detectable(self, channel: int, edge: int, bounce_ms: int) -> Channel:
        used = self._input(channel)
        if edge not in EDGES:
            raise ValueError("The edge must be set to RISING, FALLING or BOTH")
        if bounce_ms != NO_BOUNCE and bounce_ms <= 0:
            raise ValueError("Bouncetime must be greater than 0")
        return used

    def _warn(self, text: str) -> None:
        if self._warns:
            warnings.warn(text, RuntimeWarning, stacklevel=4)


def _listed(channel: int | Iterable[int]) -> list[int]:
    if isinstance(channel, int):
        return [channel]
    channels = list(channel) if isinstance(channel, list | tuple) else [None]
    if not all(isinstance(each, int) for each in channels):
        raise ValueError("Channel must be an integer or list/tuple of integers")
    return channels  # type: ignore[return-value]


FUNCTIONS = (
    "setwarnings", "setmode", "getmode", "setup", "output", "input", "add_event_detect", "add_event_callback",
    "remove_event_detect", "event_detected", "wait_for_edge", "gpio_function", "cleanup",
)  # fmt: skip


def modules(machine: Machine) -> dict[str, VirtualModule]:
    """Return ``RPi`` and ``RPi.GPIO`` for a program on *machine*, without a mode and with no channel set up."""
    gpio = Gpio(machine)
    info = machine.board.pins.board_info
    described = {"P1_REVISION": 3, "REVISION": info.revision, "TYPE": info.model, "PROCESSOR": info.soc}
    described |= {"MANUFACTURER": info.manufacturer, "RAM": f"{info.memory}M"}
    contents = {
        **CONSTANTS,
        **{name: getattr(gpio, name) for name in FUNCTIONS},
        "PWM": type("PWM", (PWM,), {"gpio": gpio}),
        "RPI_INFO": described,
        "RPI_REVISION": 3,
        "VERSION": "0.7.1",
    }
    library = VirtualModule("RPi.GPIO", contents, "use the functions of RPi.GPIO 0.7, or gpiozero")
    package = VirtualModule("RPi", {"GPIO": library}, "it has GPIO only")
    vars(package)["__path__"] = []
    return {"RPi": package, "RPi.GPIO": library}
