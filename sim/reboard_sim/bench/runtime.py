"""What runs the table of the bench: the command ``reboard-sim``, a program of the user, or a browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reboard.languages import Texts

PARTS = "/static/runtime/"


@dataclass(frozen=True)
class Runtime:
    """What runs the table, for the texts and the parts of its page.

    *remedy* returns what the user does when the bench does not answer. Each of *parts* is a folder with a part of the
    page: ``part.html`` above the accessories, ``part.css``, and ``part.js``. If *loads_links* is true, a link to a
    setup is loaded without confirmation while the table has no players.
    """

    remedy: Callable[[Texts], str]
    parts: tuple[Path, ...] = ()
    loads_links: bool = False
    has_program: bool = False
    """Whether a program of the user opens devices."""

    @property
    def modules(self) -> list[str]:
        """The URLs of the modules of the parts."""
        return [f"{PARTS}{part.name}/part.js" for part in self.parts]

    def html(self) -> str:
        return "".join((part / "part.html").read_text("utf-8") for part in self.parts)


COMMAND = Runtime(lambda say: say("Check that reboard-sim is running, and reload this page."))
"""The command ``reboard-sim``."""
