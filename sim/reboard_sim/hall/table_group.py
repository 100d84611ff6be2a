"""Some virtual tables with their families and bridges, in a process of their own."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from reboard.aiotools import LoopThread
from reboard.commands.mqtt import CURSOR_NAME
from reboard.config.mqtt import BrokerAddress
from reboard.control.protocol import SOCKET_NAME
from reboard.editions.edition import load_edition
from reboard.mqtt.bridge import Bridge
from reboard_sim.hall.family import MOST_PLAYERS, NAMES, Family
from reboard_sim.scene import Scene, state_directory
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop

log = logging.getLogger(__name__)

MOST_TABLES = 25
"""The maximum number of tables in a process. Each has about 25 open files, and many systems allow 1,024."""
AT_ONCE = 1e6
END_S = 30.0
"""The time that the tables have to end, in seconds."""
LOOK_S = 10.0
BEHIND = 0.9
"""The share of the wanted pace below which the group reports that this machine is too slow."""


@dataclass(frozen=True)
class TablePlan:
    """A table to play at: its *name* at the broker, its *edition*, and the *seed* of the family and the firmware.

    *names* are those of the family.
    """

    name: str
    edition: str
    seed: int
    names: Sequence[str] = NAMES[:MOST_PLAYERS]


@dataclass(frozen=True)
class TableGroup:
    """Tables that one process runs at *pace*. Each has a folder with its ledger in *state*."""

    plans: Sequence[TablePlan]
    state: Path
    pace: float
    broker: BrokerAddress

    @contextmanager
    def playing(self) -> Iterator[Connection]:
        """Run the tables in a process during the ``with``. Yield the connection on which it reports that they are on.

        The process ends when this one does, however that may be.
        """
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_play, args=(self, theirs), name=self.plans[0].name)
        process.start()
        theirs.close()
        try:
            yield ours
        finally:
            ours.close()
            process.join(END_S)
            process.kill()
            process.join()


def _play(group: TableGroup, parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    asyncio.run(_Playing(group).play(parent))


class _Playing:
    """The tables of a group on an event loop in virtual time, and their bridges on one in real time."""

    def __init__(self, group: TableGroup) -> None:
        self._group = group
        self._tables: list[VirtualTable] = []
        self._families: list[asyncio.Task[None]] = []
        self._loop = VirtualTimeLoop(AT_ONCE)

    async def play(self, parent: Connection) -> None:
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        with ExitStack() as opened:
            thread = opened.enter_context(closing(LoopThread(lambda: self._loop)))
            scenes = [self._scene(plan) for plan in self._group.plans]
            thread.call(self._power_on(scenes))
            opened.callback(lambda: thread.call(self._close()))
            loop.add_reader(parent.fileno(), over.set)
            opened.callback(loop.remove_reader, parent.fileno())
            parent.send(len(self._tables))
            async with asyncio.TaskGroup() as tasks:
                bridges = [tasks.create_task(self._bridge(scene)) for scene in scenes]
                bridges.append(tasks.create_task(self._watch_pace()))
                await over.wait()
                for bridge in bridges:
                    bridge.cancel()

    def _scene(self, plan: TablePlan) -> Scene:
        names = ", ".join(f'"{name}"' for name in plan.names)
        scene = Scene.load(None, state_directory(self._group.state / plan.name), edition=plan.edition)
        settings = {
            "bank.names": f"[{names}]",
            "mqtt.broker": f'"{self._group.broker.host}"',
            "mqtt.port": str(self._group.broker.port),
            "mqtt.table": f'"{plan.name}"',
            "mqtt.share_names": "true",
            "mqtt.discovery": "false",
        }
        if "block" in load_edition(plan.edition).outcomes:
            settings["block.linked"] = "true"
        for setting, value in settings.items():
            scene = scene.changed(setting, value)
        return scene

    async def _power_on(self, scenes: Sequence[Scene]) -> None:
        calendar = time.time() - self._loop.time()
        for scene, plan in zip(scenes, self._group.plans, strict=True):
            socket = scene.config().state.directory / SOCKET_NAME
            # a sound card keeps nothing
            table = VirtualTable(scene, seed=plan.seed, keep_sound_s=0.0, socket=socket, calendar=calendar)
            self._tables.append(table)
        await asyncio.gather(*(table.power_on() for table in self._tables))
        for table, plan in zip(self._tables, self._group.plans, strict=True):
            chance = Random(plan.seed)
            players = chance.randint(2, min(MOST_PLAYERS, load_edition(plan.edition).players.most))
            self._families.append(asyncio.create_task(Family(table, players, chance).play()))
        self._loop.clock.pace = self._group.pace

    async def _close(self) -> None:
        for family in self._families:
            family.cancel()
        await asyncio.gather(*self._families, return_exceptions=True)
        await asyncio.gather(*(table.close() for table in self._tables))

    async def _bridge(self, scene: Scene) -> None:
        config = scene.config()
        assert config.mqtt
        await Bridge(config.state.directory / SOCKET_NAME, config.mqtt, config.state.directory / CURSOR_NAME).run()

    async def _watch_pace(self) -> None:
        """Report once that this machine is too slow for the pace. The tables then play slower, and lose nothing."""
        while True:
            real, virtual = time.monotonic(), self._loop.time()
            await asyncio.sleep(LOOK_S)
            pace = (self._loop.time() - virtual) / (time.monotonic() - real)
            if pace < BEHIND * self._group.pace:
                log.warning("this machine is too slow for pace %g: the tables play at %.1f", self._group.pace, pace)
                return
