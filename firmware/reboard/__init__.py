"""New electronics for old board games.

For scripts: ``from reboard import QuestionBlock, WormApple, BankerUnit``. All else is imported from where it stands.
"""

from typing import TYPE_CHECKING

from reboard.version import __version__

if TYPE_CHECKING:
    from reboard.script import BankerUnit, QuestionBlock, WormApple

__all__ = ["BankerUnit", "QuestionBlock", "WormApple", "__version__"]


def __getattr__(name: str) -> object:
    # imported only when asked for: the daemon, the page and `reboard check` start without them
    if name in ("BankerUnit", "QuestionBlock", "WormApple"):
        from reboard import script

        return getattr(script, name)
    raise AttributeError(f"module 'reboard' has no attribute {name!r}")
