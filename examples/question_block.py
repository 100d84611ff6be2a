"""A question block that prints what every press brings. Button on GPIO 17, lamp on GPIO 27."""

from signal import pause

from reboard import QuestionBlock

with QuestionBlock(button=17, lamp=27) as block:
    block.when_outcome = lambda told: print(told["outcome"], told["coins"] or "")
    print("Press the block; Ctrl-C ends.")
    pause()
