"""A program on the bench: its table behind the interface of the bench, and its part of the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from reboard.errors import ReboardError
from reboard_sim.bench.bench_acts import GIVEN, Setup
from reboard_sim.bench.runtime import COMMAND
from reboard_sim.bench.stage import Stage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.plays.play_language import Line
from reboard_sim.pumped_loop import PumpedLoop
from reboard_sim.scene import Scene
from reboard_sim.script.script_language import script_parser
from reboard_sim.script.script_table import ScriptScene, ScriptTable, Show

SCRIPT = replace(COMMAND, parts=(Path(__file__).parent / "static",), has_program=True)
"""A program, for the page of the bench."""


class NoDrawingError(ReboardError):
    """An error for a bench without a wiring drawing."""


@dataclass(frozen=True)
class ScriptSetup(Setup):
    """The setup of a *program*, which is always the same. Its power is off while there is no such file."""

    program: ScriptScene | None = None

    def scene(self, given: Path | None, state: Path) -> Scene:
        assert self.program
        return replace(self.program, state=state)

    def changed(self, scene: Scene) -> Scene:
        return scene

    def first_lines(self, scene: Scene, seed: int) -> list[str]:
        assert self.program
        return [f"seed {seed}", *(["power on"] if self.program.path.exists() else [])]


class ScriptStage(Stage):
    """The holder of the current table of a program. *show* gets each line that the program prints."""

    table: ScriptTable

    def __init__(self, scene: ScriptScene, *, show: Show, **more: Any) -> None:
        super().__init__(scene, **more)
        self.parser = script_parser()
        self._show = show

    def make_table(self, scene: Scene) -> ScriptTable:
        assert isinstance(scene, ScriptScene)
        return ScriptTable(scene, seed=self.seed, show=self._show)

    def check(self, setup: Setup, lines: list[str], state: Path) -> tuple[Scene, list[Line]]:
        return super().check(self.setup, lines, state)

    async def load(self, setup: Setup, seed: int, lines: list[str]) -> None:
        await super().load(self.setup, seed, lines)


class ScriptThread(TableThread):
    """A `reboard_sim.bench.bench_acts.BenchTable` that runs the program of *scene*."""

    _stage: ScriptStage
    longest_fast_s = inf  # a program may blink a lamp all day

    def __init__(self, scene: ScriptScene, *, seed: int, show: Show, pumped: PumpedLoop | None = None) -> None:
        setup = ScriptSetup(wiring=GIVEN, program=scene)
        super().__init__(scene, seed=seed, setup=setup, make_stage=partial(ScriptStage, show=show), pumped=pumped)

    def wiring(self) -> bytes:
        raise NoDrawingError("There is no wiring drawing of a program. Its pins are beside its devices.")

    async def _hardware(self) -> dict[str, Any]:
        return {**await super()._hardware(), "program": self._stage.table.seen_program()}
