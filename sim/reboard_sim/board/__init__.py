"""The virtual hardware below the drivers: pins, serial lines, input devices, an I²C bus, a disk and a sound card."""
