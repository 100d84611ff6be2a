"""A run of a program: its file, its arguments, what it prints, and its end."""

from __future__ import annotations

import gc
import logging
import random
import re
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from signal import Signals
from types import ModuleType
from typing import Any, Literal, NoReturn, cast

from gpiozero import Device, PWMSoftwareFallback

from reboard.board import Board, Sink
from reboard.errors import failure
from reboard.script import shared_board
from reboard.script.shared_board import SinkPart
from reboard_sim.script import virtual_signals
from reboard_sim.script.modules.installed import libraries
from reboard_sim.script.modules.machine import Machine
from reboard_sim.script.modules.missing_modules import remedy
from reboard_sim.script.opened_devices import OUR_FOLDERS, frame_of_program, is_of_program, watch_devices
from reboard_sim.script.scheduler import LONGEST_TURN_S, ScheduledThread, Scheduler
from reboard_sim.script.threads import PowerCut, current
from reboard_sim.script.virtual_stdlib import virtual_stdlib
from reboard_sim.script.virtual_threading import as_main_thread
from reboard_sim.virtual_time import VirtualTimeLoop

Ending = Literal["ended", "failed", "stuck"]

MOST_CHARACTERS = 2000
"""The length of a printed line after which it is shown although it is not complete."""


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    """Return whether asyncio's log *record* is not about a task that the power cut has ended."""
    return not str(record.msg).startswith("Task was destroyed")


class _KeptBoard:
    """The board of *machine* for the accessories of a program, which does not close it."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._board = machine.board

    def __getattr__(self, name: str) -> Any:
        return getattr(self._board, name)

    def open_sink(self, *_: object, **__: object) -> Sink:
        return SinkPart(self._machine.speaker)

    def close(self) -> None:
        pass


@contextmanager
def _accessories_on(machine: Machine) -> Iterator[None]:
    """Have reboard's own classes for scripts use *machine* during the ``with`` block."""
    before, shared_board.make_board = shared_board.make_board, lambda: cast(Board, _KeptBoard(machine))
    try:
        yield
    finally:
        shared_board.make_board = before
        shared_board.SharedThread.forget()


class Program:
    """One run of the program in the file *path* with *arguments*, on *loop*, on the virtual Pi *machine*.

    It is the `reboard_sim.script.scheduler.Process` of its threads. *wrote* gets each text that it prints, *asks*
    whether it waits for a line of input. *printed* gets each line that it prints, and
    whether it is an error. *over* gets how it ended, and the reason in words. *opened* gets each device of gpiozero
    that it opens. *wall_time* returns the calendar time. *seed* gives the seed of its random numbers.
    """

    def __init__(
        self,
        path: Path,
        arguments: list[str],
        loop: VirtualTimeLoop,
        machine: Machine,
        *,
        wall_time: Callable[[], float],
        printed: Callable[[str, bool], None],
        wrote: Callable[[str], None],
        asks: Callable[[bool], None],
        over: Callable[[Ending, str], None],
        opened: Callable[[object], None],
        seed: Random,
    ) -> None:
        self.path = path
        self.wall_time = wall_time
        self._arguments = arguments
        self._machine = machine
        self._pins: Any = machine.board.pins
        self._printed = printed
        self._wrote = wrote
        self._asks = asks
        self._over = over
        self._open = opened
        self._seed = seed
        self._partial = {False: "", True: ""}
        self._lines: deque[str] = deque()
        self._reader: ScheduledThread | None = None
        self._at_exit: list[Callable[[], object]] = []
        self._undo = ExitStack()
        self._scheduler = Scheduler(loop, self, self._stuck)
        self.signals = virtual_signals.ProcessSignals(self._scheduler)

    def start(self) -> None:
        """Start the program. Its first turn comes when the loop has done what is due now."""
        watch_devices()
        logging.getLogger("asyncio").addFilter(_is_worth_a_line)
        self._undo.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", PWMSoftwareFallback)  # the pulses of the virtual pins are exact
        self._undo.enter_context(libraries(self._machine))
        self._undo.enter_context(_accessories_on(self._machine))
        self._undo.enter_context(virtual_stdlib())
        self._pins.scheduler = self._scheduler
        Device.pin_factory = self._pins
        before = {*sys.modules}, sys.argv, [*sys.path], sys.modules["__main__"]
        self._undo.callback(self._leave, *before)
        sys.argv = [str(self.path), *self._arguments]
        sys.path.insert(0, str(self.path.parent))
        random.seed(self._seed.random())
        self._scheduler.spawn(as_main_thread(self._run))

    def stop(self, stopped: Callable[[], None] = lambda: None) -> None:
        """Cut its power: end all its threads, whatever they do. Then call *stopped*."""

        def ended() -> None:
            self._undo.close()
            with warnings.catch_warnings(action="ignore"):  # of coroutines and files that the power cut left open
                gc.collect()  # or the destructors of this run's devices would run in a thread of the next one
            stopped()

        self._scheduler.end(ended)

    def type_line(self, line: str) -> None:
        """Give the program a *line* of input."""
        self._lines.append(line)
        if self._reader:
            self._reader.wake()

    def beside(self) -> str:
        """Return the line at which a thread runs in real time, because it does not wait, such as ``game.py:7``."""
        away = next((thread for thread in self._scheduler.threads if thread.is_away), None)
        return self._line_of(away) if away else ""

    def read_line(self, prompt: str) -> str:
        self.write(prompt, is_error=False)
        self._flush()
        thread = current()
        assert isinstance(thread, ScheduledThread)
        while not self._lines:
            self._reader = thread
            self._asks(True)
            try:
                thread.wait()
            finally:
                self._reader = None
                self._asks(False)
        return self._lines.popleft()

    def write(self, text: str, *, is_error: bool) -> None:
        self._scheduler.loop.call_soon(self._wrote, text)
        *lines, rest = (self._partial[is_error] + text).split("\n")
        self._partial[is_error] = rest
        for line in lines:
            self._show(line, is_error)
        if len(rest) > MOST_CHARACTERS:
            self._flush()

    def opened(self, device: object) -> None:
        self._open(device)

    def on_loop(self, function: Callable[[], None]) -> None:
        """Call *function* in a thread of the program as if on the loop."""
        self._scheduler.on_loop(function)

    def at_exit(self, function: Callable[[], object]) -> None:
        self._at_exit.append(function)

    def exit_now(self, code: int) -> NoReturn:
        self.end(code)
        raise PowerCut

    def _show(self, line: str, is_error: bool) -> None:
        # on the loop: a thread of the program that prints an event would print it for ever
        self._scheduler.loop.call_soon(self._printed, line, is_error)

    def _flush(self) -> None:
        for is_error, rest in self._partial.items():
            if rest:
                self._show(rest, is_error)
        self._partial = {False: "", True: ""}

    def _run(self) -> None:
        module = ModuleType("__main__")
        module.__file__ = str(self.path)
        sys.modules["__main__"] = module
        code = self._code_of(lambda: exec(compile(self.path.read_bytes(), str(self.path), "exec"), vars(module)))
        code = self._code_of(self._scheduler.join_others) or code  # the handler of a signal can raise an error here
        while self._at_exit:
            try:
                self._at_exit.pop()()
            except Exception as error:
                self.show_error(error)
        self.end(code)

    def _code_of(self, function: Callable[[], object]) -> object:
        """Call *function* and return the exit code with which it ends the program, 0 if it does not."""
        try:
            function()
        except SystemExit as end:
            if isinstance(end.code, str):
                self.write(f"{end.code}\n", is_error=True)
            return end.code
        except (Exception, KeyboardInterrupt) as error:
            self.show_error(error)
            return error
        return 0

    def show_error(self, error: BaseException) -> None:
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename.startswith(OUR_FOLDERS):
            trace = trace.tb_next  # nothing is left of a syntax error, so that it has no heading
        for text in traceback.format_exception(type(error), error, trace):
            self.write(text, is_error=True)

    def end(self, code: object) -> None:
        self._scheduler.loop.call_soon(self._ended, code)

    def _ended(self, code: object) -> None:
        if self._scheduler.is_over:
            return
        self._flush()

        def stopped() -> None:
            self._pins.close()
            self._scheduler.loop.call_soon(self._over, "failed" if code else "ended", self._reason(code))

        self.stop(stopped)

    def _reason(self, code: object) -> str:
        name = self.path.name
        if isinstance(code, BaseException):
            trace = traceback.extract_tb(code.__traceback__)
            line = next((frame.lineno for frame in reversed(trace) if frame.filename == str(self.path)), None)
            line = line or getattr(code, "lineno", None)
            help_ = remedy(code)
            return f"{name}{f':{line}' if line else ''}: {self._words(code)}{help_ and f'. {help_}'}"
        if isinstance(code, Signals):
            return f"{name} ended itself with {code.name}"
        return f"{name} called sys.exit({code!r})" if code else f"{name} has ended"

    def _words(self, error: BaseException) -> str:
        words = failure(error).removesuffix(".")
        place = re.search(r" \(([^()]+), line \d+\)$", words)
        # of the files, only a module of the program says more than its line does
        if place and (place[1] == self.path.name or not (self.path.parent / place[1]).exists()):
            return words[: place.start()].removesuffix(".")
        return words

    def _stuck(self, thread: ScheduledThread) -> None:
        why = f"{self._line_of(thread)} has not waited for {LONGEST_TURN_S:g} s, so no time passes"
        self._flush()
        self.stop()
        self._scheduler.loop.call_soon(self._over, "stuck", f"{why}. Use sleep() in each loop")

    def _line_of(self, thread: ScheduledThread) -> str:
        frame = frame_of_program(sys._current_frames().get(thread.identifier), self.path.parent)
        return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else self.path.name

    def _leave(self, modules: set[str], argv: list[str], path: list[str], main: ModuleType) -> None:
        Device.pin_factory = self._pins.scheduler = None
        sys.argv, sys.path[:], sys.modules["__main__"] = argv, path, main
        for name in {*sys.modules} - modules:
            # the next run reads the program's own modules again
            if is_of_program(getattr(sys.modules[name], "__file__", None) or "", self.path.parent):
                del sys.modules[name]
