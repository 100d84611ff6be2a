import asyncio

from reboard.dance import Step
from reboard.parts.absent import AbsentDisplay, AbsentKeypad, AbsentLamp, AbsentMotor
from reboard.parts.display import Display
from reboard.parts.keypad import Keypad
from reboard.parts.lamp import Lamp
from reboard.parts.motor import Motor
from reboard_sim import virtual_time


def test_each_has_all_that_the_part_it_stands_for_has() -> None:
    for absent, part in (
        (AbsentLamp, Lamp),
        (AbsentMotor, Motor),
        (AbsentKeypad, Keypad),
        (AbsentDisplay, Display),
    ):
        public = {name for name in vars(part) if not name.startswith("_")}
        assert public <= set(dir(absent))


def test_they_do_nothing_and_the_story_goes_on() -> None:
    async def main() -> None:
        lamp, motor, keypad, display = AbsentLamp(), AbsentMotor(), AbsentKeypad(), AbsentDisplay()
        lamp.on()
        assert not lamp.is_on
        lamp.off()
        async with motor.dancing((Step(1.0, 1.0),)):
            await asyncio.sleep(13)
            assert motor.level == 0
        keys: list[str] = []
        keypad.start(keys.append, keys.append, keys.clear, keys.clear)
        display.show("+1 16.5M", "")
        display.sleep()
        display.wake()
        assert keys == list(keypad.down) == []
        for part in (lamp, motor, keypad, display):
            part.close()
        assert repr(lamp) == "<reboard.AbsentLamp object>"

    virtual_time.run(main)
