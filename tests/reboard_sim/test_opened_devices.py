"""The devices that a program opens on the virtual Pi."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.opened import opened_device
from reboard_sim.devices.slider import OutOfRangeError


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
