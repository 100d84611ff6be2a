"""Programs of the shapes that the documentation of RPi.GPIO teaches, each with a play."""

from __future__ import annotations

from pathlib import Path

import pytest

from reboard_sim.cli import main

OUTPUTS = """
import time
import RPi.GPIO as GPIO

GPIO.setwarnings(False)
GPIO.setmode(GPIO.BOARD)
leds = [11, 12]
GPIO.setup(leds, GPIO.OUT, initial=GPIO.LOW)
try:
    while True:
        GPIO.output(leds, (GPIO.HIGH, GPIO.LOW))
        time.sleep(1)
        GPIO.output(leds, not GPIO.input(11))
        time.sleep(1)
        GPIO.output(12, True)
        time.sleep(1)
finally:
    GPIO.cleanup()
"""
POLLED_INPUT = """
import time
import RPi.GPIO as GPIO

GPIO.setmode(GPIO.BCM)
GPIO.setup(24, GPIO.IN, pull_up_down=GPIO.PUD_UP)
GPIO.setup(17, GPIO.OUT)
print("input", GPIO.gpio_function(24) == GPIO.IN)
while True:
    GPIO.output(17, not GPIO.input(24))
    time.sleep(0.01)
"""
WAIT_FOR_EDGE = """
import RPi.GPIO as GPIO

GPIO.setmode(GPIO.BCM)
GPIO.setup(24, GPIO.IN, pull_up_down=GPIO.PUD_UP)
while True:
    channel = GPIO.wait_for_edge(24, GPIO.FALLING, timeout=5000)
    print("nobody pressed" if channel is None else f"edge on {channel}")
"""
EVENT_DETECTED = """
import time
import RPi.GPIO as GPIO

GPIO.setmode(GPIO.BCM)
GPIO.setup(24, GPIO.IN, pull_up_down=GPIO.PUD_UP)
GPIO.add_event_detect(24, GPIO.RISING)
for turn in range(100):
    time.sleep(1)
    if GPIO.event_detected(24):
        print("released in turn", turn)
"""
CALLBACKS = """
import signal
import RPi.GPIO as GPIO

counts = {23: 0, 24: 0}

def count(channel):
    counts[channel] += 1
    print(f"{channel} for the time {counts[channel]}")

GPIO.setmode(GPIO.BCM)
GPIO.setup(list(counts), GPIO.IN, pull_up_down=GPIO.PUD_UP)
for channel in counts:
    GPIO.add_event_detect(channel, GPIO.FALLING, callback=count, bouncetime=200)
GPIO.add_event_callback(24, lambda channel: print("also", channel))
signal.pause()
"""
PULSES = """
import time
import RPi.GPIO as GPIO

GPIO.setmode(GPIO.BCM)
GPIO.setup(18, GPIO.OUT)
led = GPIO.PWM(18, 50)
led.start(0)
for duty in range(0, 101, 25):
    led.ChangeDutyCycle(duty)
    time.sleep(1)
led.ChangeFrequency(1000)
led.ChangeDutyCycle(10)
time.sleep(1)
led.stop()
GPIO.cleanup()
"""
NO_MODE = """
import RPi.GPIO as GPIO

GPIO.setup(17, GPIO.OUT)
"""

PROGRAMS = {
    "outputs": (
        OUTPUTS,
        "wait 0.5\nexpect gpio17 on\nexpect gpio18 off\nwait 1\nexpect gpio17 off\nexpect gpio18 off\n"
        "wait 1\nexpect gpio18 on\nwait 1\nexpect gpio17 on\nexpect gpio18 off",
    ),
    "polled input": (
        POLLED_INPUT,
        "wait 1\nexpect printed 'input True'\nexpect gpio17 off\nset gpio24 on\nwait 0.1\nexpect gpio17 on\n"
        "set gpio24 off\nwait 0.1\nexpect gpio17 off",
    ),
    "wait for an edge": (
        WAIT_FOR_EDGE,
        "wait 6\nexpect printed 'nobody pressed'\npress gpio24\nwait 0.1\nexpect printed 'edge on 24'",
    ),
    "detected events": (EVENT_DETECTED, "wait 2.5\npress gpio24\nwait 1\nexpect printed 'released in turn 2'"),
    "callbacks": (
        CALLBACKS,
        "wait 1\npress gpio24\nwait 0.5\npress gpio24\npress gpio23\nwait 0.5\nexpect printed '24 for the time 2'\n"
        "expect printed 'also 24'\nexpect printed '23 for the time 1'\nexpect not printed 'time 3'",
    ),
    "pulses": (
        PULSES,
        "wait 0.5\nexpect gpio18 off\nwait 1\nexpect gpio18 0.25\nwait 2\nexpect gpio18 0.75\nwait 1\n"
        "expect gpio18 on\nwait 1\nexpect gpio18 0.1\nwait 1\nexpect gpio18 off\nexpect program ended",
    ),
    "no mode": (NO_MODE, "wait 0.1\nexpect printed 'Please set pin numbering mode'\nexpect program failed"),
}


@pytest.mark.parametrize(("program", "play"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_with_rpi_gpio_passes_its_play(
    program: str, play: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game, lines = tmp_path / "game.py", tmp_path / "game.play"
    game.write_text(program, encoding="utf-8")
    lines.write_text(play, encoding="utf-8")
    assert main(["script", str(game), "--play", str(lines), "--seed", "1"]) == 0, capsys.readouterr().err
