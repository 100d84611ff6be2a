"""A barrier: press the button, and the arm goes up for three seconds."""

from time import sleep

from gpiozero import AngularServo, Button

# the arm lies at 0 degrees, and stands at 90
arm = AngularServo(18, initial_angle=0)
button = Button(21)

while True:
    button.wait_for_press()
    for angle in range(0, 91, 2):
        arm.angle = angle
        sleep(0.02)
    sleep(3)
    arm.angle = 0
