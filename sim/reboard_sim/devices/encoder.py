"""A virtual rotary encoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.encoder import EncoderConfig
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening
from reboard_sim.forms import Form, User

QUARTER_S = 0.005
"""The time between two edges of a step, in seconds."""


class VirtualEncoder(VirtualDevice):
    """A rotary encoder: two contacts between the lines *a* and *b* and *ground*."""

    def __init__(self, a: Line, b: Line, ground: Line) -> None:
        self._lines = {"a": a, "b": b}
        self._ground = ground
        self.steps = 0

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"close": self._close, "open": self._open}

    def state(self) -> object:
        return {"turns": self.steps / 20, "steps": self.steps}

    def _close(self, contact: str) -> None:
        self._lines[contact].join(self._ground)

    def _open(self, contact: str) -> None:
        self._lines[contact].part(self._ground)


async def turn(user: User, device: str, n: int, order: str = "ab") -> None:
    """Turn the knob of *device* by *n* steps. The contact that comes first in *order* leads."""
    encoder = user.pi[device]
    acts, first, second = encoder.acts(), order[0], order[1]
    for _ in range(n):
        for act, contact in (("close", first), ("close", second), ("open", first), ("open", second)):
            acts[act](contact)
            await user.let_pass(QUARTER_S)
        encoder.steps += 1 if order == "ab" else -1
    user.did(f"turn {device} {n}" if order == "ab" else f"turn {device} back {n}")


async def turn_back(user: User, device: str, n: int) -> None:
    """Turn the knob of *device* counter-clockwise by *n* steps."""
    await turn(user, device, n, "ba")


FORMS = (
    Form("turn_device", "turn DEVICE N", "turn a knob clockwise by so many steps", turn),
    Form("turn_back_device", "turn DEVICE back N", "turn a knob counter-clockwise by so many steps", turn_back),
)

TERMINALS = (("a", "b"),)


def wired(device: FittedDevice[EncoderConfig, Any], board: VirtualBoard) -> VirtualEncoder:
    """Return an encoder between the pins of *device* and ground."""
    assert device.config is not None
    return VirtualEncoder(board.pins.line(device.config.a), board.pins.line(device.config.b), board.pins.ground)


def opened(opening: Opening, board: VirtualBoard) -> VirtualEncoder:
    """Return an encoder between its pins ``a`` and ``b`` and ground."""
    return VirtualEncoder(board.pins.line(opening.pins["a"]), board.pins.line(opening.pins["b"]), board.pins.ground)
