"""A quicker apple: seven seconds, and a word at each turn's end. Lever on GPIO 22, motor on GPIO 13."""

from signal import pause

from reboard import WormApple

with WormApple(lever=22, motor=13, seconds=7) as apple:
    apple.when_started = lambda: print("Off they go!")
    apple.when_stopped = lambda: print("Next player.")
    pause()
