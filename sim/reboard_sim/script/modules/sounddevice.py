"""``sounddevice`` on the virtual sound card. It plays arrays, and has no microphone and no streams."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NoReturn

from reboard.board import SAMPLE_BYTES
from reboard_sim.script.modules.machine import Machine, VirtualModule
from reboard_sim.script.modules.sounds import Sounds, samples_of

DEFAULT_HZ = 44_100.0
"""The rate that PortAudio reports for most sound cards, in hertz."""

LARGEST = 32_767
SIGNED_BITS = {1: 8, 2: 16, 4: 32}


class PortAudioError(Exception):
    """``sounddevice.PortAudioError``."""


def modules(machine: Machine) -> dict[str, VirtualModule]:
    """Return ``sounddevice`` for a program on *machine*."""
    sounds = Sounds(machine)
    default = SimpleNamespace(samplerate=None, device=(-1, 0), channels=(None, None), dtype=("float32", "float32"))

    def play(data: Any, samplerate: float | None = None, blocking: bool = False, loop: bool = False) -> None:
        """Play an array of NumPy, of one or two channels, and return at once. An earlier sound ends."""
        if loop:
            raise NotImplementedError("the virtual Pi plays a sound once: call play() again instead of loop=True")
        samples = _mono(data)
        sounds.stop_all()
        sound = sounds.play(samples_of(samples, 1, SAMPLE_BYTES, samplerate or default.samplerate or DEFAULT_HZ))
        if blocking:
            sound.wait()

    def wait(ignore_errors: bool = True) -> None:
        """Wait until the end of the sound."""
        sounds.wait_all()

    def stop(ignore_errors: bool = True) -> None:
        """End the sound at once."""
        sounds.stop_all()

    def record(*_: object, **__: object) -> NoReturn:
        raise PortAudioError("the virtual Pi has no microphone")

    def query_devices(device: object = None, kind: str | None = None) -> Any:
        """Return the sound card, in a list unless one device is asked for."""
        if kind == "input":
            record()
        card = {"name": "the virtual sound card", "index": 0, "hostapi": 0, "max_input_channels": 0}
        card |= {"max_output_channels": 2, "default_samplerate": DEFAULT_HZ}
        return [card] if device is None and kind is None else card

    contents = {
        "play": play,
        "wait": wait,
        "stop": stop,
        "rec": record,
        "playrec": record,
        "query_devices": query_devices,
        "default": default,
        "PortAudioError": PortAudioError,
    }
    return {"sounddevice": VirtualModule("sounddevice", contents, "use play() and wait()")}


def _mono(data: Any) -> bytes:
    """Return an array as s16le samples of one channel. Raises ``ValueError`` for another kind of array."""
    import numpy as np  # only a program that uses it needs it

    array = np.asarray(data)
    if array.ndim not in (1, 2) or array.dtype.kind not in "fiu":
        raise ValueError("data must be an array of numbers with one or two dimensions")
    if array.dtype.kind == "u":
        array = array.astype("f8") / (1 << 7) - 1
    elif array.dtype.kind == "i":
        array = array.astype("f8") / (1 << SIGNED_BITS.get(array.dtype.itemsize, 16) - 1)
    if array.ndim == 2:
        array = array.mean(axis=1)
    samples: bytes = (array.clip(-1, 1) * LARGEST).astype("<i2").tobytes()
    return samples
