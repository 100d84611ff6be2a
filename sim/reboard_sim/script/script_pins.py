"""The pins of the virtual Pi for a program: callbacks run in a thread of the program, as on a real Pi."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reboard_sim.board.pins import VirtualPin, VirtualPins
from reboard_sim.script.scheduler import Scheduler, here


class ScriptPins(VirtualPins):
    """The pin factory of a program. *scheduler* is that of the program's threads, or ``None`` while none runs."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.pin_class = ScriptPin
        self.scheduler: Scheduler | None = None

    def here(self) -> None:
        here()

    def ticks(self) -> float:
        here()
        return super().ticks()


class ScriptPin(VirtualPin):
    """A pin for a program, whose accesses take turns with the loop."""

    def _apply(self) -> None:
        thread = here()
        if thread and not thread.is_cut:
            thread.scheduler.on_loop(super()._apply)
        else:
            super()._apply()

    _pull_changed = _apply

    def _get_state(self) -> float:
        here()
        return super()._get_state()

    def _call_when_changed(self, ticks: float | None = None, state: int | None = None) -> None:
        scheduler: Scheduler | None = self.factory.scheduler
        if scheduler:
            scheduler.call_back(partial(super()._call_when_changed, ticks, state))
