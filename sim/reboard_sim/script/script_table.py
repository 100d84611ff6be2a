"""The table of a program: a virtual Pi that runs a user's own program in place of the firmware."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.errors import ConfigError, ReboardError
from reboard.table_config import StateConfig, TableConfig
from reboard_sim.accessories.installed import fault_named
from reboard_sim.forms import CONTACTS
from reboard_sim.plays.checks import CheckError
from reboard_sim.scene import Scene
from reboard_sim.script.labels import labels_here
from reboard_sim.script.library_devices import library_devices, missing
from reboard_sim.script.modules.machine import Machine
from reboard_sim.script.opened_devices import opened_devices
from reboard_sim.script.program import Ending, Program
from reboard_sim.script.scheduler import here
from reboard_sim.script.script_pi import ScriptPi
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop

Show = Callable[[str, bool], None]


class ProgramError(ReboardError):
    """An error for a program that keeps the table from going on."""


@dataclass(frozen=True)
class ScriptScene(Scene):
    """The program at *path* with its *arguments*, and the devices of its ``bench.toml``, keyed by label."""

    arguments: tuple[str, ...] = ()
    placed: Mapping[str, FittedDevice[Any, Any]] = field(default_factory=dict)
    state: Path = Path()

    @property
    def remark(self) -> str:
        words = shlex.join(["reboard-sim", "script", self.path.name, "--play", "FILE"])
        if self.arguments:
            words += f" -- {shlex.join(self.arguments)}"
        return f"This play is for the program {self.path.name}: run it with {words}"

    def config(self) -> TableConfig:
        return TableConfig(path=self.path, state=StateConfig(directory=self.state))

    def changed(self, setting: str, value: str | None = None) -> Scene:
        raise ConfigError(f"The bench of a program has no setting {setting}.")


class ScriptTable(VirtualTable):
    """A table whose power starts and stops the program of *scene*. *show* gets each line that the program prints."""

    scene: ScriptScene
    pi: ScriptPi

    def __init__(self, scene: ScriptScene, *, seed: int, show: Show = lambda *_: None, **more: Any) -> None:
        self.ending: tuple[Ending, str] | None = None
        """How the program ended, and the reason in words, or ``None`` while it runs or has no power."""
        self.end_was_checked = False
        """Whether a check of a play was about the end of the program."""
        self._stuck = asyncio.Event()
        self._show = show
        super().__init__(scene, seed=seed, **more)

    @property
    def is_on(self) -> bool:
        return self.pi.is_on

    async def power_on(self) -> None:
        self.plug_was_touched = True
        if self.is_on or self._is_closed:
            return
        self.pi.forget_devices()
        self.pi.power_on()
        self.restore_faults()
        self.switched_on_at = self._loop.time()
        self.pi.printed.clear()
        self.ending = None
        loop = self._loop
        assert isinstance(loop, VirtualTimeLoop)
        program = self.pi.program = Program(
            self.scene.path,
            list(self.scene.arguments),
            loop,
            Machine(self.pi, self.sound_card, here=here, opened=self._open),
            wall_time=lambda: self.pi.wall_time() - self.made_at,
            printed=self._print,
            wrote=self.pi.console.write,
            asks=self._ask,
            over=self._end,
            opened=self._open,
            seed=Random(f"{self._seed} program"),
        )
        program.start()
        await loop.come_last()

    async def power_off(self) -> None:
        self.plug_was_touched = True
        if not self.is_on:
            return
        self._stop()
        assert isinstance(self._loop, VirtualTimeLoop)
        await self._loop.come_last()  # in a browser, the threads end meanwhile
        self.pi.power_off()

    def _connect(self, device: FittedDevice[Any, Any]) -> None:
        before = {**self.pi.devices}
        self.pi.open_for_program(device)
        new = {label for label, each in self.pi.devices.items() if before.get(label) is not each}
        self._begin_faults(new | {CONTACTS})

    def misbehave(self, fault: str, on: bool) -> None:
        if self.is_on or fault_named(fault).part in self.pi.parts:
            super().misbehave(fault, on)
        else:
            (self.faults.add if on else self.faults.discard)(fault)

    def restore_faults(self) -> None:
        """Begin the active faults again. A fault of a device that the program opens begins when it does."""
        self._begin_faults(self.pi.parts)

    def _begin_faults(self, parts: Container[str]) -> None:
        for fault in map(fault_named, sorted(self.faults)):
            if fault.part in parts:
                self.pi.misbehave(fault, True)

    def _stop(self) -> None:
        program, self.pi.program = self.pi.program, None
        if program:
            program.stop()

    def _open(self, what: object) -> None:
        """Show what the program opens: a device of gpiozero, or something that a library reports."""
        for label in labels_here(self.scene.path.parent):
            found = [*self._devices(what, label)]
            if not any(map(self.pi.is_taken, found)):
                break
        if problem := missing(what, self.pi) if not found else "":
            self._print(problem, True)
        if self.pi.program:
            for device in found:
                self.pi.program.on_loop(partial(self._connect, device))

    def _devices(self, what: object, label: str) -> Iterator[FittedDevice[Any, Any]]:
        yield from opened_devices(what, label)
        yield from library_devices(what, label, self.pi)

    def _ask(self, asks: bool) -> None:
        self.pi.console.asks = asks

    def _print(self, text: str, is_error: bool) -> None:
        self.pi.printed.append(text)
        self._show(text, is_error)
        self._log("printed", text=text)

    def _end(self, ending: Ending, why: str) -> None:
        self.pi.program = None
        self.ending = ending, why
        self._show(f"{why}.", ending != "ended")
        self._log("program.ended" if ending == "ended" else "program.failed", why=why)
        if ending == "stuck":
            self._stuck.set()

    @property
    def state(self) -> str:
        """What ``expect program`` finds."""
        if not self.is_on:
            return "off"
        ending = self.ending[0] if self.ending else "running"
        return "failed" if ending == "stuck" else ending

    def seen_program(self) -> dict[str, object]:
        """Return the state of the program for the page, as a JSON object."""
        program = self.pi.program
        return {
            "name": self.scene.path.name,
            "state": self.state,
            "why": self._why,
            "beside": program.beside() if program else "",
        }

    async def failed(self) -> None:
        await self._stuck.wait()
        raise ProgramError(self._why)

    def check_end(self) -> None:
        if self.state == "failed" and not self.end_was_checked:
            raise CheckError("program running or ended", self._why)
        for part in {fault_named(fault).part for fault in self.faults} - self.pi.parts:
            self.pi[part]  # raises an error: the fault was of a device that the program has not opened

    @property
    def _why(self) -> str:
        return self.ending[1] if self.ending else ""

    def _log(self, event: str, **fields: object) -> None:
        self.log.append({"t": round(self._loop.time(), 6), "event": event, **fields})

    def _make_pi(self, **of_table: Any) -> VirtualPi:
        return ScriptPi(self.scene.placed, **of_table)
