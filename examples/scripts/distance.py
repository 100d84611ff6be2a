"""A parking aid: the nearer the wall, the faster the light blinks."""

from time import sleep

from gpiozero import LED, DistanceSensor

# a resistor divider brings the echo down to 3.3 V
sensor = DistanceSensor(echo=24, trigger=23, max_distance=2)
led = LED(17)

while True:
    if sensor.distance < 0.1:
        led.on()
        sleep(0.1)
    elif sensor.distance < 1:
        led.toggle()
        # a blink takes from 0.05 to 0.5 s
        sleep(sensor.distance / 2)
    else:
        led.off()
        sleep(0.1)
