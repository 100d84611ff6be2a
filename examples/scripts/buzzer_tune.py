"""A doorbell: press the button, and the buzzer plays a tune."""

from time import sleep

from gpiozero import Button, TonalBuzzer

# each note with its length in beats
TUNE = [("G4", 1), ("E4", 1), ("C4", 1), ("D4", 1), ("G4", 2), (None, 1), ("C4", 3)]
BEAT = 0.3

buzzer = TonalBuzzer(18)
button = Button(21)

while True:
    button.wait_for_press()
    for note, beats in TUNE:
        if note:
            buzzer.play(note)
        else:
            buzzer.stop()
        sleep(BEAT * beats)
    buzzer.stop()
