"""Accessories for scripts, which are like gpiozero's devices: no event loop, no config file, callbacks for events.

Each is a `Table` with one accessory, so a script runs the same code as the daemon.
"""

from reboard.script.accessories import BankerUnit, QuestionBlock, WormApple

__all__ = ["BankerUnit", "QuestionBlock", "WormApple"]
