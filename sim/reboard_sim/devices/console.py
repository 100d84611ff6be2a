"""The virtual console of a program: the text that it prints, and the lines that the user enters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening
from reboard_sim.forms import Form, one_act

MOST_KEPT = 4000
"""The number of characters that the console keeps."""


class VirtualConsole(VirtualDevice):
    """A console. A program calls `write`, and sets ``asks`` while it waits for a line.

    The functions in ``on_line`` get each line that the user enters.
    """

    def __init__(self) -> None:
        self.text = ""
        self.asks = False
        self.on_line: list[Callable[[str], None]] = []

    def write(self, text: str) -> None:
        """Show *text* after the text before it. The oldest text is forgotten."""
        self.text = (self.text + text)[-MOST_KEPT:]

    def enter(self, line: str) -> None:
        """Enter *line*, which the console shows, as a terminal does."""
        self.write(f"{line}\n")
        for listener in tuple(self.on_line):
            listener(line)

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"enter": self.enter}

    def state(self) -> object:
        return {"text": self.text, "asks": self.asks}

    def shows(self) -> Collection[str]:
        """Return each line."""
        return [line.strip() for line in self.text.splitlines()]

    def power_on(self) -> None:
        self.text, self.asks = "", False


FORMS = (Form("enter_text", "enter DEVICE TEXT", "enter a line of text, which the program reads", one_act("enter")),)
TERMINALS = ()


def opened(opening: Opening, board: VirtualBoard) -> VirtualConsole:
    """Return a console."""
    return VirtualConsole()
