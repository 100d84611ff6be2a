"""Stand-ins for what gpiozero's examples use and this machine lacks: packages, hosts, sensors, other Pis.

A stand-in prints what it is asked to do, such as ``did capture``. It gets what happens to it as lines of the program's
input, such as ``key=up``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpiozero import Device

from reboard_sim.script.modules.pin_libraries import FACTORIES

LOOK_EVERY_S = 0.01
MOVES = {"top": (0, 1), "bottom": (0, -1), "left": (-1, 0), "right": (1, 0)}
KEYS = {"up": 103, "down": 108, "left": 105, "right": 106}
"""The codes of the arrow keys (Linux's input-event-codes.h)."""

inputs: dict[str, str] = {}
remotes: dict[str, Any] = {}
"""The pins of the other Pis, by the last number of their address."""


def given(name: str, default: str) -> str:
    """Return what the play has answered for *name*. The first call starts the thread that reads the answers."""
    if not inputs:
        inputs["is read"] = "yes"
        Thread(target=_read_inputs, daemon=True).start()
    return inputs.get(name, default)


def _read_inputs() -> None:
    while True:
        name, _, value = input().partition("=")
        inputs[name] = value


def changes(name: str, default: str) -> Iterator[str]:
    """Yield each new value of *name*, as it comes."""
    before = default
    while True:
        value = given(name, default)
        if value != before:
            before = value
            yield value
        time.sleep(LOOK_EVERY_S)


def does(name: str) -> Callable[..., None]:
    """Return a function that prints that it *did* this."""
    return lambda *_, **__: print("did", name, *_)


class BlueDot:
    """The dot on a phone, which a finger presses at the ``top`` and so on, or ``pressed`` anywhere."""

    def __init__(self) -> None:
        self.is_pressed = False
        self.when_pressed = self.when_moved = self.when_released = None
        self.position = SimpleNamespace(x=0, y=0)
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        for where in changes("dot", "released"):
            x, y = MOVES.get(where, (0, 0))
            sides = {side: side == where for side in MOVES}
            self.position = SimpleNamespace(x=x, y=y, distance=1, **sides)
            self.is_pressed = where != "released"
            callback: Any = self.when_pressed if self.is_pressed else self.when_released
            if callback:
                callback(*([self.position] if self.is_pressed else []))

    def wait_for_press(self) -> None:
        while not self.is_pressed:
            time.sleep(LOOK_EVERY_S)

    def wait_for_release(self) -> None:
        while self.is_pressed:
            time.sleep(LOOK_EVERY_S)


class PiCamera:
    capture = staticmethod(does("capture"))
    start_preview = staticmethod(does("start_preview"))
    stop_preview = staticmethod(does("stop_preview"))


class SenseHat:
    temperature = 21.5
    show_message = staticmethod(does("show"))
    clear = staticmethod(does("clear"))


class Keyboard:
    """The keyboard of the package evdev."""

    def __init__(self, _: str) -> None:
        pass

    def capabilities(self) -> Mapping[int, Sequence[int]]:
        return {1: range(1, 32)}

    def read_loop(self) -> Iterator[SimpleNamespace]:
        held = 0
        for key in changes("key", "none"):
            yield SimpleNamespace(type=1, code=KEYS.get(key, held), value=int(key in KEYS))
            held = KEYS.get(key, 0)


def getch() -> int:
    """Return a held key after a tenth of a second, as a terminal repeats it."""
    time.sleep(0.1)
    return KEYS.get(given("key", "none"), -1)


def other_pi(_: object, host: str = "192.168.1.1") -> Any:
    """Return the pins of the Pi at *host*, which are virtual pins like those of this one."""
    here: Any = Device.pin_factory
    pins = type(here)(here._clock)
    pins.scheduler = here.scheduler
    pins.power_on()
    return remotes.setdefault(host.rpartition(".")[2], pins)


def check_call(command: Sequence[str], **_: object) -> None:
    """Answer a ping, or print the *command*."""
    if command[0] != "ping":
        print("did", *command)
    elif given("ping", "down") == "down":
        raise _no_answer()


def _no_answer() -> Exception:
    from subprocess import CalledProcessError

    return CalledProcessError(1, "ping")


def statvfs(_: str) -> SimpleNamespace:
    """Return a disk that is filled as far as the play says."""
    free = round(1000 * (1 - float(given("disk", "0"))))
    return SimpleNamespace(f_blocks=1000, f_bfree=free, f_bavail=free)


MODULES: Mapping[str, Mapping[str, object]] = {
    "bluedot": {"BlueDot": BlueDot},
    "curses": {
        **{f"KEY_{name.upper()}": code for name, code in KEYS.items()},
        "halfdelay": lambda _: None,
        "wrapper": lambda main: main(SimpleNamespace(getch=getch)),
    },
    "evdev": {
        "InputDevice": Keyboard,
        "list_devices": lambda: ["/dev/input/event0"],
        "ecodes": SimpleNamespace(EV_KEY=1, **{f"KEY_{name.upper()}": code for name, code in KEYS.items()}),
    },
    "picamera": {"PiCamera": PiCamera},
    "pygame": {},
    "pygame.mixer": {"init": lambda: None, "Sound": lambda path: SimpleNamespace(play=does(Path(path).stem))},
    "sense_hat": {"SenseHat": SenseHat},
    "travispy": {
        "TravisPy": lambda: SimpleNamespace(repo=lambda _: SimpleNamespace(last_build_state="passed")),
    },
}


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the stand-ins in their places."""
    inputs.clear()
    remotes.clear()
    for name, members in MODULES.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    for factory in ("pigpio", "rpigpio"):
        module_name = f"gpiozero.pins.{factory}"
        monkeypatch.setitem(FACTORIES, module_name, (FACTORIES[module_name][0], other_pi))
    sys.modules["pygame"].mixer = sys.modules["pygame.mixer"]  # type: ignore[attr-defined]
    inside = "gpiozero.internal_devices"
    monkeypatch.setattr(f"{inside}.subprocess", SimpleNamespace(check_call=check_call, CalledProcessError=Exception))
    monkeypatch.setattr(f"{inside}.os", SimpleNamespace(statvfs=statvfs, devnull=os.devnull))
    monkeypatch.setattr("subprocess.check_call", check_call)
