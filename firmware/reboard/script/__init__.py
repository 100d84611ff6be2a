"""Accessories for scripts, in gpiozero's manner: no event loop, no config file, a callback for what happens.

Each is a whole `Table` with one accessory: what a script plays with is what the daemon plays.
"""

from reboard.script.banker_unit import BankerUnit
from reboard.script.question_block import QuestionBlock
from reboard.script.worm_apple import WormApple

__all__ = ["BankerUnit", "QuestionBlock", "WormApple"]
