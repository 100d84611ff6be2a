"""The time that hands keep: to the nanosecond, and so that a run can be repeated.

Runs are alike when what hands do comes at the same instant and, within the instant, in the same place: after all else.
"""

from __future__ import annotations

import asyncio
from math import ceil, floor

BEAT_S = 0.001
"""Acts begin on a whole one of these, so that a recorded act has a short time."""

SAME_BEAT = 1e-6
"""How near, in beats, an instant is to a beat to be on it."""

DIGITS = 9
"""Instants of hands are rounded to so many: the same instant is the same number, whatever it was added up from."""

LATE_ROUNDS = 10
"""How many rounds of the loop later hands come than what else is due at the same instant."""


async def let_pass(seconds: float) -> None:
    """Let time pass."""
    await _come(asyncio.get_running_loop().time() + seconds)


async def on_the_beat() -> None:
    """Let time pass until an act can begin; it may be now."""
    await _come(ceil(_beats() - SAME_BEAT) * BEAT_S)


async def next_beat() -> None:
    """Let time pass until an act can begin, after now."""
    await _come((floor(_beats() + SAME_BEAT) + 1) * BEAT_S)


def _beats() -> float:
    return asyncio.get_running_loop().time() / BEAT_S


async def _come(instant: float) -> None:
    loop = asyncio.get_running_loop()
    come: asyncio.Future[None] = loop.create_future()
    timer = loop.call_at(round(instant, DIGITS), _set, come)
    try:
        await come
    finally:
        timer.cancel()
    for _ in range(LATE_ROUNDS):
        await asyncio.sleep(0)


def _set(come: asyncio.Future[None]) -> None:
    if not come.done():
        come.set_result(None)
