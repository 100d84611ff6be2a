"""Additive synthesis of instruments: bars, glass, wood, noise, a reed and a voice, as samples between -1 and 1."""

from __future__ import annotations

import math
from collections.abc import Iterable
from random import Random

from reboard.board import RATE_HZ

Samples = list[float]
Partial = tuple[float, float, float]
"""A partial tone: its frequency as a multiple of the note's, its level, and its decay time as a part of the note's."""

MARIMBA: tuple[Partial, ...] = ((1.0, 1.0, 1.0), (3.98, 0.22, 0.3), (9.1, 0.07, 0.12))
"""A marimba's bar."""

GLASS: tuple[Partial, ...] = ((1.0, 1.0, 1.0), (2.71, 0.3, 0.35), (5.2, 0.12, 0.15))
"""A small glass."""

BELL: tuple[Partial, ...] = ((0.5, 0.25, 1.0), (1.0, 1.0, 0.8), (1.19, 0.3, 0.6), (2.0, 0.45, 0.5), (2.98, 0.2, 0.25))
"""A table bell."""

ATTACK_S = 0.0025
INAUDIBLE = 1e-3
"""The level at which a partial ends."""


def note(name: str) -> float:
    """Return the frequency in Hz of a note such as ``A4`` or ``F#5``. A4 is 440 Hz."""
    semitone = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}[name[0]] + name.count("#")
    return float(440.0 * 2 ** (semitone / 12 + int(name[-1]) - 4))


def struck(hz: float, decay_s: float, partials: Iterable[Partial] = MARIMBA, level: float = 1.0) -> Samples:
    """Return a struck tone of *hz*, which decays to a third in each *decay_s*."""
    length = round(-math.log(INAUDIBLE) * decay_s * RATE_HZ)
    sound = [0.0] * length
    for multiple, loud, part in partials:
        if hz * multiple > RATE_HZ / 2.2:
            continue
        step = 2 * math.pi * hz * multiple / RATE_HZ
        fade = math.exp(-1 / (decay_s * part * RATE_HZ))
        now = loud * level
        for i in range(round(length * part)):
            sound[i] += now * math.sin(step * i)
            now *= fade
    attack = round(ATTACK_S * RATE_HZ)
    for i in range(min(attack, length)):
        sound[i] *= i / attack
    return sound


def knock(hz: float, decay_s: float, rng: Random, noise: float = 0.6) -> Samples:
    """Return a knock on wood: low partials and a burst of noise."""
    sound = struck(hz, decay_s, ((1.0, 1.0, 1.0), (1.58, 0.6, 0.7), (2.72, 0.25, 0.4)))
    mix(sound, [(0.0, hiss(decay_s * 0.6, hz * 4, rng, noise))])
    return sound


def hiss(seconds: float, hz: float, rng: Random, level: float = 1.0) -> Samples:
    """Return a burst of noise below about *hz*, which fades over *seconds*."""
    count = round(seconds * RATE_HZ)
    smoothing = 1 - math.exp(-2 * math.pi * hz / RATE_HZ)
    value, sound = 0.0, []
    for i in range(count):
        value += smoothing * (rng.uniform(-1, 1) - value)
        sound.append(level * value * min(1.0, i / 48) * (1 - i / count) ** 2)
    return sound


def vowel(seconds: float, from_hz: float, to_hz: float, formants: Iterable[Partial], level: float = 1.0) -> Samples:
    """Return a vowel with a gliding pitch: harmonics, filtered by *formants* (Hz, level, width in Hz)."""
    count = round(seconds * RATE_HZ)
    middle = (from_hz + to_hz) / 2
    harmonics = []
    for number in range(1, int(5000 / middle)):
        loud = sum(top / (1 + ((number * middle - hz) / width) ** 2) for hz, top, width in formants)
        harmonics.append((number, loud / number**0.5))
    phase, sound = 0.0, []
    for i in range(count):
        at = i / count
        phase += 2 * math.pi * from_hz * (to_hz / from_hz) ** at / RATE_HZ
        shape = level * math.sin(math.pi * at**0.6) ** 1.5
        sound.append(shape * sum(loud * math.sin(number * phase) for number, loud in harmonics))
    return sound


def reed(hz: float, seconds: float, level: float = 1.0) -> Samples:
    """Return a soft reed: odd harmonics with a slow attack and release."""
    count = round(seconds * RATE_HZ)
    step = 2 * math.pi * hz / RATE_HZ
    return [
        level
        * math.sin(math.pi * i / count) ** 0.5
        * (math.sin(step * i) + 0.4 * math.sin(3 * step * i) + 0.2 * math.sin(5 * step * i))
        for i in range(count)
    ]


def mix(onto: Samples, sounds: Iterable[tuple[float, Samples]]) -> Samples:
    """Add each of *sounds* to *onto* at its time in seconds. Make it longer if necessary, and return it."""
    for at_s, sound in sounds:
        start = round(at_s * RATE_HZ)
        onto.extend([0.0] * (start + len(sound) - len(onto)))
        for i, value in enumerate(sound, start):
            onto[i] += value
    return onto


def with_echoes(sound: Samples, level: float = 0.25) -> Samples:
    """Return the sound with the first echoes of a small room."""
    echoes = ((0.019, 0.7), (0.031, 0.5), (0.043, 0.4), (0.067, 0.25), (0.089, 0.15))
    return mix(list(sound), [(at_s, [value * loud * level for value in sound]) for at_s, loud in echoes])
