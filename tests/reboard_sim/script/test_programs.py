"""The programs that people write first, unchanged, with a play: ``reboard-sim script game.py --play test.play``."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from reboard_sim.cli import main

BLINK = """
from gpiozero import LED
from time import sleep
led = LED(17)
while True:
    led.on()
    sleep(1)
    led.off()
    sleep(1)
"""
BUTTON_AND_LED = """
from gpiozero import LED, Button
from signal import pause
led, button = LED(17), Button(2)
button.when_pressed = led.on
button.when_released = led.off
pause()
"""
JOINS_IN_VAIN = """
import threading, time
worker = threading.Thread(target=time.sleep, args=(2,))
worker.start()
worker.join(timeout=1)
time.sleep(10)
print("slept until", time.monotonic())
"""
REACTION = """
from gpiozero import Button, LED
from time import sleep, time
from random import uniform
led = LED(4)
class Game:
    def __init__(self):
        self.left = Button(14)
        self.right = Button(15)
        self.left.when_pressed = lambda: self.win("left")
        self.right.when_pressed = lambda: self.win("right")
    def win(self, who):
        print(f"{who} wins after {time() - self.lit:.2f} s")
game = Game()
sleep(uniform(1, 3))
led.on()
game.lit = time()
sleep(5)
"""
THREADS = """
import queue, threading, time
from concurrent.futures import ThreadPoolExecutor
things = queue.Queue()
def work():
    for number in range(3):
        time.sleep(1)
        things.put(number)
    things.put(None)
worker = threading.Thread(target=work)
worker.start()
while (number := things.get()) is not None:
    print("got", number, "after", time.monotonic())
worker.join()
over = threading.Event()
print(over.wait(timeout=2), time.monotonic())
threading.Timer(3, over.set).start()
print(over.wait(), time.monotonic())
with ThreadPoolExecutor() as pool:
    print(list(pool.map(lambda s: (time.sleep(s), time.monotonic())[1], [3] + [1] * 8)))
"""
ASYNCIO = """
import asyncio
from gpiozero import Button
async def main():
    pressed = asyncio.Event()
    loop = asyncio.get_running_loop()
    button = Button(2)
    button.when_pressed = lambda: loop.call_soon_threadsafe(pressed.set)
    began = loop.time()
    await asyncio.sleep(2)
    print("slept", round(loop.time() - began, 3))
    await pressed.wait()
    print("pressed", round(loop.time() - began, 1))
asyncio.run(main())
"""
ASKS = """
import sys
name = input("Your name? ")
print("Hello,", name, *sys.argv[1:])
sys.exit(f"Goodbye, {name}")
"""
POLLS = """
from gpiozero import Button
import time
button = Button(2)
while not button.is_pressed:
    pass
print("pressed at", round(time.monotonic(), 2))
before = time.monotonic()
while time.monotonic() < before + 0.5:
    pass
print("over")
"""
HELPER = """
import colours
print(colours.FIRST)
"""

EVERY_DEVICE = """
from gpiozero import *
lights, colour = TrafficLights(22, 23, 24), RGBLED(2, 3, 4, active_high=False)
arm, wheel = AngularServo(18), Motor(7, 8)
door, light = MotionSensor(20), LightSensor(21)
rows = LEDMultiCharDisplay(LEDCharDisplay(5, 6, 9, 10, 11, 15, 16), 25, 26)
ears = DistanceSensor(echo=13, trigger=19)
door.wait_for_motion()
lights.red.on(), lights.amber.on()
colour.color = (1, 0.5, 0)
arm.angle = 30
wheel.backward(0.5)
rows.value = "42"
print(f"{light.value:.1f} {ears.distance * 100:.0f}")
input()
"""

NAMES = """
from gpiozero import LED
leds = [LED(17), LED(27)]
lights = {"red": LED(22), "green": LED(23)}
pins = 5, 6
more = [LED(pin) for pin in pins]
box = {}
for name, pin in ("up", 12), ("down", 13):
    box[name] = LED(pin)
leds.append(LED(16))
class Car:
    def __init__(self, pin):
        self.lamp = LED(pin)
def make(pin):
    return LED(pin)
cars = [Car(19), Car(20)]
door = make(21)
for led in leds[1], leds[2], lights["red"], more[1], box["up"], door, cars[1].lamp:
    led.on()
input(LED(26).on())
"""
PRESSES = """
from gpiozero import Button
from signal import pause
b = Button(2)
presses = 0
def press():
    global presses
    presses += 1
    print("press", presses)
b.when_pressed = press
pause()
"""

PLAYS = {
    "every device": (
        EVERY_DEVICE,
        "set light 0.8\nset ears 70\nwait 2\nset door on\nwait 1\nexpect lights 'red amber'\nexpect colour '#ff8000'\n"
        "expect arm 30\nexpect wheel backward\nexpect rows 42\nexpect printed '0.8 70'",
    ),
    "a lamp blinks": (BLINK, "wait 0.5\nexpect led on\nwait 1\nexpect led off\nwait 3600\nexpect led off"),
    "a lamp blinks in the background": (
        "from gpiozero import LED\nfrom signal import pause\nred = LED(17)\nred.blink(0.2, 0.8)\npause()",
        "wait 0.1\nexpect red on\nwait 0.2\nexpect red off\nwait 3600\nexpect red off\nexpect program running",
    ),
    "a button switches a lamp": (BUTTON_AND_LED, "hold button\nexpect led on\nrelease button\nexpect led off"),
    "names of lists, dictionaries and loops": (
        NAMES,
        "wait 0.1\nexpect leds[1] on\nexpect leds[2] on\nexpect lights['red'] on\nexpect lights[green] off\n"
        "expect more[1] on\nexpect box[up] on\nexpect door on\nexpect lamp off\nexpect lamp_2 on\nexpect gpio26 on",
    ),
    "a press prints one line": (
        PRESSES,
        "press b\nwait 1\npress b\nwait 1\nexpect printed 'press 2'\nexpect not printed 'press 3'\n"
        "fault bounce\npress b\nexpect printed 'press 4'",
    ),
    "the temperature of the processor": (
        "from gpiozero import CPUTemperature\ncpu = CPUTemperature(threshold=70, event_delay=1)\n"
        "cpu.when_activated = lambda: print('hot', open('/sys/class/thermal/thermal_zone0/temp').read())\n"
        "print(cpu.temperature)\ninput()",
        "expect printed 45.0\nset cpu.temperature 80\nwait 1\nexpect printed 'hot 80000'",
    ),
    "the processor's temperature from a path": (
        "from pathlib import Path\nfile = Path('/sys/class/thermal/thermal_zone0/temp')\n"
        "print(int(file.read_text()), int(file.read_bytes()))",
        "expect printed '45000 45000'",
    ),
    "a fault before power": (
        PRESSES,
        "fault stuck b\npower on\npress b\nexpect not printed press\nmend stuck b\npress b\nexpect printed press",
    ),
    "colours": (
        "from gpiozero import RGBLED\nled = RGBLED(2, 3, 4)\nled.color = 0, 1, 0\ninput()\nled.color = 1, 0.5, 0\n"
        "input()",
        "expect led green  # one of seven names\nenter console ''\nexpect led #ff8000\nexpect led #ff8000 # orange\n"
        "expect not led green",
    ),
    "a wait with a timeout": (
        "from gpiozero import Button\nb = Button(2)\nprint(b.wait_for_press(timeout=2), b.wait_for_press(timeout=2))",
        "wait 3\npress b\nexpect printed 'False True'\nexpect program ended",
    ),
    "a value follows another": (
        "from gpiozero import PWMLED, Button\nfrom signal import pause\nled = PWMLED(17)\nbutton = Button(2)\n"
        "led.source = button\npause()",
        "wait 1\nexpect led off\nhold button\nwait 0.1\nexpect led on",
    ),
    "a lamp pulses": (
        "from gpiozero import PWMLED\nfrom signal import pause\nled = PWMLED(17)\nled.pulse()\npause()",
        "wait 0.5\nexpect led on\nexpect led 0.48",
    ),
    "the first player wins": (
        REACTION,
        "expect led off\nwait until printed wins within 0.1\n",
    ),
    "threads wait in virtual time": (
        THREADS,
        "wait until printed 'got 2 after 3.0'\nwait until printed 'False 5.0'\nwait until printed 'True 8.0'\n"
        "wait until printed '[11.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 10.0]'\nexpect program ended",
    ),
    "asyncio waits in virtual time": (
        ASYNCIO,
        "wait 4\nexpect printed 'slept 2.0'\npress button\nexpect program ended\n",
    ),
    "a program asks": (
        ASKS,
        "expect console 'Your name?'\nenter console Ada\nexpect console 'Hello, Ada loud'\n"
        "expect printed 'Goodbye, Ada'\nexpect program failed",
    ),
    "a loop without a wait reads a pin and the clock": (
        POLLS,
        "wait 2\nexpect program running\npress button\nexpect printed 'pressed at 2'\nwait 0.6\nexpect printed over",
    ),
    "a join that ends early wakes no later wait": (JOINS_IN_VAIN, "wait 20\nexpect printed 'slept until 11.0'"),
    "the end waits for a thread": (
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(3), print('after 3 s'))).start()",
        "wait 2\nexpect program running\nwait 2\nexpect printed 'after 3 s'\nexpect program ended",
    ),
    "a thread of _thread": (
        "import _thread, time\n_thread.start_new_thread(lambda s: (time.sleep(s), print('after 1 s')), (1,))\n"
        "time.sleep(2)",
        "wait 0.5\nexpect not printed after\nwait 1\nexpect printed 'after 1 s'",
    ),
    "a module of its own": (HELPER, "expect printed crimson\npower off\npower on\nexpect printed crimson"),
    "a fault outlives a power cut": (
        BUTTON_AND_LED,
        "power on\nfault stuck button\nfault bounce\npower off\npower on\npress button 1\nwait 0.1\nexpect led off\n"
        "mend stuck button\nhold button\nwait 0.1\nexpect led on",
    ),
    "the power comes back": (BLINK, "wait 0.5\npower off\nexpect program off\nexpect led off\npower on\nexpect led on"),
}


def play(folder: Path, program: str, lines: str, *options: str) -> int:
    """Return the exit code of a play with a program."""
    (folder / "game.py").write_text(program, encoding="utf-8")
    (folder / "colours.py").write_text("FIRST = 'crimson'\n", encoding="utf-8")
    (folder / "test.play").write_text(lines, encoding="utf-8")
    return main(["script", f"{folder}/game.py", "loud", "--play", f"{folder}/test.play", "--seed", "1", *options])


@pytest.mark.parametrize(("program", "lines"), PLAYS.values(), ids=PLAYS)
def test_a_play_shows_what_a_program_does(program: str, lines: str, tmp_path: Path) -> None:
    before = time.sleep, threading.Lock, threading.active_count()
    if program is REACTION:
        assert play(tmp_path, program, f"{lines}expect program running") == 1
        lines = "wait 4\nexpect led on\npress right\nexpect printed 'right wins'\n"
    assert play(tmp_path, program, lines) == 0
    assert (time.sleep, threading.Lock) == before[:2]


ENDINGS = {
    "an exception": ("print(1)\nprint(1 / 0)", "game.py:2: ZeroDivisionError: division by zero", 1),
    "a syntax error": ("print(1", "game.py:1: SyntaxError: '(' was never closed.", 1),
    "a pin twice": (
        "from gpiozero import LED\nled = LED(17)\nlamp = LED(17)",
        "game.py:3: GPIOPinInUse: pin GPIO17 is already in use by "
        "<gpiozero.LED object on pin GPIO17, active_high=True, is_active=False>.",
        1,
    ),
    "sys.exit": ("import sys\nsys.exit(3)", "game.py called sys.exit(3)", 1),
    "a device that is missing": ("import neopixel", "The bench has no strip of NeoPixels. Run the program on a Pi", 1),
    "a package that is missing": ("import cv2.aruco", "put it beside the program. Otherwise install it", 1),
    "a window": (
        "class TclError(Exception): pass\nraise TclError('no display name and no $DISPLAY environment variable')",
        "The bench has no window for turtle or tkinter. Run the program on a Pi",
        1,
    ),
    "a slip": ("import gpiozer", "Check the spelling: there is a module gpiozero", 1),
    "CircuitPython": ("import adafruit_bme280", "The bench has no CircuitPython. Use gpiozero", 1),
    "an interrupt": ("raise KeyboardInterrupt", "game.py:1: KeyboardInterrupt", 1),
    "os._exit": ("import os\ntry:\n    os._exit(4)\nfinally:\n    print('never')", "called sys.exit(4)", 1),
    "a signal": (
        "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nprint('never')",
        "ended itself with SIGTERM",
        1,
    ),
    "the end": ("print('done')", "1 of 1 checks held", 0),
}


@pytest.mark.parametrize(("program", "says", "code"), ENDINGS.values(), ids=ENDINGS)
def test_the_end_of_a_program_is_said(
    program: str, says: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(tmp_path, program, "wait 1\nexpect not printed never") == code
    output = capsys.readouterr()
    assert says in output.out + output.err


def test_a_fault_of_a_device_that_is_never_opened_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play(tmp_path, PRESSES, "fault stuck bell\npower on\nwait 1") == 2
    assert "the program has opened no device bell: its devices are console, b" in capsys.readouterr().err


FAILS = """
import threading, time, traceback
from gpiozero import LED
def fail():
    time.sleep(-1)
try:
    fail()
except ValueError:
    traceback.print_exc()
threading.Thread(target=fail).start()
led = LED(4)
LED(4)
"""


def test_a_traceback_shows_the_lines_of_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play(tmp_path, FAILS, "wait 1\nexpect program failed") == 0
    error = capsys.readouterr().err
    files = [line.split('"')[1].rpartition("/")[2] for line in error.splitlines() if line.startswith("  File")]
    # gpiozero raises the last one
    assert files == ["game.py", "game.py", "game.py", "game.py", "__init__.py"]
    assert "reboard_sim" not in error


def test_an_exit_in_a_callback_does_not_end_the_program(tmp_path: Path) -> None:
    program = "import sys\nfrom gpiozero import Button\nb = Button(2)\nb.when_pressed = sys.exit\n"
    program += "from signal import pause\npause()"
    lines = "press b\nexpect printed 'Call it in the main program'\nexpect program running"
    assert play(tmp_path, program, lines) == 0


IGNORES_THE_POWER_CUT = """
import threading, time
def work():
    while True:
        try:
            time.sleep(0.5)
        except BaseException:
            pass
threading.Thread(target=work).start()
while True:
    try:
        time.sleep(1)
    finally:
        continue
"""


def test_a_program_that_ignores_the_power_cut_stands_still(tmp_path: Path) -> None:
    assert (
        play(tmp_path, IGNORES_THE_POWER_CUT, "wait 2\npower off\nexpect program off\npower on\nwait 1\npower off") == 0
    )


TIDIES_UP = """
from gpiozero import LED
from reboard import WormApple
import threading, time
led = LED(17)
led.blink()
threading.Timer(100, print).start()
with WormApple(lever=22, motor=13) as apple:
    while True:
        time.sleep(1)
"""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of coroutines without power
def test_a_power_cut_leaves_no_thread_behind(tmp_path: Path) -> None:
    before = len(sys._current_frames())
    assert play(tmp_path, TIDIES_UP, "wait 1\nexpect program running\npower off\npower on\nwait 1\n" * 3) == 0
    assert len(sys._current_frames()) == before


def test_recordings_need_a_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["script", str(tmp_path / "game.py"), "--vcd", "pins.vcd"])
    assert "need --play" in capsys.readouterr().err


def test_a_thread_that_dies_is_reported_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = "threading.Thread(target=lambda: 1 / 0, name='worker').start()"
    program = f"import threading, time\n{start}\ntime.sleep(1)\nprint('on')"
    assert play(tmp_path, program, "wait 2\nexpect printed on\nexpect printed ZeroDivisionError") == 0
    assert "Exception in thread worker" in capsys.readouterr().err


def test_a_program_that_never_waits_ends_the_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reboard_sim.script.scheduler.LONGEST_TURN_S", 0.5)
    assert play(tmp_path, "n = 0\nwhile True:\n    n += 1", "wait 1\nexpect program running") == 2
    assert "has not waited for" in capsys.readouterr().err


def test_a_play_gives_the_same_events_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "wait 3\npress left\npress right\nwait 9\nexpect program ended"
    runs = set()
    for _ in range(3):
        assert play(tmp_path, REACTION, lines, "--json") == 0
        runs.add(capsys.readouterr().out)
    assert len(runs) == 1
    assert "left wins after" in runs.pop()
