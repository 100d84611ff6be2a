"""How each circuit looks: every accessory has a file of its own, and here they are asked.

What goes where is the pen's to know: those files only place things on the paper.
"""

from __future__ import annotations

from reboard.errors import ReboardError
from reboard.wiring.drawing import apple, bank, block, speaker
from reboard.wiring.drawing.look import Look


def look_of(circuit: str, kinds: set[str]) -> Look:
    """How to draw the *circuit* that has parts of these *kinds*. Raises `ReboardError` when nobody has told how."""
    for look_in in (block.look, apple.look, bank.look, speaker.look):
        if look := look_in(circuit, kinds):
            return look
    raise ReboardError(
        f'nothing says how the circuit "{circuit}" is drawn: its accessory\'s file in reboard/wiring/drawing should'
    )
