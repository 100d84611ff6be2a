"""The services of the table, which are stopped while setup uses their pins or moves their files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from reboard.doctor.doctor_context import PAGE, SAFE, TABLE, find_units
from reboard.doctor.machine import Machine


async def running_services(machine: Machine) -> list[str]:
    """Return the names of those services of the table that are running, starting or stopping."""
    units = await find_units(machine) or {}
    return [name for name in (TABLE, PAGE, SAFE) if name in units and units[name].active not in ("inactive", "failed")]


@asynccontextmanager
async def table_stopped(
    machine: Machine, running: list[str], *, before_start: Callable[[], object] = lambda: None
) -> AsyncIterator[None]:
    """Stop the *running* services of the table. At the end, call *before_start*, and start them again.

    Safe mode is not started again, but the table, which starts safe mode if it still cannot play. If *before_start*
    raises an exception, nothing is started. Raises `ReboardError` if a service cannot be stopped or started.
    """
    try:
        if running:
            await machine.run("systemctl", "stop", *running)
        yield
    finally:
        before_start()
        if running:
            await machine.run("systemctl", "start", *dict.fromkeys(TABLE if name == SAFE else name for name in running))
