"""The devices of gpiozero that a program opens, as devices for the bench, and their labels."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import gpiozero
from gpiozero.devices import GPIOMeta

from reboard.devices.device import FittedDevice
from reboard.errors import failure
from reboard_sim.devices.opened import Opening, opened_device
from reboard_sim.script.scheduler import ScheduledThread
from reboard_sim.script.threads import current


class Kind(NamedTuple):
    """The *kind* of device on the bench for a class of gpiozero. *terminals* has the attribute of each terminal."""

    kind: str
    terminals: Mapping[str, str]


ON_PIN = {"": "pin"}

KINDS: Mapping[type[Any], Kind] = {
    gpiozero.DistanceSensor: Kind("distance", {"echo": "echo", "trigger": "trigger"}),
    gpiozero.LightSensor: Kind("light_sensor", ON_PIN),
    gpiozero.Button: Kind("contact", ON_PIN),
    gpiozero.RotaryEncoder: Kind("encoder", {"a": "a", "b": "b"}),
    gpiozero.MotionSensor: Kind("switch", ON_PIN),
    gpiozero.LineSensor: Kind("switch", ON_PIN),
    gpiozero.InputDevice: Kind("contact", ON_PIN),
    gpiozero.RGBLED: Kind("rgb_led", {"red": "_leds.0", "green": "_leds.1", "blue": "_leds.2"}),
    gpiozero.Motor: Kind("h_bridge", {"forward": "forward_device", "backward": "backward_device"}),
    gpiozero.PhaseEnableMotor: Kind("h_bridge", {"phase": "phase_device", "enable": "enable_device"}),
    gpiozero.Servo: Kind("servo", {"": "pwm_device"}),
    gpiozero.TonalBuzzer: Kind("buzzer", {"": "pwm_device"}),
    gpiozero.Buzzer: Kind("buzzer", ON_PIN),
    gpiozero.OutputDevice: Kind("lamp", ON_PIN),
}
"""The first class that fits counts."""

SETTINGS = ("min_pulse_width", "max_pulse_width", "min_angle", "max_angle")
"""The attributes of a device that say what the program assumes about the real one."""

Opened = FittedDevice[Opening, Any]


def opened_devices(device: Any, label: str) -> Iterator[Opened]:
    """Return the devices on the bench for a *device* of gpiozero: one, or each of a composite device such as a robot.

    Without a *label*, a device is named after its first pin.
    """
    for kind_of, kind in KINDS.items():
        if isinstance(device, kind_of):
            pins = {terminal: _number(_part(device, name)) for terminal, name in kind.terminals.items()}
            if enable := getattr(device, "enable_device", None):
                pins["enable"] = _number(enable)
            settings = {name: getattr(device, name) for name in SETTINGS if hasattr(device, name)}
            yield _opened(label, kind.kind, pins, _first_of(device, kind), **settings)
            return
    if isinstance(device, gpiozero.LEDMultiCharDisplay):
        digits = {f"digit_{number}": _number(each) for number, each in enumerate(device.plex, start=1)}
        yield _opened(label, "digits", {**_pins_of(device.char), **digits}, device.char[0])
    elif isinstance(device, gpiozero.LEDCharDisplay):
        yield _opened(label, "digits", _pins_of(device), device[0])
    elif isinstance(device, gpiozero.LEDCollection):
        yield _opened(label, "leds", _pins_of(device), device.leds[0])
    elif isinstance(device, gpiozero.CompositeDevice):
        for noun, each in _members(device):
            yield from opened_devices(each, f"{label}_{noun}" if label else "")


def _opened(label: str, kind: str, pins: Mapping[str, int], first: Any, **settings: float) -> Opened:
    is_high = bool(getattr(first, "_active_state", True))
    return opened_device(label or f"gpio{min(pins.values())}", kind, pins, active_high=is_high, **settings)


def _first_of(device: Any, kind: Kind) -> Any:
    return device if "" in kind.terminals else _part(device, next(iter(kind.terminals.values())))


def _part(device: Any, name: str) -> Any:
    """Return the attribute *name* of *device*, or its item, such as ``_leds.0``."""
    name, _, index = name.partition(".")
    return getattr(device, name)[int(index)] if index else getattr(device, name)


def _members(device: gpiozero.CompositeDevice) -> Iterator[tuple[str, Any]]:
    names = {id(each): name for name, each in device._named.items()}
    for number, each in enumerate(device, start=1):
        yield names.get(id(each), str(number)), each


def _pins_of(device: gpiozero.LEDCollection) -> dict[str, int]:
    """Return the pins of the LEDs of a board, each by its name: ``3``, or ``red_1`` on a board of boards."""
    pins: dict[str, int] = {}
    for noun, each in _members(device):
        if isinstance(each, gpiozero.LEDCollection):
            pins |= {f"{noun}_{inner}": pin for inner, pin in _pins_of(each).items()}
        else:
            pins[noun] = _number(each)
    return pins


def _number(pin: Any) -> int:
    while not hasattr(pin, "info"):
        pin = pin.pin
    return int(pin.info.name.removeprefix("GPIO"))


def frame_of_program(frame: FrameType | None, folder: Path) -> FrameType | None:
    """Return the innermost frame from *frame* outwards whose code is of the program in *folder*."""
    while frame and not is_of_program(frame.f_code.co_filename, folder):
        frame = frame.f_back
    return frame


def is_of_program(file: str, folder: Path) -> bool:
    """Return whether the Python *file* belongs to the program in *folder*, and not to a library."""
    if not file.startswith(f"{folder}{os.sep}") or file.startswith(OUR_FOLDERS):
        return False
    return not {"site-packages", "dist-packages"}.intersection(Path(file).parts)


PACKAGES = Path(failure.__code__.co_filename).parent, Path(is_of_program.__code__.co_filename).parents[1]

OUR_FOLDERS = tuple(f"{package}{os.sep}" for package in PACKAGES)
"""The folders of reboard, as tracebacks name them. In a browser, they do not name the folders above."""

_real_call = GPIOMeta.__call__
_constructing: set[ScheduledThread] = set()


def _call(cls: type[Any], *args: Any, **kwargs: Any) -> Any:
    thread = current()
    if not isinstance(thread, ScheduledThread) or thread in _constructing:
        return _real_call(cls, *args, **kwargs)
    _constructing.add(thread)
    try:
        device = _real_call(cls, *args, **kwargs)
    finally:
        _constructing.discard(thread)
    thread.scheduler.process.opened(device)
    return device


def watch_devices() -> None:
    """Report each device that a thread of a program creates to its process. This stays: it does nothing elsewhere."""
    GPIOMeta.__call__ = _call
