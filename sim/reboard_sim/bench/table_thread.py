"""The thread that runs the virtual table of the bench, and the JSON objects for the page."""

from __future__ import annotations

import asyncio
import logging
import re
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from reboard.accessories.banker_unit.database import LEDGER_FILE
from reboard.accessories.banker_unit.ledger_errors import cause_of
from reboard.accessories.shared_requests import JoinCode
from reboard.aiotools import LoopThread
from reboard.board import open_database
from reboard.errors import PLUG_IN_ERRORS, Place, ReboardError, Repeats, failure
from reboard.languages import Texts
from reboard.service.table_loop import watched
from reboard.strict_json import plain
from reboard.table_config import TableConfig
from reboard.wiring.table_drawing import sheets_of_table
from reboard_sim.accessories.accessory import Write
from reboard_sim.accessories.installed import simulated_accessories
from reboard_sim.bench.bench_acts import Listener, Setup
from reboard_sim.bench.pace import LONGEST_FAST_S, Pace, Pacing
from reboard_sim.bench.panels import described_opened
from reboard_sim.bench.pin_view import InsideView, Passed
from reboard_sim.bench.stage import Stage
from reboard_sim.bench.switches import switches
from reboard_sim.pumped_loop import PumpedLoop
from reboard_sim.scene import Scene
from reboard_sim.seen_table import SeenTable
from reboard_sim.session import exports
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop


class TableThread:
    """A `reboard_sim.bench.bench_acts.BenchTable` whose event loop runs in a separate thread. Its power is on at first.

    *setup* is the setup of *scene*, see `Stage`. *socket* is the path of the control socket, which is open while the
    table is on (``None``: no socket). *make_stage* creates the holder of the table. With *pumped*, its owner runs the
    loop, and there is no thread.
    """

    read_only = ""
    longest_fast_s = LONGEST_FAST_S

    def __init__(
        self,
        scene: Scene,
        *,
        seed: int,
        pace: Pace = 1,
        socket: Path | None = None,
        setup: Setup | None = None,
        make_stage: Callable[..., Stage] = Stage,
        pumped: PumpedLoop | None = None,
    ) -> None:
        loop = self._loop = pumped.loop if pumped else VirtualTimeLoop(pace=0)
        self._thread = pumped or LoopThread(lambda: loop)
        self._watch = ExitStack()
        if not pumped:
            self._watch.enter_context(watched(loop, loop.selector, self._blame))
        loop.selector.on_work.append(self._report_work)
        self._pacing = Pacing(loop, lambda: self._stage.is_held, pace, self.longest_fast_s)
        self._stage = make_stage(scene, seed=seed, pacing=self._pacing, socket=socket, setup=setup)
        self._thread.call(self._stage.begin())

    def table(self) -> dict[str, Any]:
        return self._thread.call(self._snapshot())

    def hardware(self) -> dict[str, Any]:
        return self._thread.call(self._hardware())

    def do(self, lines: list[str], queue: str = "") -> Future[bool]:
        return asyncio.run_coroutine_threadsafe(self._stage.do(lines, queue), self._thread.loop)

    def finish(self, queue: str) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self._stage.finish(queue), self._thread.loop)

    def choose_pace(self, pace: Pace) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self._choose_pace(pace), self._thread.loop)

    def step(self) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self._pacing.step(), self._thread.loop)

    def scene(self) -> dict[str, Any]:
        return self._thread.call(self._scene())

    def switches(self, say: Texts) -> list[dict[str, Any]]:
        async def now() -> tuple[TableConfig, dict[str, Any], TableConfig]:
            return self._table.config, self._table.snapshot(), self._stage.began

        config, snapshot, began = self._thread.call(now())
        return switches(config, snapshot, say, began=began)

    def join_code(self) -> str:
        async def code() -> str:
            table = self._table.table
            if table is None or table.snapshot()["phones"]["pay"] == "off":
                return ""
            with suppress(ReboardError):  # a table without a bank, or without a ledger
                answer: Any = await table.read(JoinCode.do)
                return str(answer["code"])
            return ""

        return self._thread.call(code())

    def set_scene(self, setup: Setup, seed: int, lines: list[str]) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self._stage.load(setup, seed, lines), self._thread.loop)

    def check_scene(self, setup: Setup, lines: list[str]) -> None:
        self._stage.check(setup, lines, Path())  # the directory is not used

    @property
    def listeners(self) -> list[Listener]:
        return self._stage.listeners

    def open_inside_view(self) -> Callable[[], dict[str, Any] | None]:
        view = InsideView()

        async def collect() -> Passed:
            return view.collect(self._table, asyncio.get_running_loop().time())

        return lambda: view.as_json(self._thread.call(collect()))

    @property
    def state_directory(self) -> Path:
        """The state directory of the current table."""
        return self._table.config.state.directory

    def ledger(self) -> dict[str, Any]:
        return last_rows(self.state_directory / LEDGER_FILE)

    def export(self, name: str, file: BinaryIO, /) -> None:
        async def content() -> Write:
            _, fix = exports()[name]
            await self._loop.come_last()  # a play ends when its last instant is over
            return fix(self._table, self._loop.time())

        self._thread.call(content())(file)

    def wiring(self) -> bytes:
        return wiring_drawing(self._table.config)

    def vocabulary(self) -> Sequence[dict[str, str]]:
        return [{"usage": form.usage, "meaning": form.meaning} for form in self._stage.parser.forms]

    def close(self) -> None:
        try:
            self._thread.call(self._stage.close())
        finally:
            self._thread.close()
            self._watch.close()

    def _blame(self, place: Place, cause: str) -> None:
        if firmware := self._table.table:
            firmware.blame(place, cause)

    def _report_work(self) -> None:
        for listener in tuple(self.listeners):
            listener.work()

    @property
    def _table(self) -> VirtualTable:
        return self._stage.table

    async def _choose_pace(self, pace: Pace) -> None:
        self._pacing.choose(pace)
        self._report_work()

    async def _snapshot(self) -> dict[str, Any]:
        return table_of(self._table)

    async def _hardware(self) -> dict[str, Any]:
        hardware = hardware_of(self._table, asyncio.get_running_loop().time())
        recording = self._table.done
        return {
            **hardware,
            "pace": "scene" if self._pacing.is_at_once else self._pacing.chosen,
            "rate": self._pacing.rate,
            "run": self._stage.run,
            "scene": self._stage.number,
            "changes": self._table.changes,
            "demos": self._stage.demos,
            "recorded": {
                "acts": len(recording.acts),
                "full": recording.full_since is not None,
                "earlier_ledger": self._table.began_with_a_ledger,
            },
        }

    async def _scene(self) -> dict[str, Any]:
        stage = self._stage
        return {
            "run": stage.run,
            "number": stage.number,
            "changes": self._table.changes,
            **stage.setup.as_json(),
            "seed": stage.seed,
            "lasts_s": round(asyncio.get_running_loop().time() - self._table.made_at, 3),
            "given": stage.given.name if stage.given else None,
        }


ROWS = 100
"""The maximum number of ledger rows that the bench shows."""

COLUMNS = ("id", "game", "from", "to", "amount", "reason", "at", "undoes", "press")


def last_rows(file: Path) -> dict[str, Any]:
    """Return the ``columns`` of the ledger *file*, its latest ``rows`` (newest first) and the ``problem``.

    The problem is ``None`` if the ledger could be read.
    """
    columns = ", ".join(f'"{column}"' for column in COLUMNS)
    rows: list[list[Any]] = []
    problem = None
    try:
        with closing(open_database(f"{file.resolve().as_uri()}?mode=ro")) as connection:
            # a damaged letter must not hide its row
            connection.text_factory = lambda raw: raw.decode(errors="replace")
            rows = [
                list(row) for row in connection.execute(f"SELECT {columns} FROM transfer ORDER BY id DESC LIMIT {ROWS}")
            ]
    except sqlite3.Error as error:
        problem = cause_of(error)[0] if file.exists() else "There is no ledger yet: the banker unit creates it."
    return {"columns": COLUMNS, "rows": rows, "problem": problem}


def hardware_of(table: SeenTable, t: float) -> dict[str, Any]:
    """Return the power, accessories, devices (keyed by label) and faults of *table* as a JSON object.

    *t* is the current time of the table's clock. In the result, times are in seconds since *table* was created.
    """
    hardware: dict[str, Any] = {
        "t": round(t - table.made_at, 6),
        "powered": table.is_on,
        "switched_on_at": round(table.switched_on_at - table.made_at, 3),
        "accessories": list(table.config.sections),
        "devices": {
            label: _checked(f"the state of {label}", device.state) for label, device in table.pi.devices.items()
        },
        "opened": [described_opened(device) for device in table.pi.opened.values()],
        "faults": sorted(table.faults),
    }
    for name, accessory in simulated_accessories().items():
        hardware |= _checked(name, partial(accessory.hardware, table))
    return hardware


def _checked(what: str, state: Callable[[], object]) -> dict[str, Any]:
    """Return what *state* returns if JSON has it, and otherwise nothing: a plug-in must not stop the bench."""
    try:
        checked: dict[str, Any] = plain(state(), "its simulated state")
    except PLUG_IN_ERRORS as error:
        _bugs.report(log, f"{what} is not shown on the bench: {failure(error)}", error)
        return {}
    return checked


log = logging.getLogger(__name__)
_bugs = Repeats()


def table_of(table: SeenTable) -> dict[str, Any]:
    """Return the snapshot of *table*, whether it has power, and each pin in the config, keyed by name."""
    pins = {
        name: {"pin": line.name, "level": int(line.level), "duty": line.duty, "output": line.is_output}
        for name, line in table.pi.wires().items()
    }
    return {**table.snapshot(), "powered": table.is_on, "pins": pins}


def wiring_drawing(config: TableConfig) -> bytes:
    """Return the wiring drawing of *config* as SVG for the page. Raises `ReboardError` if schemdraw is missing."""
    # the page's Content-Security-Policy forbids style attributes; as attributes of SVG the same properties are allowed
    [sheet] = sheets_of_table(config, live=True)
    drawing = STYLE.sub(lambda style: PROPERTY.sub(r'\1="\2" ', style[1]), sheet.decode())
    return LIVE_TEXT.sub(r"\1\2", drawing).encode()  # texts stay as dark as they are


LIVE_TEXT = re.compile(r'(<text[^>]* fill=")var\([^,]*, ([^)]*)\)')
STYLE = re.compile(r'style="([^"]*)"')
PROPERTY = re.compile(r"\s*([\w-]+):\s*([^;]+);?")
