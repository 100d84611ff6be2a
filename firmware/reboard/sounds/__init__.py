"""The built-in sounds, as WAV files, and the user's sounds that replace them."""

from reboard.sounds.sound_set import NAMES, Sound, SoundSet

__all__ = ["NAMES", "Sound", "SoundSet"]
