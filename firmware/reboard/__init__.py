"""New electronics for old board games.

Scripts import the class of an accessory from this package: `QuestionBlock`, `WormApple`, `BankerUnit`, `SpeedDie`, or
that of a plug-in, such as ``ScoringBuzzer`` for the title ``Scoring buzzer``.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from reboard.version import __version__

if TYPE_CHECKING:  # a class that is made at run time has no types of its own
    from reboard.script import ScriptedAccessory as BankerUnit
    from reboard.script import ScriptedAccessory as QuestionBlock
    from reboard.script import ScriptedAccessory as SpeedDie
    from reboard.script import ScriptedAccessory as WormApple

__all__ = ["BankerUnit", "QuestionBlock", "SpeedDie", "WormApple", "__version__"]


def __getattr__(name: str) -> Any:
    # imported at the first use: the daemon, the page and `reboard check` start faster without them
    if name[0].isupper():
        try:
            return import_module("reboard.script").class_of(name)
        except LookupError as error:
            # an import statement replaces the text of an AttributeError
            is_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
            raise (ImportError if is_import else AttributeError)(str(error)) from None
    raise AttributeError(f"module 'reboard' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *import_module("reboard.script").class_names()]
