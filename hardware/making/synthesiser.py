"""Instruments made of sums: struck bars, glass, wood, breath and a voice, as lists of samples between -1 and 1."""

from __future__ import annotations

import math
from collections.abc import Iterable
from random import Random

from reboard.board import RATE_HZ

Samples = list[float]
Partial = tuple[float, float, float]
"""A partial tone: its frequency as a multiple of the note's, its level, and its decay time as a part of the note's."""

BAR: tuple[Partial, ...] = ((1.0, 1.0, 1.0), (3.98, 0.22, 0.3), (9.1, 0.07, 0.12))
"""A wooden bar over a tube, struck with a soft mallet: a marimba's."""

GLASS: tuple[Partial, ...] = ((1.0, 1.0, 1.0), (2.71, 0.3, 0.35), (5.2, 0.12, 0.15))
"""A small glass, tapped."""

BELL: tuple[Partial, ...] = ((0.5, 0.25, 1.0), (1.0, 1.0, 0.8), (1.19, 0.3, 0.6), (2.0, 0.45, 0.5), (2.98, 0.2, 0.25))
"""A table bell."""

ATTACK_S = 0.0025
INAUDIBLE = 1e-3
"""A partial that has decayed to this is not computed any further."""


def note(name: str) -> float:
    """The frequency in Hz of a note such as ``A4`` or ``F#5``, A4 being 440."""
    semitone = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}[name[0]] + name.count("#")
    return float(440.0 * 2 ** (semitone / 12 + int(name[-1]) - 4))


def struck(hz: float, decay_s: float, partials: Iterable[Partial] = BAR, level: float = 1.0) -> Samples:
    """Something struck that rings at *hz* and loses two thirds of its loudness in every *decay_s*."""
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


def knock(hz: float, decay_s: float, chance: Random, noise: float = 0.6) -> Samples:
    """Wood on wood: two low modes and a short rustle of the blow itself."""
    sound = struck(hz, decay_s, ((1.0, 1.0, 1.0), (1.58, 0.6, 0.7), (2.72, 0.25, 0.4)))
    mix(sound, [(0.0, breath(decay_s * 0.6, hz * 4, chance, noise))])
    return sound


def breath(seconds: float, hz: float, chance: Random, level: float = 1.0) -> Samples:
    """Noise below about *hz*, swelling at once and dying away over *seconds*."""
    count = round(seconds * RATE_HZ)
    openness = 1 - math.exp(-2 * math.pi * hz / RATE_HZ)
    value, sound = 0.0, []
    for i in range(count):
        value += openness * (chance.uniform(-1, 1) - value)
        sound.append(level * value * min(1.0, i / 48) * (1 - i / count) ** 2)
    return sound


def sung(seconds: float, from_hz: float, to_hz: float, formants: Iterable[Partial], level: float = 1.0) -> Samples:
    """A vowel, gliding in pitch: harmonics, each as loud as the *formants* (Hz, level, width in Hz) make it."""
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


def buzz(hz: float, seconds: float, level: float = 1.0) -> Samples:
    """A soft reed: the first odd harmonics, swelling and ebbing."""
    count = round(seconds * RATE_HZ)
    step = 2 * math.pi * hz / RATE_HZ
    return [
        level
        * math.sin(math.pi * i / count) ** 0.5
        * (math.sin(step * i) + 0.4 * math.sin(3 * step * i) + 0.2 * math.sin(5 * step * i))
        for i in range(count)
    ]


def mix(onto: Samples, sounds: Iterable[tuple[float, Samples]]) -> Samples:
    """Add each of *sounds* to *onto*, beginning so many seconds in, making it longer where need be. Returns it."""
    for at_s, sound in sounds:
        start = round(at_s * RATE_HZ)
        onto.extend([0.0] * (start + len(sound) - len(onto)))
        for i, value in enumerate(sound, start):
            onto[i] += value
    return onto


def in_a_room(sound: Samples, level: float = 0.25) -> Samples:
    """The sound with the first echoes of a small wooden room around it."""
    echoes = ((0.019, 0.7), (0.031, 0.5), (0.043, 0.4), (0.067, 0.25), (0.089, 0.15))
    return mix(list(sound), [(at_s, [value * loud * level for value in sound]) for at_s, loud in echoes])
