"""gpiozero's pin factories by name, and pin libraries that the bench lacks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reboard_sim.cli import main

FACTORIES = """
from time import sleep
from gpiozero import LED, Device, Servo
from gpiozero.pins.lgpio import LGPIOFactory
from gpiozero.pins.pigpio import PiGPIOFactory
arm = Servo(17, pin_factory=PiGPIOFactory())
Device.pin_factory = LGPIOFactory(chip=4)
led = LED(27)
led.on()
arm.max()
try:
    PiGPIOFactory(host="192.168.1.3")
except OSError as problem:
    print(problem)
sleep(9)
"""


def play(folder: Path, program: str, lines: str) -> int:
    (folder / "game.py").write_text(program, encoding="utf-8")
    (folder / "test.play").write_text(lines, encoding="utf-8")
    return main(["script", f"{folder}/game.py", "--play", f"{folder}/test.play"])


def test_each_pin_factory_of_gpiozero_has_the_pins_of_the_bench(tmp_path: Path) -> None:
    before = dict(sys.modules)
    checks = "wait 1\nexpect arm 90\nexpect led on\nexpect printed 'no Pi answers at 192.168.1.3'"
    assert play(tmp_path, FACTORIES, checks) == 0
    names = ("gpiozero.pins.lgpio", "gpiozero.pins.pigpio")
    assert [sys.modules.get(name) for name in names] == [before.get(name) for name in names]


@pytest.mark.parametrize("library", ["lgpio", "pigpio", "gpiod"])
def test_a_library_that_the_bench_lacks_names_the_way(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, sys)  # as if another part of this process had imported it
    assert play(tmp_path, f"import {library}", "wait 1\nexpect program failed") == 0
    says = f"game.py:1: ModuleNotFoundError: the virtual Pi has no {library}. Use gpiozero or RPi.GPIO"
    assert says in capsys.readouterr().err
    assert sys.modules[library] is sys
