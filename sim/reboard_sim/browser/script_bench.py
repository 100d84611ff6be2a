"""The bench of a program in a web worker."""

from __future__ import annotations

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


class ScriptBench(PumpedBench):
    """The bench of the program that the page sends last. Its power is off until there is one."""

    def __init__(self, seed: int, wake: Callable[[], None]) -> None:
        PROGRAM.parent.mkdir()
        loop = PumpedLoop(wake)
        scene = ScriptScene(PROGRAM, {}, {})
        super().__init__(ScriptThread(scene, seed=seed, show=lambda *_: None, pumped=loop), loop, SCRIPT_IN_BROWSER)

    def write(self, text: str) -> None:
        """Write the program that runs when the power is switched on again."""
        PROGRAM.write_text(text, "utf-8")
