"""gpiozero's tests that fail on our pins, each with the reason. One that passes again is an error."""

from __future__ import annotations

from collections.abc import Mapping

OLD_TESTS = {
    "test_default_pin_factory_order": "gpiozero 2 has no RPIO",
    "test_device_non_physical": "gpiozero 2 knows no pin that is not on the header",
    "test_input_invalid_pull_up": "gpiozero 2 writes pins otherwise",
    "test_input_invalid_active_state": "gpiozero 2 writes pins otherwise",
    "test_motor_bad_init": "gpiozero 2 has other arguments",
    "test_motor_enable_pin_bad_init": "gpiozero 2 has other arguments",
    "test_motor_enable_pin_init": "gpiozero 2 has other arguments",
    "test_phaseenable_motor_bad_init": "gpiozero 2 has other arguments",
    "test_robot_bad_init": "gpiozero 2 has other arguments",
    "test_robot_nopwm": "gpiozero 2 has other arguments",
    "test_enable_pin_motor_robot": "gpiozero 2 has other arguments",
    "test_enable_pin_motor_robot_nopwm": "gpiozero 2 has other arguments",
    "test_phaseenable_robot_bad_init": "gpiozero 2 has other arguments",
    "test_phaseenable_robot": "gpiozero 2 has other arguments",
    "test_led_char_display_font": "gpiozero 2 writes fonts otherwise",
    "test_spi_software_params": "gpiozero 2 writes pins otherwise",
    "test_shared_key": "gpiozero 2 needs a key of each shared device",
}
"""Tests of gpiozero 1.6.2 that fail with gpiozero 2 on every pin."""

OURS = {
    "test_led_char_display_init": "a closed pin is an input, as on a Pi; the mock keeps its level",
    "test_output_initial_values": "an output without a first level is low, so that no motor jerks; the mock keeps it",
    "test_output_pwm_not_supported": "each of our pins has pulses",
    "test_servo_pins_nonpwm": "each of our pins has pulses",
}

VIRTUAL = {
    "test_duty_cycles": "a virtual line has a duty cycle, and no pulses that can be counted",
}

GPIOD = {
    "test_duty_cycles": "the test counts in a loop that keeps the interpreter from the thread of the pulses",
}


def known_failures(pins: str, release: str) -> Mapping[str, str]:
    """The reasons for *pins*, by the name of the test. *release* is that of the tests."""
    old = OLD_TESTS if release == "1.6.2" else {}
    return old | OURS | {"virtual": VIRTUAL, "gpiod": GPIOD}[pins]
