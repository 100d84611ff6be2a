import asyncio

import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reboard.errors import PartError
from reboard.parts.lamp import Lamp
from reboard_sim.pins import VirtualPins


class Told:
    """An `Emit` that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, object]]] = []

    def __call__(self, name: str, /, **fields: object) -> None:
        self.events.append((name, fields))


def virtual_pins() -> VirtualPins:
    return VirtualPins(lambda: 0.0)


def test_it_is_dark_at_first_and_tells_only_changes() -> None:
    pins, told = virtual_pins(), Told()
    lamp = Lamp(17, pins=pins, emit=told)
    line = pins.line(17)
    assert (lamp.is_on, line.level) == (False, False)
    lamp.off()
    lamp.on()
    lamp.on()
    assert (lamp.is_on, line.level) == (True, True)
    lamp.off()
    assert (lamp.is_on, line.level) == (False, False)
    assert told.events == [("lamp", {"on": True}), ("lamp", {"on": False})]


def test_closing_puts_it_out_and_frees_the_pin() -> None:
    pins, told = virtual_pins(), Told()
    lamp = Lamp(17, pins=pins, emit=told)
    lamp.on()
    lamp.close()
    lamp.close()
    assert told.events[-1] == ("lamp", {"on": False})
    assert not pins.line(17).level
    assert not pins.line(17).is_output
    LED(17, pin_factory=pins).close()


def test_its_repr_shows_its_state() -> None:
    lamp = Lamp(17, pins=virtual_pins())
    lamp.on()
    assert repr(lamp) == "<reboard.Lamp object on pin GPIO17, is_on=True>"


def test_a_pin_that_cannot_be_had_is_named() -> None:
    pins = virtual_pins()
    lamp = Lamp(17, pins=pins)
    with pytest.raises(PartError, match=r"the block's lamp on GPIO17 .* in use"):
        Lamp(17, pins=pins, name="block's lamp")
    lamp.close()
    with pytest.raises(PartError, match="the lamp on GPIO17"):
        lamp.on()
    assert not lamp.is_on


@pytest.mark.parametrize("pin_class", [None, MockPWMPin])
def test_it_works_on_gpiozeros_mock_pins(pin_class: type | None) -> None:
    async def main() -> None:
        pins = MockFactory(pin_class=pin_class)
        lamp = Lamp(17, pins=pins)
        lamp.on()
        assert pins.pin(17).state
        lamp.close()

    asyncio.run(main())
