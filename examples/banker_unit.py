"""A banker unit that prints every transfer. An RDM6300 in each slot, keypad and display as in the drawing."""

from signal import pause

from reboard import BankerUnit

KEYPAD = {"rows": [23, 24, 25, 12], "columns": [5, 6, 16, 26]}

with BankerUnit("/dev/reboard-left", "/dev/reboard-right", keypad=KEYPAD, display=0x27, state="monopoly") as unit:
    unit.when_transfer = lambda event: print(
        f"{event['from']} pays {event['to']} {event['amount']:,} ({event['reason']})"
    )
    pause()
