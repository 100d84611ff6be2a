"""A question block that prints every outcome. Button on GPIO 17, lamp on GPIO 27."""

from signal import pause

from reboard import QuestionBlock

with QuestionBlock(button=17, lamp=27) as block:
    block.when_outcome = lambda event: print(event["outcome"], event["coins"] or "")
    print("Press the block; Ctrl-C ends.")
    pause()
