"""The time that hands keep: to the nanosecond, and so that a run can be repeated.

Runs are alike when what hands do comes at the same instant and, within the instant, in the same place: after all else,
one hand after the other, and first the one whose act was begun first.
"""

from __future__ import annotations

import asyncio
from math import ceil, floor, inf

from reboard_sim.virtual_time import VirtualTimeLoop

BEAT_S = 0.001
"""Acts begin on a whole one of these, so that a recorded act has a short time."""

SAME_BEAT = 1e-6
"""How near, in beats, an instant is to a beat to be on it."""

DIGITS = 9
"""Instants of hands are rounded to so many: the same instant is the same number, whatever it was added up from."""


async def let_pass(seconds: float, *, act: float = inf) -> None:
    """Let time pass, in the middle of *act*, if that is said: its number."""
    await _come(_loop().time() + seconds, act)


async def on_the_beat() -> None:
    """Let time pass until an act can begin; it may be now."""
    await _come(ceil(_loop().time() / BEAT_S - SAME_BEAT) * BEAT_S)


async def next_beat() -> None:
    """Let time pass until an act can begin, after now."""
    await _come((floor(_loop().time() / BEAT_S + SAME_BEAT) + 1) * BEAT_S)


async def _come(instant: float, act: float = inf) -> None:
    loop = _loop()
    instant = round(instant, DIGITS)
    if instant > loop.time():
        come: asyncio.Future[None] = loop.create_future()
        timer = loop.call_at(instant, _set, come)
        try:
            await come
        finally:
            timer.cancel()
    await loop.come_last(act)


def _set(come: asyncio.Future[None]) -> None:
    if not come.done():
        come.set_result(None)


def _loop() -> VirtualTimeLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    return loop
