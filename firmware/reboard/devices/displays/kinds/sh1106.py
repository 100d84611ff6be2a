"""The driver of an OLED with the controller SH1106, as on most panels of 1.3 inches.

It is an SSD1306 with 132 columns, of which the glass shows those from the third on, and with a supply that needs no
command.
"""

from __future__ import annotations

from reboard.devices.displays.kinds.ssd1306 import Ssd1306, Ssd1306Kind


class Sh1106(Ssd1306):
    """An SH1106, and a copy of the lines in its memory."""

    settings = (
        *(0xD5, 0x80),  # clock
        *(0xA8, 0x3F),  # 64 rows
        *(0xD3, 0x00),  # no offset
        0x40,  # the first row of the memory is at the top
        *(0xA1, 0xC8, 0xDA, 0x12),  # the wiring of the glass: upright with the pins at the top
        *(0x81, 0x80),  # brightness
        *(0xD9, 0x22, 0xDB, 0x35),  # times and voltages (data sheet, after a reset)
        *(0xA4, 0xA6),  # the memory is shown, not inverted
    )
    first_column = 2


class Sh1106Kind(Ssd1306Kind):
    """The kind of OLEDs with an SH1106. Setup tries it before an SSD1306, which its commands leave dark."""

    name = "sh1106"
    title = "SH1106"
    order = 20
    controller = Sh1106


KIND = Sh1106Kind()
