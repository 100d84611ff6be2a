"""A virtual switch contact, which bounces."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import inf, log10
from random import Random
from typing import Any

from reboard.devices.contact import LEVER
from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening
from reboard_sim.forms import Form, User

PRESS_S = 0.1

REPRESS_S = 0.04
AT_ONCE_S = 0.002
"""The time that a finger needs to press again, in seconds, when a play does so at once: within two milliseconds."""

BOUNCE_S = 0.002
HEAVY_BOUNCE_S = 0.02

MOST_BOUNCES = 3
CHATTER_CLOSED_S = (0.05, 0.5)
CHATTER_OPEN_S = (0.0005, 0.02)

SPIKE_DECADES = (-6.0, log10(0.02))
"""The range of the lengths of spikes, from 1 µs to 20 ms, as powers of ten. Each decade is equally likely."""

SPIKE_GAP_S = (0.005, 0.2)
HUM_HALF_S = 0.01
"""Half a period of the mains, in seconds."""


class VirtualContact(VirtualDevice):
    """A switch contact that connects *line* to *other* while the user holds it closed.

    The contact opens or closes at once and then bounces for up to *bounce_s* seconds. *rng* determines the number and
    the times of the bounces.
    """

    def __init__(self, line: Line, other: Line, *, rng: Random | None = None, bounce_s: float = BOUNCE_S) -> None:
        self.bounce_s = self._usual_bounce_s = bounce_s
        self._line, self._other = line, other
        self._rng = rng or Random(0)
        self._loop = asyncio.get_running_loop()
        self._is_held = False
        self._stays = False
        self._touches = False
        self._chatters = False
        self._is_stuck = False
        self._released_at = -inf
        self._moves: list[asyncio.TimerHandle] = []
        self._noises: dict[str, asyncio.TimerHandle] = {}

    @property
    def is_closed(self) -> bool:
        """Whether the user holds the contact closed, even if it chatters or is stuck."""
        return self._is_held

    def press(self) -> None:
        """Hold the contact closed. It closes unless it is stuck."""
        self._stays = False
        self._hold(True)

    def release(self) -> None:
        """Release the contact, which opens unless it is stuck."""
        self._hold(False)

    def set(self, on: bool) -> None:
        """Close the contact, which stays closed without the user, or open it. A stuck contact does not move."""
        self._stays = on
        self._hold(on)

    def chatter(self, on: bool) -> None:
        """Let the contact open at random while the user holds it closed, or no longer."""
        self._chatters = on
        self._move()

    def stick(self, on: bool) -> None:
        """Let the contact be stuck, or no longer. A stuck contact ignores the user and does not bounce or chatter."""
        self._is_stuck = on
        self._move()

    def follow(self, kind: str, *_: Any) -> None:
        if kind == "pin":
            self.show(not self._line.level)

    def show(self, closed: bool) -> None:
        """Show the contact as held closed or as open, without an effect on its line."""
        self._is_held = closed

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"press": self.press, "release": self.release, "set": self.set}

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {
            "bounce": self.bounce_heavily,
            "chatter": self.chatter,
            "stuck": self.stick,
            "spike": partial(self._pick_up, "spike", self._spike_s),
            "hum": partial(self._pick_up, "hum", lambda low: HUM_HALF_S),
        }

    def state(self) -> object:
        return self.is_closed

    @property
    def held(self) -> Collection[str]:
        return ("",) if self.is_closed and not self._stays else ()

    def close(self) -> None:
        self._stop_moves()
        for noise in ("spike", "hum"):
            self._pick_up(noise, lambda low: 0.0, False)

    def bounce_heavily(self, on: bool) -> None:
        """Set the bounce time to 20 ms, or to the usual one if *on* is false."""
        self.bounce_s = HEAVY_BOUNCE_S if on else self._usual_bounce_s

    def __repr__(self) -> str:
        return f"<VirtualContact {self._line.name} to {self._other.name}, is_closed={self._is_held}>"

    def _pick_up(self, noise: str, length_s: Callable[[bool], float], on: bool) -> None:
        """Begin or end a *noise* that pulls the line low. *length_s* returns how long it is low, and how long not."""
        if timer := self._noises.pop(noise, None):
            timer.cancel()
            self._line.drive(None, by=noise)

        def move(low: bool) -> None:
            self._line.drive(False if low else None, by=noise)
            self._noises[noise] = self._loop.call_later(length_s(low), move, not low)

        if on:
            move(True)

    def _spike_s(self, low: bool) -> float:
        return 10 ** self._rng.uniform(*SPIKE_DECADES) if low else self._rng.uniform(*SPIKE_GAP_S)

    def _hold(self, held: bool) -> None:
        if held == self._is_held:
            return
        self._is_held, now = held, self._loop.time()
        if not held:
            self._released_at = now
        if held and now < self._released_at + AT_ONCE_S:
            self._later(REPRESS_S, self._move)
        else:
            self._move()

    def _stop_moves(self) -> None:
        for move in self._moves:
            move.cancel()
        self._moves = []

    def _move(self) -> None:
        self._stop_moves()
        if self._is_stuck:
            return
        if self._touches != self._is_held:
            self._touch(self._is_held)
            self._bounce()
        if self._chatters and self._is_held:
            self._later(self.bounce_s + self._rng.uniform(*CHATTER_CLOSED_S), self._slip)

    def _bounce(self) -> None:
        bounces = self._rng.randint(1, MOST_BOUNCES) if self.bounce_s else 0
        for place, after_s in enumerate(sorted(self._rng.uniform(0, self.bounce_s) for _ in range(2 * bounces))):
            self._later(after_s, self._touch, self._is_held is (place % 2 == 1))

    def _slip(self) -> None:
        open_s = self._rng.uniform(*CHATTER_OPEN_S)
        self._touch(False)
        self._moves.clear()
        self._later(open_s, self._touch, True)
        self._later(open_s + self._rng.uniform(*CHATTER_CLOSED_S), self._slip)

    def _later(self, after_s: float, move: Callable[..., None], *args: bool) -> None:
        self._moves.append(self._loop.call_later(after_s, move, *args))

    def _touch(self, touches: bool) -> None:
        if touches == self._touches:
            return
        self._touches = touches
        if touches:
            self._line.join(self._other)
        else:
            self._line.part(self._other)


async def press(user: User, device: str, seconds: float = PRESS_S) -> None:
    """Press *device*, and release it after *seconds*."""
    await hold(user, device)
    await user.let_pass(seconds)
    await release(user, device)


async def hold(user: User, device: str, key: str = "") -> None:
    """Press *device*, or its *key*, and hold it."""
    words = f"{device} {key}".strip()
    user.hold(device, *key.split(), line=f"hold {words}", release=f"release {words}")


async def release(user: User, device: str, key: str = "") -> None:
    """Release *device*, or its *key*."""
    user.release(device, *key.split(), line=f"release {device} {key}".strip())


async def set_state(user: User, device: str, state: str) -> None:
    """Close the switch *device* (``on``), or open it."""
    user.pi[device].acts()["set"](state == "on")
    user.did(f"set {device} {state}")


SET = Form(
    "switch_device", "set DEVICE on|off", "close a switch or pull a lever, so that it stays, or undo it", set_state
)

FORMS = (
    Form("press_device", "press DEVICE [SECONDS]", "press a button for 0.1 s, or for this time", press),
    Form("hold_device", "hold DEVICE", "press a button or pull a lever, and hold it", hold),
    Form("release_device", "release DEVICE", "release a button or a lever", release),
    SET,
)
FAULTS = {
    "chatter": "It loses contact at random while it is held.",
    "stuck": "It does not move.",
    "spike": "Sparks pull its wire low at random, for 1 µs to 20 ms.",
    "hum": "The mains pull its wire low for 10 ms, fifty times a second.",
}


def widget(device: FittedDevice[Any, Any]) -> str:
    """Return the name of the control: a lever stays, as a switch does."""
    return "switch" if device.kind is LEVER else "contact"


def wired(device: FittedDevice[int, Any], board: VirtualBoard) -> VirtualContact:
    """Return a contact between the pin of *device* and ground, with the pull-up from ``[wiring]``, if there is one."""
    assert device.config is not None
    line = board.pins.line(device.config)
    if board.wiring_of(device).protected:
        line.pull_outside = "up"
    return VirtualContact(line, board.pins.ground, rng=board.rng)


def opened(opening: Opening, board: VirtualBoard) -> VirtualContact:
    """Return a contact between its pin and 3.3 V, or ground. Like most presses of a tactile switch, it is clean."""
    pins = board.pins
    other = pins.supply if opening.active_high else pins.ground
    return VirtualContact(pins.line(opening.pin), other, rng=board.rng, bounce_s=0.0)
