"""The devices of gpiozero that a program opens, as devices for the bench, and their labels."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import gpiozero
from gpiozero.devices import GPIOMeta

import reboard
import reboard_sim
from reboard_sim.script.scheduler import ScheduledThread
from reboard_sim.script.threads import current

KINDS: Mapping[type[Any], tuple[str, Mapping[str, str]]] = {
    gpiozero.DistanceSensor: ("distance", {"trigger": "trigger", "echo": "echo"}),
    gpiozero.LightSensor: ("light_sensor", {"": "pin"}),
    gpiozero.MotionSensor: ("switch", {"": "pin"}),
    gpiozero.LineSensor: ("switch", {"": "pin"}),
    gpiozero.Button: ("contact", {"": "pin"}),
    gpiozero.RotaryEncoder: ("encoder", {"a": "a", "b": "b"}),
    gpiozero.InputDevice: ("switch", {"": "pin"}),
    gpiozero.Motor: ("h_bridge", {"forward": "forward_device", "backward": "backward_device"}),
    gpiozero.PhaseEnableMotor: ("h_bridge", {"phase": "phase_device", "enable": "enable_device"}),
    gpiozero.Servo: ("servo", {"": "pwm_device"}),
    gpiozero.TonalBuzzer: ("buzzer", {"": "pwm_device"}),
    gpiozero.Buzzer: ("buzzer", {"": "pin"}),
    gpiozero.OutputDevice: ("lamp", {"": "pin"}),
}
"""The kind of each class, and the attribute of each of its terminals. The first class that fits counts."""

SETTINGS = ("min_pulse_width", "max_pulse_width", "min_angle", "max_angle")
"""The attributes of a device that say what the program assumes about the real one."""


class OpenedDevice(NamedTuple):
    """A device that a program opens: its *label*, its *kind* and its *pins*, keyed by terminal. See `Opening`."""

    label: str
    kind: str
    pins: Mapping[str, int]
    active_high: bool
    settings: Mapping[str, float]


def opened_devices(device: Any, label: str) -> Iterator[OpenedDevice]:
    """Return the devices on the bench for a *device* of gpiozero: one, or each of a composite device such as a board.

    Without a *label*, a device is named after its first pin.
    """
    for kind_of, (kind, terminals) in KINDS.items():
        if isinstance(device, kind_of):
            yield _opened(label, kind, {name: getattr(device, part) for name, part in terminals.items()}, device)
            return
    if isinstance(device, gpiozero.RGBLED):
        yield _opened(label, "rgb_led", dict(zip(("red", "green", "blue"), device._leds, strict=True)), device)
    elif isinstance(device, gpiozero.LEDMultiCharDisplay):
        selects = {f"digit_{number}": digit for number, digit in enumerate(device.plex, start=1)}
        yield _opened(label, "digits", {**dict(_leds(device.char)), **selects}, device)
    elif isinstance(device, gpiozero.LEDCollection):
        leds = dict(_leds(device))
        yield _opened(label, "digits" if {*"abcdefg"} <= leds.keys() <= {*"abcdefg", "dp"} else "leds", leds, device)
    elif isinstance(device, gpiozero.CompositeDevice):
        for name, each in _members(device):
            yield from opened_devices(each, f"{label}_{name}" if label else "")


def _opened(label: str, kind: str, parts: Mapping[str, Any], device: Any) -> OpenedDevice:
    pins = {terminal: _number(part) for terminal, part in parts.items()}
    is_high = all(bool(getattr(part, "_active_state", True)) for part in parts.values())
    if "" in parts:
        is_high = bool(getattr(device, "_active_state", True))
    settings = {name: getattr(device, name) for name in SETTINGS if hasattr(device, name)}
    return OpenedDevice(label or f"gpio{min(pins.values())}", kind, pins, is_high, settings)


def _members(device: Any) -> Iterator[tuple[str, Any]]:
    names = {id(each): name for name, each in device._named.items()}
    for place, each in enumerate(device, start=1):
        yield names.get(id(each), str(place)), each


def _leds(device: Any) -> Iterator[tuple[str, Any]]:
    """Yield the LEDs of a board, each with its name: ``3``, or ``red_1`` on a board of boards."""
    for name, each in _members(device):
        if isinstance(each, gpiozero.LEDCollection):
            yield from ((f"{name}_{inner}", led) for inner, led in _leds(each))
        else:
            yield name, each


def _number(pin: Any) -> int:
    while not hasattr(pin, "info"):
        pin = pin.pin
    return int(pin.info.name.removeprefix("GPIO"))


def label_here(folder: Path) -> str:
    """Return the name of the variable to which a program in *folder* assigns what it creates now, or ``""``.

    ``led`` for ``led = LED(17)``, ``self.led = LED(17)`` and ``with LED(17) as led``.
    """
    if not (frame := frame_of_program(sys._getframe(), folder)):
        return ""
    positions = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    line, _, column, _ = positions
    return _names(Path(frame.f_code.co_filename)).get((line or 0, column or 0), "")


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


OUR_FOLDERS = tuple(f"{Path(str(module.__file__)).parent}{os.sep}" for module in (reboard, reboard_sim))

NAME = re.compile(r"[a-z][a-z0-9_]*")


@cache
def _names_of(source: bytes) -> Mapping[tuple[int, int], str]:
    """Return the variable to which each call is assigned, keyed by the line and the column where the call begins."""
    names = {}
    for node in ast.walk(ast.parse(source)):
        pairs: list[tuple[ast.AST, ast.AST | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.With):
            pairs = [(item.optional_vars, item.context_expr) for item in node.items if item.optional_vars]
        for target, value in pairs:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs += zip(target.elts, value.elts, strict=False)
            name = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")
            if isinstance(value, ast.Call) and NAME.fullmatch(name := name.lower().strip("_")):
                names[value.lineno, value.col_offset] = name
    return names


def _names(file: Path) -> Mapping[tuple[int, int], str]:
    try:
        return _names_of(file.read_bytes())
    except (OSError, ValueError, SyntaxError):
        return {}


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
