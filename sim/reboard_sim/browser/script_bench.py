"""The bench of a program in a web worker."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from reboard_sim.browser.bench import BROWSER, PumpedBench
from reboard_sim.pumped_loop import PumpedLoop
from reboard_sim.script.script_bench import SCRIPT, ScriptThread
from reboard_sim.script.script_table import ScriptScene

SCRIPT_IN_BROWSER = replace(
    SCRIPT, remedy=BROWSER.remedy, parts=(Path(__file__).parent / "editor", *BROWSER.parts, *SCRIPT.parts)
)
"""The browser, in which a program runs that is written in the page."""

PROGRAM = Path("/program/program.py")
"""The program, in the worker's file system in memory."""

MOST_NEW_OBJECTS = 10_000
"""The number of new objects after which garbage is collected."""


class ScriptBench(PumpedBench):
    """The bench of the program that the page sends last. Its power is off until there is one.

    It collects garbage between two turns. Python's automatic collection would follow the frames of a waiting stack into
    memory that another stack uses (https://github.com/pyodide/pyodide/issues/6464, in Pyodide 314.0.5 to 314.0.7).
    """

    def __init__(self, seed: int, wake: Callable[[], None]) -> None:
        PROGRAM.parent.mkdir()
        loop = PumpedLoop(wake)
        scene = ScriptScene(PROGRAM, {}, {})
        super().__init__(ScriptThread(scene, seed=seed, show=lambda *_: None, pumped=loop), loop, SCRIPT_IN_BROWSER)

    async def start(self) -> None:
        await super().start()
        gc.disable()
        gc.freeze()

    def pump(self) -> float:
        if gc.get_count()[0] > MOST_NEW_OBJECTS:
            gc.collect()
        return super().pump()

    def write(self, text: str) -> None:
        """Write the program that runs when the power is switched on again."""
        PROGRAM.write_text(text, "utf-8")
