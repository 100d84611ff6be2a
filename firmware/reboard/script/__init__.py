"""Accessories for scripts, similar to gpiozero's devices: no event loop, no config file, callbacks for events.

Each accessory runs a `Table` with that one accessory, so a script runs the same code as the daemon.
"""

from reboard.script.accessories import BankerUnit, QuestionBlock, WormApple

__all__ = ["BankerUnit", "QuestionBlock", "WormApple"]
