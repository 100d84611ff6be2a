"""A traffic light for pedestrians: press the button, and wait for green."""

from time import sleep

from gpiozero import Button, TrafficLights

lights = TrafficLights(red=25, amber=24, green=23)
button = Button(21)

while True:
    lights.red.on()
    button.wait_for_press()
    lights.amber.on()
    sleep(1)
    lights.value = (0, 0, 1)
    sleep(5)
    lights.value = (0, 1, 0)
    sleep(2)
    lights.amber.off()
