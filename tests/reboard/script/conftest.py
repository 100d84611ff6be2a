"""A virtual Pi below the accessories of a script, fifty times faster than life."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from reboard.aiotools import LoopThread
from reboard.board import Board
from reboard.script import shared_board as script_stage
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.scene import Scene
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_time import VirtualTimeLoop
from tests.waiting import PATIENCE_S

PACE = 50.0


class SharedThread:
    """The virtual Pi of a script, operated on its own loop."""

    pi: VirtualPi

    def __init__(self, state: Path) -> None:
        self._config = Scene.load(None, state).config()
        self.boards = 0

    def board(self) -> Board:
        self._loop = asyncio.get_running_loop()
        self.pi = VirtualPi(self._config, self._loop.time, rng=Random(1), sound_card=VirtualSoundCard())
        self.pi.power_on()
        self.boards += 1
        return self.pi

    def now(self) -> float:
        """The time on the Pi's loop, in seconds."""
        return self._loop.time()

    def until_heard(self, since: float) -> None:
        """Wait until the sound card has been given something to play *since* then."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.pi.sound_card.heard_between(since, self.now()):
            assert time.monotonic() < deadline, "nothing was heard"
            time.sleep(0.01)

    def hand(self, act: Callable[[VirtualPi], None], *, after_s: float = 0.0) -> None:
        self._loop.call_soon_threadsafe(self._loop.call_later, after_s, act, self.pi)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SharedThread]:
    stage = SharedThread(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(script_stage, "make_board", stage.board)
    monkeypatch.setattr(script_stage, "make_thread", partial(LoopThread, partial(VirtualTimeLoop, PACE)))
    yield stage
    assert not [thread for thread in threading.enumerate() if thread.name == "reboard"], "a loop was left running"
