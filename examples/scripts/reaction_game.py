"""A reaction game for two: the first to press after the light wins."""

from random import uniform
from time import sleep, time

from gpiozero import LED, Button

led = LED(17)
left = Button(23)
right = Button(24)


def win(button: Button) -> None:
    """Name the winner. A press in the dark does not count."""
    if led.is_lit:
        led.off()
        winner = "Left" if button is left else "Right"
        print(f"{winner} wins after {time() - lit_at:.2f} s.")


left.when_pressed = win
right.when_pressed = win

while True:
    print("Wait for the light ...")
    sleep(uniform(2, 5))
    lit_at = time()
    led.on()
    sleep(5)
    led.off()
