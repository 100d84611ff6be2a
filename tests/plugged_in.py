"""Accessories that are installed for the time of a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from reboard.accessories import accessory as interface
from reboard.accessories.accessory import Accessory, Request, RunningAccessory, TableContext, whole
from reboard.config.kinds import Section
from reboard.table_config import drawn_wiring
from reboard_sim.accessories import accessory as simulated
from reboard_sim.plays import play_language


@contextmanager
def installed(*accessories: Accessory[Any]) -> Iterator[None]:
    """Make these the installed accessories."""
    entries = [SimpleNamespace(name=each.name, value="", load=lambda each=each: each) for each in accessories]
    caches: list[Any] = [interface.accessories, interface.event_kinds, interface.all_requests, drawn_wiring]
    caches += [simulated.simulated_accessories, simulated.all_forms, simulated.faults, simulated.things]
    caches += [play_language.forms, play_language.choices, play_language.readers]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interface, "entry_points", lambda group: entries)
        for cache in caches:
            cache.cache_clear()
        try:
            yield
        finally:
            for cache in caches:
                cache.cache_clear()


@dataclass(frozen=True, slots=True)
class LairConfig:
    """``[dragon]``, without settings."""


class Dragon(Accessory[LairConfig], RunningAccessory):
    """An accessory that has no device, and that does what a test needs."""

    name = "dragon"
    title = "Dragon"
    section = Section(LairConfig)
    absent_snapshot: Mapping[str, object] = {"dragon": None}
    requests: Mapping[str, Request] = {"roar": Request({"times": whole(9)}, changes=False)}

    @asynccontextmanager
    async def open(self, config: LairConfig, context: TableContext) -> AsyncIterator[RunningAccessory]:
        yield self

    async def run(self, started: Callable[[], None]) -> None:
        started()
        await asyncio.get_running_loop().create_future()

    def snapshot(self) -> Mapping[str, object]:
        return {"dragon": "awake"}

    async def request(self, name: str, args: Mapping[str, Any]) -> object:
        return {"roared": args["times"]}
