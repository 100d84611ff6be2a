from __future__ import annotations

import asyncio

from reboard.banker.face import NOTICE_S, Face
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import HandDisplay


def face_of(display: HandDisplay) -> Face:
    return Face(display, lambda notice: ("ALWAYS", notice or "AT REST"))


def test_a_notice_is_read_for_its_time_and_then_gone() -> None:
    async def main() -> None:
        display = HandDisplay()
        face = face_of(display)
        face.say("NEWS")
        assert display.shown == [], "it is the unit that draws, when a touch is done with"
        face.draw()
        await asyncio.sleep(NOTICE_S - 0.01)
        assert face.lines == display.lines == ("ALWAYS", "NEWS")
        await asyncio.sleep(0.02)
        assert face.lines == display.lines == ("ALWAYS", "AT REST")

    run(main)


def test_a_younger_notice_has_its_whole_time() -> None:
    async def main() -> None:
        display = HandDisplay()
        face = face_of(display)
        face.say("NEWS")
        await asyncio.sleep(NOTICE_S - 0.01)
        face.say("MORE")
        face.draw()
        await asyncio.sleep(NOTICE_S - 0.01)
        assert display.lines[1] == "MORE"

    run(main)


def test_a_notice_that_was_hushed_does_not_come_back_nor_end_another_one() -> None:
    async def main() -> None:
        display = HandDisplay()
        face = face_of(display)
        face.say("NEWS")
        face.hush()
        face.draw()
        assert display.lines[1] == "AT REST"
        await asyncio.sleep(NOTICE_S + 1)
        assert len(display.shown) == 1

    run(main)


def test_a_face_that_sleeps_goes_dark_and_wakes() -> None:
    display = HandDisplay()
    face = face_of(display)
    face.sleep_or_wake(True)
    assert display.dark
    face.sleep_or_wake(False)
    assert not display.dark
