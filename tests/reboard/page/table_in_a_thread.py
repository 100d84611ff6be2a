"""A fake table behind a real door, for tests that do not run on a loop: those of a browser."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

from tests.reboard.page.fake_table import SNAPSHOT, FakeTable


class TableInAThread:
    """A fake table that can be worked from a test that does not run on a loop."""

    def __init__(self, path: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._table: FakeTable = self._run(self._made(path))

    async def _made(self, path: Path) -> FakeTable:
        table = FakeTable(path)
        table.past = {"game": 3, "before": {"1": 15_000_000, "2": 15_000_000}, "transfers": SNAPSHOT["transfers"]}
        return table

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    def open(self) -> None:
        self._run(self._table.open())

    def shut(self) -> None:
        self._run(self._table.door.close())

    @property
    def asked(self) -> list[tuple[str, dict[str, object]]]:
        """What was asked of it, and with what."""
        return self._table.asked

    def refuse(self, refusal: Exception | None) -> None:
        """Refuse whatever is asked from now on."""
        self._table.refusal = refusal

    def tell(self, event: str, fields: dict[str, object], **changes: object) -> None:
        """*event* happens, and the snapshot changes."""

        async def happens() -> None:
            self._table.now = {**self._table.now, **changes}
            self._table.events.emit(event, **fields)

        self._run(happens())

    def turning_since(self, ago_s: float, *, seconds: float) -> dict[str, object]:
        """An apple whose turn began so long ago."""
        return {"running": True, "wound": False, "seconds": seconds, "started_at": self._table.events.now() - ago_s}

    def close(self) -> None:
        self.shut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
