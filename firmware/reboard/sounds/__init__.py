"""Our own sounds, composed by code and kept as WAV files, and the owner's in their place."""

from reboard.sounds.sound_set import NAMES, Sound, SoundSet

__all__ = ["NAMES", "Sound", "SoundSet"]
