"""Modules and a screen that a program may need and that are not there: why, and what the user can do."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.util import find_spec

from reboard_sim.virtual_time import HAS_THREADS

PIN_LIBRARIES = {"RPIO", "gpiod", "lgpio", "periphery", "pigpio", "rgpio", "wiringpi"}
"""Libraries for pins, which the virtual Pi never has, even if they are installed."""

USE_OTHER_PINS = "Use gpiozero or RPi.GPIO, which reach the pins here and on a real Pi"

CAMERA, DHT, LED_STRIP, SENSE_HAT = "camera", "DHT11 or DHT22", "strip of NeoPixels", "Sense HAT"
WINDOW = "window for turtle or tkinter"

DEVICES: Mapping[str, str] = {
    "Adafruit_DHT": DHT,
    "_tkinter": WINDOW,
    "adafruit_dht": DHT,
    "dht11": DHT,
    "libcamera": CAMERA,
    "neopixel": LED_STRIP,
    "picamera": CAMERA,
    "picamera2": CAMERA,
    "picamzero": CAMERA,
    "rpi_ws281x": LED_STRIP,
    "sense_emu": SENSE_HAT,
    "sense_hat": SENSE_HAT,
    "tkinter": WINDOW,
    "turtle": WINDOW,
    "w1thermsensor": "1-Wire sensor",
}
"""The device that the bench lacks, by the module of its driver."""

CIRCUITPYTHON = {"board", "busio", "digitalio", "analogio", "pwmio"}

PACKAGES: Mapping[str, str] = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "luma": "luma.led_matrix",
    "pirc522": "pi-rc522",
    "yaml": "pyyaml",
}
"""The package on PyPI of a module, where the names differ."""

SIMILAR = 0.8
"""The similarity from which a name is taken for a slip, such as ``gpiozer`` for ``gpiozero``, from 0 to 1."""


def remedy(error: BaseException) -> str:
    """Return what the user can do about the *error* of a program that lacks something, or ``""`` if it says so."""
    if isinstance(error, ModuleNotFoundError):
        return _remedy(error.name or "")
    if type(error).__name__ == "TclError" and "display" in str(error):
        return _lacking(WINDOW)
    return ""


def _remedy(module: str) -> str:
    module, _, part = module.partition(".")
    if module in PIN_LIBRARIES or (part and find_spec(module)):
        return ""
    if module in {"tkinter", "_tkinter"} and os.environ.get("DISPLAY"):
        return "Install it: sudo apt install python3-tk"
    if device := DEVICES.get(module):
        return _lacking(device)
    if module in CIRCUITPYTHON or module.startswith("adafruit_"):
        return f"The bench has no CircuitPython. {USE_OTHER_PINS}"
    # a package with nearly the name of a known one can be anybody's
    known = {*sys.stdlib_module_names, *(name.partition(".")[0] for name in sys.modules), *DEVICES, *PACKAGES}
    if similar := get_close_matches(module, known - {module}, n=1, cutoff=SIMILAR):
        return f"Check the spelling: there is a module {similar[0]}"
    if not HAS_THREADS:
        return f"A browser cannot install it. Run the program with reboard-sim script on a computer that has {module}"
    pip = f"{sys.executable} -m pip install" if find_spec("pip") else f"uv pip install --python {sys.executable}"
    package = PACKAGES.get(module, module)
    return f"If it is a module of yours, put it beside the program. Otherwise install it: {pip} {package}"


def _lacking(device: str) -> str:
    return f"The bench has no {device}. Run the program on a Pi, or change it to a device that the bench has"
