"""What all accessories of a script stand on: one event loop, one board, and so one sound device."""

from __future__ import annotations

import threading
from collections.abc import Callable

from reboard.board import Board
from reboard.loop_thread import LoopThread
from reboard.script.shared_sound import SharedBoard


def raspberry_pi() -> Board:
    """The board that scripts play on."""
    from reboard.raspberry_pi import RaspberryPi

    return RaspberryPi()


make_board: Callable[[], Board] = raspberry_pi
"""Called, on the loop, for the board that accessories are wired to. A test puts a virtual Pi here."""

make_thread: Callable[[], LoopThread] = LoopThread
"""Called for the loop. A test puts one here whose time passes faster."""


class Stage:
    """A loop in a thread of its own, and a board."""

    _lock = threading.Lock()
    _now: Stage | None = None

    def __init__(self) -> None:
        self._users = 0
        self.thread = make_thread()
        try:
            self.board = SharedBoard(self.thread.call(_made()))
        except BaseException:
            self.thread.close()
            raise

    @classmethod
    def entered(cls) -> Stage:
        """This script's stage, made for the first accessory. Raises `PartError` when the pins cannot be had."""
        with cls._lock:
            stage = cls._now = cls._now or Stage()
            stage._users += 1
            return stage

    def leave(self) -> None:
        """The last accessory that leaves puts it away."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                Stage._now = None
                self.thread.call(_given_back(self.board))
                self.thread.close()


async def _made() -> Board:
    return make_board()


async def _given_back(board: Board) -> None:
    board.close()
