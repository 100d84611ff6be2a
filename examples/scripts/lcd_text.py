"""A text display on I2C that counts visitors."""

from gpiozero import Button
from RPLCD.i2c import CharLCD

lcd = CharLCD("PCF8574", 0x27, cols=16, rows=2)
# a contact bounces: without this time, one press can count twice
button = Button(21, bounce_time=0.05)
visitors = 0

lcd.write_string("Welcome!")
while True:
    button.wait_for_press()
    visitors += 1
    # line 1 is the second one
    lcd.cursor_pos = (1, 0)
    lcd.write_string(f"Visitor {visitors}")
    button.wait_for_release()
