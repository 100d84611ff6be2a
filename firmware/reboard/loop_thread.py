"""An event loop in a thread of its own, for programs that have none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

ANSWER_WITHIN_S = 10.0
"""How long a call into the loop may take before it is called off."""


class LoopThread:
    """A loop that runs in a daemon thread from its making until `close`."""

    def __init__(self, make_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop) -> None:
        self.loop = make_loop()
        self._thread = threading.Thread(target=self._run, name="reboard", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def call(self, job: Coroutine[Any, Any, T]) -> T:
        """Run *job* on the loop and wait for what it returns or raises.

        One that takes longer than 10 s is called off, with ``TimeoutError``.
        Not to be called from the loop's own thread: it would wait for itself (``RuntimeError``).
        """
        if threading.current_thread() is self._thread:
            job.close()
            raise RuntimeError("a callback runs on the accessory's own loop and cannot wait for it")
        running = asyncio.run_coroutine_threadsafe(job, self.loop)
        try:
            return running.result(ANSWER_WITHIN_S)
        except TimeoutError:
            if running.cancel():
                raise TimeoutError(f"the table did not answer within {ANSWER_WITHIN_S:g} s") from None
            raise

    @property
    def closed(self) -> bool:
        """Whether the loop has ended."""
        return self.loop.is_closed()

    def close(self) -> None:
        """Call off whatever still runs, let it clean up, and end the thread. May be called twice."""
        if self.closed:
            return
        self.call(_call_off_all())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(ANSWER_WITHIN_S)
        self.loop.close()


async def _call_off_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_default_executor()
