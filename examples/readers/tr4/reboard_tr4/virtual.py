"""A virtual TR-4, for the simulator."""

from reboard_sim.devices.readers.em4100 import VirtualRepeatingReader

from .kind import FRAME, KIND


class VirtualTr4(VirtualRepeatingReader):
    """A TR-4 on a serial line."""

    baud_rate = KIND.baud_rate
    period_s = KIND.period_s
    format = FRAME
    frame_end = b"\x03"
