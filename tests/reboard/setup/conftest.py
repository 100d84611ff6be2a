from __future__ import annotations

from pathlib import Path

import pytest

from tests.reboard.doctor.made_up import MadeUpMachine, good_pi_4


@pytest.fixture
def pi(tmp_path: Path) -> MadeUpMachine:
    """A Pi 4 with an adapter for a reader on USB, and one reader on the header."""
    pi = good_pi_4(tmp_path)
    pi.ports = {"/dev/ttyUSB0": "CP2102 USB to UART Bridge", "/dev/ttyAMA0": "the header's serial port"}
    pi.commands["udevadm info --query=property --name=/dev/ttyUSB0"] = "ID_PATH=platform-xhci-usb-0:1.2:1.0"
    return pi
