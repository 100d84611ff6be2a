"""Several tables, one sound device."""

from __future__ import annotations

import struct
from typing import cast

from reboard.board import Board, Pull, Report
from reboard.script.shared_board import SharedBoard


class FakeSink:
    """A sink that pulls when a test says so."""

    description = "a sound device"

    def __init__(self) -> None:
        self.wakes = 0
        self.is_open = False

    def start(self, pull: Pull, report: Report) -> None:
        self.pull, self.report = pull, report
        self.is_open = True

    def wake(self) -> None:
        self.wakes += 1

    def close(self) -> None:
        self.is_open = False


class FakeBoard:
    """A board that can only sound."""

    def __init__(self) -> None:
        self.sinks: list[FakeSink] = []

    def open_sink(self, library: str | None, device: str | None) -> FakeSink:
        self.sinks.append(FakeSink())
        return self.sinks[-1]


class Player:
    """Plays one sample for ever, or nothing, and remembers what it was received."""

    def __init__(self, board: SharedBoard, sample: int | None) -> None:
        self.sample = sample
        self.received: list[str | None] = []
        self.sink = board.open_sink(None, None)
        self.sink.start(self.pull, self.received.append)

    def pull(self, frames: int) -> bytes | None:
        return None if self.sample is None else struct.pack("<h", self.sample) * frames


def shared() -> tuple[SharedBoard, FakeBoard]:
    board = FakeBoard()
    return SharedBoard(cast(Board, board)), board


def test_speakers_are_mixed_into_one_sink() -> None:
    board, real = shared()
    players = [Player(board, 1000), Player(board, 200), Player(board, None)]
    [sink] = real.sinks
    assert sink.pull(2) == struct.pack("<hh", 1200, 1200)
    players[0].sample = players[1].sample = 30_000
    assert sink.pull(1) == struct.pack("<h", 32_767), "too loud is held, never wrapped"
    for player in players:
        player.sample = None
    assert sink.pull(1) is None, "nothing plays: the sink may sleep"
    players[1].sink.wake()
    assert sink.wakes == 1
    assert players[1].sink.description == "a sound device"


def test_a_sink_fault_reaches_every_speaker() -> None:
    board, real = shared()
    early = Player(board, None)
    real.sinks[0].report("no sound")
    late = Player(board, None)
    assert (early.received, late.received) == (["no sound"], ["no sound"])
    real.sinks[0].report(None)
    assert (early.received, late.received) == (["no sound", None], ["no sound", None])
    assert Player(board, None).received == []
