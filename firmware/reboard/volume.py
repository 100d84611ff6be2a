"""How loud a table is: five steps, for the keypad, the config and the door alike."""

from __future__ import annotations

GAINS = (0.0, 0.1, 0.22, 0.47, 1.0)
"""Each volume as a factor: the steps are about 6.6 dB, heard as equally far from one another."""

LOUDEST = len(GAINS) - 1
"""The last of the volumes; the first, 0, is mute."""

USUAL_VOLUME = 3
"""The volume of a table that was told nothing else."""
