"""A virtual OLED with the controller SH1106."""

from __future__ import annotations

from reboard.devices.displays.kinds.sh1106 import Sh1106
from reboard_sim.devices.displays.ssd1306 import Ssd1306Chip, VirtualSsd1306


class Sh1106Chip(Ssd1306Chip):
    """An SH1106: 132 columns, pages only, and a supply that is on after a reset."""

    columns = 132
    first_column = 2
    parameters = dict.fromkeys((0x81, 0xA8, 0xAD, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB), 1)
    has_supply = True


class VirtualSh1106(VirtualSsd1306):
    """An OLED with an SH1106."""

    chip_class = Sh1106Chip
    controller = Sh1106


DISPLAY = VirtualSh1106
