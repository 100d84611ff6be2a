"""An LED and its resistor: what flows through them, and which resistor is right."""

from __future__ import annotations

from math import ceil, inf

from reboard.settings.wiring import LampWiring, Wiring
from reboard.wiring.kinds import kinds
from reboard.wiring.pi import POWER_5V, RAILS, pin_limits

COLLECTOR_V = 0.2
"""What stays between a transistor's collector and its emitter when it is on."""

WELL_SEEN_MA = 4.0
"""What our own lamp takes, of the kind that the parts list asks for."""

SPREAD_V = 0.4
"""An LED's volts are what is usual: makers let white, blue and most green ones of 3.2 V have 2.8 to 3.6 V."""

SPREADS_FROM_V = 2.5
"""From here on it is such a one. A red or yellow one is as far off only on paper, where it has the 1.3 V and more that
its resistor gets to make up for it."""

LEAST_LEFT_V = 0.3
"""With the Pi's 3.3 V off by 0.2 V as well, a resistor for 4 mA that has no more than this lets through anything from
nothing to 11 mA; with 0.2 V left it may be the 16 mA of a pin, and with less it is more. No resistor is right there."""

RED_V = LampWiring().led_v
"""What a red or yellow one has, as in our drawings."""


def pin_ma(wiring: Wiring, ohm: float) -> float:
    """The most that the LED may take through *ohm* from a pin; without a resistor there is no limit."""
    return max(0.0, pin_limits().gives_v - least_v(wiring)) / ohm * 1000 if ohm else inf


def transistor_ma(wiring: Wiring, ohm: float) -> float:
    """What it takes through *ohm* from 5 V, behind a transistor."""
    return max(0.0, behind_transistor_v() - wiring.lamp.led_v) / ohm * 1000 if ohm else inf


def least_v(wiring: Wiring) -> float:
    """The fewest volts that an LED may have that is sold as one of ``led_v``."""
    led_v = wiring.lamp.led_v
    return led_v - SPREAD_V if led_v >= SPREADS_FROM_V else led_v


def behind_transistor_v() -> float:
    """What an LED and its resistor get behind a transistor."""
    return RAILS[POWER_5V] - COLLECTOR_V


def leaves_too_little(wiring: Wiring, gets_v: float) -> bool:
    """Whether of *gets_v* volts the LED leaves too few for a resistor to set its current."""
    return round(gets_v - wiring.lamp.led_v, 6) <= LEAST_LEFT_V


def well_seen_ohm(gets_v: float, led_v: float) -> int:
    """The resistor with which an LED that gets so many volts is well seen."""
    return _in_tens((gets_v - led_v) / WELL_SEEN_MA * 1000)


def bright_ohm(wiring: Wiring) -> int:
    """The least resistor with which an LED behind a transistor takes no more than it stands."""
    stands_ma = kinds()["led"].terminals["+"].stands_ma or inf
    return _in_tens((behind_transistor_v() - least_v(wiring)) / stands_ma * 1000)


def one_that_is_well_seen(wiring: Wiring, gets_v: float) -> str:
    """That resistor, in words and as a setting."""
    ohm = well_seen_ohm(gets_v, wiring.lamp.led_v)
    lets_ma = (gets_v - wiring.lamp.led_v) / ohm * 1000
    return f"{ohm} Ω, which lets {lets_ma:.1f} mA through: `resistor_ohm = {ohm}`"


def another_on_a_pin() -> str:
    """An LED that is right on a pin, with its resistor."""
    ohm = well_seen_ohm(pin_limits().gives_v, RED_V)
    return f"a red or yellow one, of {RED_V:g} V (`led_v = {RED_V}`), behind {ohm} Ω (`resistor_ohm = {ohm}`)"


def or_a_transistor(wiring: Wiring) -> str:
    """The other way, with its own resistor: the one that was right on a pin lets too much through from 5 V."""
    ohm = bright_ohm(wiring)
    return f'or a transistor (`driver = "transistor"`), with {ohm} Ω before the lamp (`resistor_ohm = {ohm}`)'


def _in_tens(ohm: float) -> int:
    """A resistor of so many ohms or a little more."""
    return ceil(round(ohm / 10, 6)) * 10
