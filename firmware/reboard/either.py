"""Waiting for the first of several things."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def either(*waits: Coroutine[Any, Any, object]) -> int:
    """Wait until the first of *waits* is over, call the others off, and say which it was, counted from 0.

    When several are over at once the earliest of them in the list counts. What the first raises, this raises.
    """
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        first = next(i for i, task in enumerate(tasks) if task.done())
        tasks[first].result()
        return first
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
