import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory

from reboard.devices.lamp import AbsentLamp, Lamp
from reboard.errors import DeviceError
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


def test_errors_name_the_lamp_and_its_pin() -> None:
    pins = VirtualPins(lambda: 0.0)
    lamp = Lamp(17, pins=pins)
    with pytest.raises(DeviceError, match=r"block's lamp on GPIO17 .* in use"):
        Lamp(17, pins=pins, name="block's lamp")
    lamp.close()
    with pytest.raises(DeviceError, match="lamp on GPIO17"):
        lamp.on()
    assert not lamp.is_on


def test_an_absent_lamp_stays_off_and_mock_pins_work() -> None:
    pins = MockFactory()
    for lamp in (Lamp(17, pins=pins), AbsentLamp()):
        lamp.on()
        assert lamp.is_on == isinstance(lamp, Lamp)
        lamp.close()
