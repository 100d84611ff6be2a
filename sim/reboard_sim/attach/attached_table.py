"""A real table on the bench: read-only, through its table page."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from secrets import token_hex
from typing import Any, BinaryIO, TypeVar

from reboard.aiotools import Backoff, LoopThread
from reboard.errors import ReboardError
from reboard.languages import Texts
from reboard.version import __version__
from reboard_sim.accessories.installed import simulated_accessories
from reboard_sim.attach.mirror import Mirror
from reboard_sim.attach.table_page_client import AttachError, TablePageClient
from reboard_sim.bench.bench_acts import Listener, Setup
from reboard_sim.bench.pace import Pace
from reboard_sim.bench.pin_view import InsideView, Passed
from reboard_sim.bench.table_thread import COLUMNS, ROWS, hardware_of, table_of, wiring_drawing
from reboard_sim.session import exports

T = TypeVar("T")

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 10.0

READABLE_EXPORTS = ("pins.vcd", "events.jsonl")


class AttachedTable:
    """A `reboard_sim.bench.bench_acts.BenchTable` that shows the real table of *client*, and refuses every act.

    It reconnects with a backoff when the connection is lost. Raises `AttachError` if the first connection fails, or if
    the table cannot be shown.
    """

    def __init__(self, client: TablePageClient) -> None:
        self._client = client
        self.read_only = (
            f"This bench is read-only. To operate the table of {client.name}, use its buttons or its table page."
        )
        self._run = token_hex(4)
        self._number = 0
        self._problem: str | None = None
        self.listeners: list[Listener] = []
        self._ended = threading.Event()
        self._loop = LoopThread()
        self._mirror: Mirror
        try:
            signals = client.signals()
            self._begin(next(signals))
        except BaseException:
            self._loop.close()
            raise
        self._following = threading.Thread(target=self._follow, args=(signals,), name="attached", daemon=True)
        self._following.start()

    def table(self) -> dict[str, Any]:
        return self._call(lambda: table_of(self._mirror))

    def hardware(self) -> dict[str, Any]:
        def now() -> dict[str, Any]:
            copied: dict[str, object] = {}
            for accessory in simulated_accessories().values():
                copied |= accessory.copied(self._mirror.snapshot())
            return {
                **hardware_of(self._mirror, self._mirror.t),
                **copied,
                "pace": 1,
                "rate": 1.0,
                "run": self._run,
                "scene": self._number,
                "changes": 0,
                "recorded": {"acts": 0, "full": False, "earlier_ledger": False},
                "attached": {"problem": self._problem, "dropped": self._mirror.dropped},
            }

        return self._call(now)

    def do(self, lines: list[str], queue: str = "") -> Future[bool]:
        return self._refused()

    def finish(self, queue: str) -> Future[None]:
        return self._refused()

    def choose_pace(self, pace: Pace) -> Future[None]:
        return self._refused()

    def step(self) -> Future[None]:
        return self._refused()

    def set_scene(self, setup: Setup, seed: int, lines: list[str]) -> Future[None]:
        return self._refused()

    def check_scene(self, setup: Setup, lines: list[str]) -> None:
        raise ReboardError(self.read_only)

    def scene(self) -> dict[str, Any]:
        return {"run": self._run, "number": self._number, "changes": 0, "edition": self._mirror.config.edition,
                "wiring": "config", "left": None, "right": None, "seed": 0, "lasts_s": round(self._mirror.t, 3),
                "given": self._client.name}  # fmt: skip

    def switches(self, say: Texts) -> list[dict[str, Any]]:
        return []

    def join_code(self) -> str:
        return ""

    def open_inside_view(self) -> Callable[[], dict[str, Any] | None]:
        view = InsideView()

        def collect() -> Passed:
            return view.collect(self._mirror, self._mirror.t)

        return lambda: view.as_json(self._call(collect))

    def ledger(self) -> dict[str, Any]:
        columns = COLUMNS[:-1]  # the page does not report which key press made a transfer
        rows: list[list[Any]] = []
        problem = None
        try:
            transfers = self._client.read("history")["transfers"]
            rows = [[transfer.get(column) for column in columns] for transfer in reversed(transfers[-ROWS:])]
        except ReboardError as error:
            problem = str(error)
        except (LookupError, TypeError, AttributeError):
            problem = f"{self._client.name} sent no transfers. Install the same version of reboard on both machines."
        return {"columns": columns, "rows": rows, "problem": problem}

    def wiring(self) -> bytes:
        return wiring_drawing(self._mirror.config)

    def export(self, name: str, file: BinaryIO, /) -> None:
        if name not in READABLE_EXPORTS:
            raise AttachError(
                f"The bench cannot export {name} of a real table. Export {' or '.join(READABLE_EXPORTS)}."
            )
        self._call(lambda: exports()[name][1](self._mirror, self._mirror.t))(file)

    def vocabulary(self) -> Sequence[dict[str, str]]:
        return ()

    def close(self) -> None:
        self._ended.set()
        self._client.close()
        self._following.join(10)
        self._call(self._mirror.close)
        self._loop.close()

    def _call(self, job: Callable[[], T]) -> T:
        async def run() -> T:
            return job()

        return self._loop.call(run())

    def _refused(self) -> Future[Any]:
        refused: Future[Any] = Future()
        refused.set_exception(ReboardError(self.read_only))
        return refused

    def _follow(self, signals: Iterator[dict[str, Any]]) -> None:
        backoff = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        while not self._ended.is_set():
            pause_s: float | None = 0.0
            try:
                for news in signals:
                    self._receive(news)
                    backoff.reset()
                signals = self._client.signals()
                self._begin(next(signals))
                continue
            except AttachError as error:
                problem, pause_s = str(error), error.retry_s
            except ReboardError as error:
                problem = str(error)
            except (LookupError, TypeError, ValueError, TimeoutError) as error:
                problem = self._not_understood(error)
            signals = iter(())
            if not self._ended.is_set():
                then = "Run reboard-sim attach again" if pause_s is None else "The bench tries again"
                self._lose(f"{problem}. {then}.")
            if pause_s is None:
                return
            self._ended.wait(max(pause_s, backoff.next()))

    def _not_understood(self, error: Exception) -> str:
        name = self._client.name
        why = f"{name} sent signals that this simulator cannot process: {error!r}"
        return f"{why}. Install the same version of reboard on both machines"

    def _begin(self, begin: dict[str, Any]) -> None:
        try:
            mirror = self._call(lambda: Mirror(begin, self._client.name))
        except ReboardError as error:
            version = begin.get("version")
            name = self._client.name
            raise AttachError(f"{error}. {name} runs reboard {version}; this simulator is {__version__}") from None
        except (LookupError, TypeError, ValueError) as error:
            raise AttachError(self._not_understood(error)) from None
        if (version := begin.get("version")) != __version__:
            log.warning(
                "%s runs reboard %s; this simulator is %s: update the older one",
                self._client.name,
                version,
                __version__,
            )

        def take_over() -> None:
            if self._number:
                self._mirror.close()
            self._mirror = mirror
            self._number += 1
            self._problem = None

        self._call(take_over)
        self._publish({"t": 0.0, "event": "scene"})

    def _receive(self, news: dict[str, Any]) -> None:
        for event in self._call(lambda: self._mirror.receive(news)):
            self._publish(dict(event))
        self._report_work()

    def _lose(self, problem: str) -> None:
        if problem != self._problem:
            log.warning("%s", problem)

        def lose() -> None:
            self._problem, self._mirror.is_on = problem, False

        self._call(lose)
        self._report_work()

    def _report_work(self) -> None:
        for listener in tuple(self.listeners):
            listener.work()

    def _publish(self, event: dict[str, Any]) -> None:
        for listener in tuple(self.listeners):
            listener.event(event)
