"""The compositions of the sounds: glass, marimba, wood and a voice, in and around a chord of D.

All of them are our own, and none resembles a tune of a game. A coin is one tap on a glass, so that a child can count
six of them.
"""

from __future__ import annotations

import array
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from hardware.making.synthesiser import (
    BELL,
    GLASS,
    Samples,
    hiss,
    knock,
    mix,
    note,
    reed,
    struck,
    vowel,
    with_echoes,
)
from reboard.board import RATE_HZ
from reboard.sounds.sound_set import OWN_FOLDER
from reboard.sounds.wav_file import wav_bytes

PEAK = 0.5
"""The highest sample: two sounds at the same time are not clipped."""

LOUDNESS = 0.15
"""The root mean square of the loudest twentieth of a second, unless that exceeds `PEAK`."""

FADE_S = 0.03
OPEN_A = ((780.0, 1.0, 120.0), (1250.0, 0.6, 140.0), (2700.0, 0.25, 200.0))
"""The formants of a bright *ah*."""


def coin() -> Samples:
    """A tap on glass: the block gives a coin."""
    return struck(note("F#6"), 0.075, GLASS)


def power_up() -> Samples:
    """A chord that trembles, swells and opens: the player rolls and moves again."""
    sound: Samples = []
    for i in range(12):
        pair = ("A4", "G5") if i % 2 else ("D5", "E5")
        for name in pair:
            mix(sound, [(i * 0.055, struck(note(name), 0.09, level=0.15 + 0.05 * i))])
    for name in ("D4", "A4", "D5", "F#5"):
        mix(sound, [(0.68, struck(note(name), 0.16, level=0.8))])
    return mix(sound, [(0.68, struck(note("A6"), 0.14, GLASS, 0.3))])


def laugh() -> Samples:
    """Five cheeky syllables, falling and faster each time: the player pays 5 coins."""
    rng = Random("laugh")
    sound: Samples = []
    at_s = 0.0
    for i, hz in enumerate((470.0, 430.0, 395.0, 355.0, 300.0)):
        long_s = 0.15 if i < 4 else 0.26
        mix(
            sound,
            [(at_s, hiss(0.05, 2500, rng, 0.8)), (at_s + 0.025, vowel(long_s, hz * 1.06, hz * 0.9, OPEN_A))],
        )
        at_s += 0.21 - 0.012 * i
    return sound


def game_over() -> Samples:
    """Three low chords that settle down: the player pays 10 coins."""
    sound: Samples = []
    for at_s, names in ((0.0, ("G3", "D4", "B4")), (0.5, ("A3", "C4", "E4")), (1.05, ("D3", "A3", "F4"))):
        for i, name in enumerate(names):
            mix(sound, [(at_s + 0.03 * i, struck(note(name), 0.2))])
    return sound


def key() -> Samples:
    """A tap on wood: a key of the keypad."""
    return knock(1250, 0.008, Random("key"), 0.4)


def card() -> Samples:
    """A small bell: a card is in the right way."""
    return struck(note("D6"), 0.06, BELL)


def received() -> Samples:
    """Two bars up a sixth: money comes in."""
    return mix(struck(note("A4"), 0.08), [(0.13, struck(note("F#5"), 0.09))])


def paid() -> Samples:
    """Two bars down a sixth: money goes out."""
    return mix(struck(note("F#5"), 0.06), [(0.13, struck(note("A4"), 0.09))])


def salary() -> Samples:
    """`received` with four taps on glass: the salary."""
    sound = mix(struck(note("D4"), 0.1), [(0.0, struck(note("A4"), 0.1)), (0.14, struck(note("F#5"), 0.11))])
    taps = (("B5", 0.2), ("D6", 0.29), ("B6", 0.36), ("F#6", 0.43))
    return mix(sound, [(at_s, struck(note(name), 0.06, GLASS, 0.45)) for name, at_s in taps])


def refused() -> Samples:
    """A low reed, twice: a rejection."""
    return mix(reed(185, 0.13), [(0.19, reed(165, 0.2))])


def asked() -> Samples:
    """A door bell: a player asks to pay from a phone."""
    return mix(struck(note("F#5"), 0.13, BELL), [(0.26, struck(note("D5"), 0.16, BELL))])


def undone() -> Samples:
    """A reversed bar, and a tap: a transfer is taken back."""
    backwards = struck(note("D5"), 0.05)[RATE_HZ // 5 :: -1]
    return mix(backwards, [(len(backwards) / RATE_HZ, struck(note("A4"), 0.05))])


def new_game() -> Samples:
    """A chord, rolled slowly from both ends to its middle: a new game begins."""
    sound: Samples = []
    for i, name in enumerate(("D3", "D6", "A3", "A5", "D4", "F#5", "A4")):
        mix(sound, [(0.09 * i, struck(note(name), 0.13))])
    return sound


def winner() -> Samples:
    """A rising chord on bars, with taps on glass: the game is over, and a player has won."""
    bars = mix([], [(0.11 * i, struck(note(name), 0.1)) for i, name in enumerate(("D4", "A4", "F#4", "D5"))])
    taps = (("B5", 0.5), ("F#6", 0.6), ("A6", 0.7))
    return mix(bars, [(at_s, struck(note(name), 0.05, GLASS, 0.4)) for name, at_s in taps])


def volume() -> Samples:
    """One bar at the new volume: the volume was changed."""
    return struck(note("A5"), 0.045)


def deal_tick() -> Samples:
    """A dry block of wood: an auction runs."""
    return knock(820, 0.012, Random("tick"), 0.3)


def gavel() -> Samples:
    """Two knocks on the auctioneer's block: the auction is over."""
    rng = Random("gavel")
    return with_echoes(mix(knock(240, 0.05, rng), [(0.24, knock(225, 0.065, rng))]))


def wound() -> Samples:
    """A ratchet with a rising pitch: the apple is wound."""
    rng = Random("wound")
    return mix([], [(0.055 * i, knock(600 * 1.09**i, 0.01, rng, 0.5)) for i in range(7)])


def time_up() -> Samples:
    """A kitchen timer: the apple's time is up, or the game clock's is, or that has five minutes left."""
    return mix([], [(0.085 * i, struck(note("E6"), 0.11, BELL, 0.8 if i % 2 else 1.0)) for i in range(8)])


def ready() -> Samples:
    """An open fifth, and the chord above it: the table is ready to play."""
    fifth = mix(struck(note("G4"), 0.12), [(0.0, struck(note("D5"), 0.12))])
    return mix(fifth, [(0.22, struck(note("A4"), 0.09)), (0.22, struck(note("F#5"), 0.09, level=0.7))])


def die_roll() -> Samples:
    """Dice that tumble on wood for a second: the dice roll."""
    rng = Random("dice")
    knocks = (
        (0.0, 1),
        (0.06, 0.7),
        (0.13, 0.9),
        (0.2, 0.6),
        (0.3, 0.9),
        (0.41, 0.6),
        (0.54, 0.8),
        (0.69, 0.5),
        (0.86, 0.9),
    )
    return mix([], [(at_s, knock(rng.uniform(900, 1700), 0.009, rng, level)) for at_s, level in knocks])


def die_double() -> Samples:
    """Two equal pairs of bars: a double, roll once more."""
    pair = mix(struck(note("A4"), 0.07), [(0.1, struck(note("E5"), 0.08))])
    return mix([], [(0.0, pair), (0.3, pair)])


def die_triple() -> Samples:
    """Three rising taps on glass, and the chord: three alike."""
    taps = [(0.13 * i, struck(note(name), 0.07, GLASS)) for i, name in enumerate(("D6", "F#6", "A6"))]
    return mix([], [*taps, *[(0.42, struck(note(name), 0.14, level=0.6)) for name in ("D4", "F#4", "A4", "D5")]])


def die_jail() -> Samples:
    """A barred door that falls shut: the third double in a row, go to jail."""
    rng = Random("jail")
    door = mix(knock(150, 0.06, rng), [(0.0, struck(note("D3"), 0.16, BELL, 0.7))])
    return mix([], [(0.0, door), (0.38, door)])


def moo() -> Samples:
    """A cow, of the sound box in the examples."""
    return vowel(0.9, 190, 130, ((300.0, 1.0, 90.0), (780.0, 0.4, 120.0)))


ACCESSORIES = OWN_FOLDER.parent / "accessories"
EXAMPLES = Path(__file__).parents[2] / "examples" / "accessories"
COMPOSITIONS: Mapping[Path, Sequence[Callable[[], Samples]]] = {
    OWN_FOLDER: (
        coin,
        power_up,
        laugh,
        game_over,
        key,
        card,
        received,
        paid,
        salary,
        refused,
        asked,
        undone,
        new_game,
        winner,
        volume,
        deal_tick,
        gavel,
        wound,
        time_up,
        ready,
    ),
    ACCESSORIES / "speed_die" / "sounds": (die_roll, die_double, die_triple, die_jail),
    EXAMPLES / "sound-box" / "reboard_sound_box" / "sounds": (moo,),
}
"""The pieces of each folder, which are named like their files."""


def write(into: Path | None = None) -> list[Path]:
    """Compose every sound and write it as a WAV file to its folder, or to the folder *into*."""
    files = []
    for folder, pieces in COMPOSITIONS.items():
        for piece in pieces:
            files.append((into or folder) / f"{piece.__name__}.wav")
            files[-1].write_bytes(wav_bytes(_samples(piece())))
    return files


def _samples(sound: Samples) -> bytes:
    """Return the sound as s16le at `RATE_HZ`, one channel, as loud as the others. It starts and ends at zero."""
    middle = math.fsum(sound) / len(sound)
    sound = [value - middle for value in sound]
    count = min(round(FADE_S * RATE_HZ), len(sound) // 4)
    for i in range(count):
        sound[-1 - i] *= i / count
    sound[0] = 0.0
    gain = 32767 * min(PEAK / max(map(abs, sound)), LOUDNESS / _loudest(sound))
    samples = array.array("h", (round(value * gain) for value in sound))
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()


def _loudest(sound: Samples) -> float:
    window = RATE_HZ // 20
    blocks = (sound[i : i + window] for i in range(0, len(sound), window // 2))
    return max(math.sqrt(math.fsum(value * value for value in block) / window) for block in blocks)
