from gpiozero import LED

from reboard.devices.lamp import Lamp
from reboard_sim.board.pins import VirtualPins
from tests.virtual import Recorder


def test_a_lamp_is_off_at_first_and_emits_its_changes() -> None:
    pins, emit = VirtualPins(lambda: 0.0), Recorder()
    lamp = Lamp(17, pins=pins, emit=emit)
    line = pins.line(17)
    states = []
    for switch in (lamp.off, lamp.on, lamp.on, lamp.off, lamp.on, lamp.close, lamp.close):
        switch()
        states.append(lamp.is_on)
        assert lamp.is_on == line.level
    assert states == [False, True, True, False, True, False, False]
    assert emit.events == [("lamp", {"on": on}) for on in (True, False, True, False)]
    assert not line.is_output
    LED(17, pin_factory=pins).close()
