"""What the examples of gpiozero's documentation do on the virtual Pi, by the name of their file.

An example has steps, separated by semicolons:

- ``2=0`` drives GPIO2 low, ``2=1`` high, and ``2=z`` lets it go. ``3/2=0`` does it at the Pi 192.168.1.3.
- ``17:1`` waits until the duty cycle of GPIO17 is 1.
- ``"Hello!"`` waits until the program prints it, and ``did capture`` until a stand-in does it.
- ``key=up`` and so on are lines of input, for a stand-in.
- ``+2`` waits two seconds.
- Anything else is a line of a play.
"""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """An example: its *steps*, and what it *needs* that a Pi with gpiozero does not have."""

    steps: str
    needs: str = ""


PRESS_2_FOR_17 = "17:0; 2=0; 17:1; 2=z; 17:0"
BLINK_17 = "17:1; 17:0; 17:1"
REMOTE = "other Pis in the network"
CAMERA = "a camera and the package picamera"
PING = "hosts in the network that answer a ping"
THREE_TWO_ONE = "21:1; 20:1; 16:1; 22:1; 12:1; 23:0; 24:0; 23:1; 16:0; 12:0; 22:0; 16:1"
"""The segments a, b, c, d, g, without e and f; then e without c; then b and c."""

GREEN_AMBER_RED = "4:1; 2:0; 3:1; 4:0; 2:1; 3:0; 3:1; 2:1; 4:1; 3:0; 2:0"
SERVO_17 = "17:0.05; 17:0.075; 17:0.1; 17:0.05"

FORWARD, BACKWARD, STOP = "4:1; 14:0; 17:1; 18:0", "4:0; 14:1; 17:0; 18:1", "4:0; 14:0; 17:0; 18:0"
LEFT, RIGHT = "4:0; 14:1; 17:1; 18:0", "4:1; 14:0; 17:0; 18:1"
FOUR_BUTTONS = "; ".join(
    f"{pin}=0; {moves}; {pin}=z; {STOP}" for pin, moves in {21: FORWARD, 26: LEFT, 16: RIGHT, 20: BACKWARD}.items()
)

EXAMPLES = {
    "all_on_1": Example("7=1; 9:1; 22:1; 4:1; 8:1; 7=z; 9:0; 22:0; 4:0; 8:0"),
    "all_on_2": Example("25=0; 22:1; 23:1; 24:1; 5:1; 25=z; 22:0; 23:0; 24:0; 5:0"),
    "all_on_3": Example("2=0; 3:1; 4:1; 5:1; 6:1; 2=z; 3:0; 4:0; 5:0; 6:0"),
    "angular_servo": Example("17:0.05; 17:0.0625; 17:0.075; 17:0.0875; 17:0.1; 17:0.05"),
    "bluedot_led": Example("17:0; dot=pressed; 17:1; dot=released; 17:0", "a phone and the package bluedot"),
    "bluedot_robot_1": Example(f"dot=top; {FORWARD}; dot=left; {LEFT}; dot=released; {STOP}", "the same"),
    "bluedot_robot_2": Example(f"dot=top; {FORWARD}; dot=bottom; {BACKWARD}; dot=released; {STOP}", "the same"),
    "button_1": Example('"Button is not pressed"; 2=0; "Button is pressed"'),
    "button_2": Example('2=0; "Button was pressed"; until ended'),
    "button_3": Example('2=0; "Hello!"'),
    "button_4": Example('2=0; "Hello!"; 2=z; "Goodbye!"'),
    "button_camera_1": Example("2=0; did capture", CAMERA),
    "button_camera_2": Example("2=0; did start_preview; 2=z; did stop_preview; 3=0; did capture", CAMERA),
    "button_led_1": Example(PRESS_2_FOR_17),
    "button_led_2": Example(PRESS_2_FOR_17),
    "button_shutdown": Example("17=0; did sudo poweroff", "a Pi that may be shut down"),
    "button_stop_motion": Example("did start_preview; 2=0; did capture; 2=z", CAMERA),
    "color_picker": Example('22:0; 23:1; 24:1; turn rotor 3; 23:0.95; 21=1; 21=0; "Hue"; 21=1; "Exiting"; until ended'),
    "combining_sources": Example("2=0; +1; 17:0; 3=0; 17:1; 2=z; 17:0"),
    "cpu_temperature_bar_graph": Example("set cpu.temperature 70; 2:1; 4:1; 5:0.5; 8:0; set cpu.temperature 90; 8:1"),
    "custom_generator": Example(BLINK_17),
    "custom_generator_finite": Example("17:1; 17:0; 17:1; 17:0; 17:1; 17:0; 17:1"),
    "disk_usage_bar_graph": Example("disk=0.6; 2:1; 5:1; 8:0; disk=1; 8:1"),
    "distance_sensor_1": Example('+1; set sensor 50; "0.5"; set sensor 25; "0.25"'),
    "distance_sensor_2": Example("+1; set sensor 50; 16:0; set sensor 10; 16:1; set sensor 50; 16:0"),
    "garden_light": Example("set motion on; set light 0; 2:1; set light 1; 2:0"),
    "internet_status_indicator": Example("ping=up; 17:1; 18:0; ping=down; 17:0; 18:1", PING),
    "led_1": Example(BLINK_17),
    "led_2": Example(BLINK_17),
    "led_bargraph_1": Example("5:1; 20:1; 20:0; 6:1; 19:1; 5:0; 5:1; 19:0; 20:1; until ended"),
    "led_bargraph_2": Example("5:0.5; 5:1; 6:0.5; 26:1; 19:0.5; 5:1; 26:0.5; 26:0.75; until ended"),
    "led_board_1": Example("5:1; 6:1; 26:1; 5:0; 6:0; 5:1; 6:0; 26:1; 6:1; 6:0; 6:1"),
    "led_board_2": Example("5:0.2; 6:0.4; 13:0.6; 19:0.8; 26:1"),
    "led_board_3": Example("5:1; 5:0; 6:1; 6:0; 13:1; 19:1; 26:1; 26:0; until ended"),
    "led_board_4": Example("2:1; 9:1; 9:0; until ended"),
    "led_board_5": Example("5:1; 9:1; 2:0; 2:1; 3:1; 5:0; 4:1; 8:1; 3:0; 3:1; 9:1; 2:0; until ended"),
    "led_board_6": Example("2:1; 3:1; 4:1; until ended"),
    "led_board_7": Example("2:1; 3:1; 4:1; 5:1; 2:0; 2:1; 3:0; 5:1; until ended"),
    "led_builtin": Example(
        '"PinInvalidPin"; expect program failed',
        "gpiozero 1: GPIO35 and GPIO47 are not on the header, so 2 refuses them",
    ),
    "led_button": Example(PRESS_2_FOR_17),
    "led_button_loop": Example(PRESS_2_FOR_17),
    "led_button_remote_1": Example("2=0; 3/17:1; 2=z; 3/17:0", REMOTE),
    "led_button_remote_2": Example("3/17=0; +1; 17:0; 4/17=0; 17:1; 3/17=z; 17:0", REMOTE),
    "led_char_display": Example(f"{THREE_TWO_ONE}; until ended"),
    "led_char_source": Example(THREE_TWO_ONE),
    "led_pulse": Example("17:0.2; 17:0.8; 17:1; 17:0.52; 17:0"),
    "led_remote_1": Example("3/17:1; 3/17:0; 3/17:1", REMOTE),
    "led_remote_2": Example("3/17:1; 4/17:0; 4/17:1; 3/17:0", REMOTE),
    "led_remote_3": Example("17:1; 3/17:0; 3/17:1; 17:0", REMOTE),
    "led_remote_4": Example("1/17:1; 17:0; 17:1; 1/17:0", "a remote Pi as the default"),
    "led_remote_5": Example("17:1; 4/17:1; 3/17:0; 3/17:1; 17:0; 4/17:0", REMOTE),
    "led_travis": Example("16:1; 12:0", "the package travispy and its service"),
    "led_variable_brightness": Example("17:0; 17:0.5; 17:1; 17:0"),
    "light_sensor_1": Example('set sensor 1; "light! :)"; set sensor 0; "dark :("'),
    "light_sensor_2": Example("set sensor 1; +2; 16:0; set sensor 0; 16:1; set sensor 1; 16:0"),
    "light_sensor_3": Example("set sensor 0; 16:0; set sensor 0.9; 16:0.9"),
    "matching_leds": Example("17=0; 14:1; 15:1; 17=z; 14:0; 15:0"),
    "motion_sensor": Example("set pir on; 16:1; set pir off; 16:0"),
    "motor": Example("4:1; 14:0; 4:0; 14:1; 4:1; 14:0"),
    "multi_room_doorbell": Example("17=0; 3/17:1; 4/17:1; 5/17:1; 6/17:1; 17=z; 3/17:0; 6/17:0", REMOTE),
    "multi_room_motion_alert": Example("3/17=1; 2:1; 6/17=1; 5:1; 4:0; 3/17=0; 2:0", REMOTE),
    "multichar_scroll": Example('"NameError"; expect program failed', "an import that it lacks, on every Pi"),
    "music_box": Example("2=0; did drum_tom_mid_hard; 3=0; did drum_cymbal_open", "samples and the package pygame"),
    "negated": Example("4:1; 17=0; 4:0; 17=z; 4:1"),
    "pot_1": Example('set pot 0; "0.0"; set pot 1; "1.0"'),
    "pot_2": Example("set pot 1; 5:1; 26:1; set pot 0; 5:0; 26:0"),
    "pwmled_pot": Example("set pot 1; 17:1; set pot 0.25; 17:0.25"),
    "pwmled_pot_values": Example("set pot 1; 17:1; set pot 0.25; 17:0.25"),
    "random_values": Example("+1; 4:0.5; 4:0.25; 4:0.75"),
    "reaction_game": Example('17:1; 3=0; "Player 2 wins!"; until ended'),
    "remote_button_robot": Example(FOUR_BUTTONS, REMOTE),
    "rgbled": Example("9:1; 9:0.5; 9:0; 10:1; 11:0; 9:1; 11:1; 10:0; 11:0.5; 11:0.9; until ended"),
    "rgbled_pot_1": Example("set red_pot 1; set green_pot 0.5; 2:1; 3:0.5; 4:0.5; set blue_pot 1; 4:1"),
    "rgbled_pot_2": Example("set red_pot 1; set green_pot 0.5; 2:1; 3:0.5; 4:0.5; set blue_pot 1; 4:1"),
    "robot_1": Example(f"{FORWARD}; {RIGHT}; {FORWARD}; {RIGHT}; until ended"),
    "robot_2": Example(f"+1; set sensor 50; {STOP}; set sensor 10; {BACKWARD}; set sensor 50; {STOP}"),
    "robot_buttons_1": Example(FOUR_BUTTONS),
    "robot_buttons_2": Example("4=0; 4=z; 2=0; 2=z; 6=0; 17:1; 22:1; 18:1; 17:0; 18:0; 22:0"),
    "robot_keyboard_1": Example(f"key=up; {FORWARD}; key=none; {STOP}; key=left; {LEFT}", "a terminal"),
    "robot_keyboard_2": Example(f"key=up; {FORWARD}; key=none; {STOP}; key=left; {LEFT}", "the package evdev"),
    "robot_motion_1": Example(f"set pir on; {FORWARD}; set pir off; {STOP}"),
    "robot_motion_2": Example(f"set pir on; {FORWARD}; set pir off; {STOP}"),
    "robot_pots_1": Example("set left_pot 1; set right_pot 0.5; 4:1; 17:0.5; set left_pot 0; 4:0"),
    "robot_pots_2": Example("set left_pot 1; set right_pot 0; 4:1; 14:0; 18:1; 17:0; set left_pot 0; 14:1; 4:0"),
    "sense_hat_remote": Example("4/4=1; did show", f"a Sense HAT with its package, and {REMOTE}"),
    "sense_hat_remote_2": Example("did clear (0, 0, 255)", "the same"),
    "servo_1": Example(SERVO_17),
    "servo_2": Example("17:0.05; 14=0; 17:0.1; 14=z; 14=0; 17:0.05"),
    "servo_sweep": Example("17:0.075; 17:0.095; 17:0.055"),
    "sin_values": Example("2:0.5; 4:0.09; 5:0.5; 3:0.5; 4:0.06"),
    "source_value_processing": Example("4:1; 17=0; 4:0; 17=z; 4:1"),
    "thermometer": Example('set adc 0.2; "is 16."; set adc 0.3; "is 49."'),
    "timed_heat_lamp": Example("+43300; 27:0; 25:0; +43300; 27:1; 25:0"),
    "traffic_lights_1": Example(GREEN_AMBER_RED),
    "traffic_lights_2": Example(GREEN_AMBER_RED),
    "traffic_lights_3": Example(GREEN_AMBER_RED),
    "traffichat_remote_1": Example("until ended", REMOTE),
    "traffichat_remote_2": Example("until ended", REMOTE),
    "whos_home_leds": Example("ping=up; 15:1; 14:0; 22:1; ping=down; 15:0; 14:1; 21:1", PING),
    "whos_home_status": Example("ping=up; 17:1; 4:0; ping=down; 4:1; 17:0", PING),
}
