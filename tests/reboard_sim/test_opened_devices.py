"""The devices that a program opens on the virtual Pi."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.opened import opened_device
from reboard_sim.devices.slider import OutOfRangeError
from reboard_sim.plays.play import Player
from reboard_sim.plays.play_language import PlayError
from reboard_sim.plays.program_language import program_parser
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable


def new_board() -> VirtualBoard:
    return VirtualBoard(asyncio.get_running_loop().time, Random(1))


async def test_a_slider_keeps_its_value_when_a_program_opens_it_again() -> None:
    board = new_board()
    heard: list[float] = []
    slider = board.open_device(opened_device("light", "slider"))
    slider.on_change.append(heard.append)  # type: ignore[attr-defined]
    slider.acts()["set"](0.25)
    assert board.open_device(opened_device("light", "slider")) is slider
    assert (slider.shows(), heard) == (["0.25"], [0.25])
    with pytest.raises(OutOfRangeError, match=r"1\.5 is not in the range from 0 to 1"):
        slider.acts()["set"](1.5)
    with pytest.raises(ValueError, match="two devices with the name light"):
        board.open_device(opened_device("light", "slider", {"": 4}))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("set light 1.5", "is not in the range"),
        ("set light high", "'high' is not a number"),
        ("set door 1", "opened no device door: its devices are light"),
        ("press light", "light cannot do this: use set light NUMBER"),
        ("fault stuck light", "cannot have the fault stuck, and no other one"),
        ("fault loud light", "there is no fault 'loud light': choose one of"),
        ("insert left 1", "not an act or a check"),
    ],
)
async def test_a_wrong_line_at_a_program_names_what_is_right(line: str, problem: str, tmp_path: Path) -> None:
    table = VirtualTable(Scene.of_text("[block]\nbutton = 17", Path("bench.toml"), tmp_path), seed=1)
    table.pi.open_device(opened_device("light", "slider"))
    with pytest.raises(PlayError, match=problem):
        await Player(table).perform(program_parser().parse(line))
    await Player(table).perform(program_parser().parse("set light 0.25\nexpect light 0.25\nexpect not light 0.5"))
    await table.close()
