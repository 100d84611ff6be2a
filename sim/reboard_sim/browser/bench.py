"""The bench of a virtual table in a web worker, whose JavaScript calls it (``page/worker.js``)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reboard_sim.bench.app import Streams, make_app
from reboard_sim.bench.bench_acts import Listener
from reboard_sim.bench.runtime import Runtime
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.browser.kept_table import KeptTable, KeptTableError
from reboard_sim.browser.messages import MessageServer
from reboard_sim.pumped_loop import PumpedLoop
from reboard_sim.scene import Scene, state_directory

log = logging.getLogger(__name__)

BROWSER = Runtime(lambda say: say("Reload this page."), parts=(Path(__file__).parent / "page",), loads_links=True)
"""The browser, in which the page and the table are."""

STATE = Path("/state")
"""The directory of the ledger, in the worker's file system in memory."""

SLICE_S = 0.008
"""The maximum time of a turn of the table, in seconds. A request of the page waits for its end."""


class PumpedBench:
    """The bench of *table*, on *loop*. JavaScript calls `pump` after each wake, and when the wait of `pump` is over."""

    def __init__(self, table: TableThread, loop: PumpedLoop, runtime: Runtime) -> None:
        self._loop = loop
        self._server = MessageServer(make_app(table, Streams(), runtime=runtime))
        self.open_socket = self._server.open_socket
        self.receive = self._server.receive

    async def start(self) -> None:
        await self._server.start()

    def pump(self) -> float:
        """Run the table for at most `SLICE_S`. Return the real seconds until it has work again (0: now)."""
        return self._loop.pump(SLICE_S)

    async def answer(self, method: str, path: str, query: str, headers: Any, body: Any, gone: Any) -> list[object]:
        """Return status, headers and body of the answer to a request. *gone* is a promise of its end."""
        is_gone = asyncio.Event()
        gone.then(lambda _: is_gone.set())
        sent = await self._server.answer(method, path, query, dict(headers.to_py()), body.to_bytes(), is_gone)
        return [sent.status, [[*header] for header in sent.headers.items()], sent.body]


class Bench(PumpedBench):
    """A virtual table and its bench, with the calls of `PumpedBench`.

    *record* has the setup and the files of the kept table (``None``: a new one with *seed*). *news* is called when
    `kept` may return another table. *notice* gets the name of what the user must know, see ``page/part.js``.
    """

    def __init__(
        self,
        seed: int,
        record: Any,
        wake: Callable[[], None],
        news: Callable[[], None],
        notice: Callable[[str], None],
    ) -> None:
        self._news = news
        self._notice = notice
        scene = Scene.load(None, state_directory(STATE))
        loop = PumpedLoop(wake)
        self._table = _restored(record, loop, notice) or TableThread(scene, seed=seed, pumped=loop)
        self._has_news = self._is_too_large = False
        self._kept: KeptTable | None = None
        self._table.listeners.append(Listener(event=self._hear))
        super().__init__(self._table, loop, BROWSER)

    def _hear(self, _: dict[str, Any]) -> None:
        self._has_news = True
        self._news()

    def kept(self) -> list[object] | None:
        """Return the setup and the files of the table, or ``None`` if they have not changed since the previous call."""
        if not self._has_news:
            return None
        self._has_news = False
        try:
            kept = KeptTable.of(self._table)
        except FileNotFoundError:  # another setup is replacing the table: its first event follows
            return None
        except KeptTableError:
            if not self._is_too_large:
                self._notice("full")
            self._is_too_large = True
            return None
        if kept == self._kept:  # most events do not change the ledger
            return None
        self._kept = kept
        return [kept.setup, [[*file] for file in kept.files.items()]]


def _restored(record: Any, pumped: PumpedLoop, notice: Callable[[str], None]) -> TableThread | None:
    if record is None or not hasattr(record, "setup"):
        return None
    try:
        files = {str(name): content.to_bytes() for name, content in record.files.entries()}
        return KeptTable(record.setup, files).restored(state_directory(STATE), pumped)
    except Exception as error:  # whatever it is, the visitor gets a new table
        log.warning("the kept table cannot be restored: %s", error)
        notice("damaged")
        return None
