"""Several speakers of a script, one sound device."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any, cast

import pytest

from reboard.board import Board
from reboard.script.shared_board import SharedBoard
from tests.reboard.devices.test_speaker import ManualSink


class Player:
    """Plays one sample for ever, or nothing, and keeps the causes that it receives."""

    def __init__(self, board: SharedBoard, sample: int | None) -> None:
        self.sample = sample
        self.received: list[str | None] = []
        self.sink = board.open_sink(None, None)
        self.sink.start(self.pull, self.received.append)

    def pull(self, frames: int) -> bytes | None:
        return None if self.sample is None else struct.pack("<h", self.sample) * frames


@pytest.fixture
def real() -> ManualSink:
    return ManualSink()


@pytest.fixture
def board(real: ManualSink) -> SharedBoard:
    fake: Any = SimpleNamespace(open_sink=lambda library, device, *, keep_awake: real)
    return SharedBoard(cast(Board, fake))


def test_speakers_are_mixed_into_one_sink(board: SharedBoard, real: ManualSink) -> None:
    players = [Player(board, 1000), Player(board, 200), Player(board, None)]
    assert real.pull(2) == struct.pack("<hh", 1200, 1200)
    players[0].sample = players[1].sample = 30_000
    assert real.pull(1) == struct.pack("<h", 32_767), "too loud is held, never wrapped"
    for player in players:
        player.sample = None
    assert real.pull(1) is None, "nothing plays: the sink may sleep"
    players[1].sink.wake()
    assert real.woken == 1


def test_a_sink_fault_reaches_every_speaker(board: SharedBoard, real: ManualSink) -> None:
    early = Player(board, None)
    real.report("no sound")
    late = Player(board, None)
    assert early.received == late.received == ["no sound"]
    real.report(None)
    assert early.received == late.received == ["no sound", None]
    assert Player(board, None).received == [None]
