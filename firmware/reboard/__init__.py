"""New electronics for old board games.

Scripts import `QuestionBlock`, `WormApple` and `BankerUnit` from this package.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from reboard.version import __version__

if TYPE_CHECKING:
    from reboard.script import BankerUnit, QuestionBlock, WormApple

__all__ = ["BankerUnit", "QuestionBlock", "WormApple", "__version__"]


def __getattr__(name: str) -> object:
    # imported at the first use: the daemon, the page and `reboard check` start faster without them
    if name in ("BankerUnit", "QuestionBlock", "WormApple"):
        return getattr(import_module("reboard.script"), name)
    raise AttributeError(f"module 'reboard' has no attribute {name!r}")
