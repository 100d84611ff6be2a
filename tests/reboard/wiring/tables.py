"""Configs to draw: short texts, and our own wiring."""

from __future__ import annotations

import tempfile
from pathlib import Path

from reboard.table_config import TableConfig, load_config

HARDWARE = Path(__file__).parents[3] / "hardware"
FIRMWARE = HARDWARE.parent / "firmware" / "reboard"
SHIPPED = FIRMWARE / "setup" / "table.toml"

BLOCK = "[block]\nbutton = 17\nlamp = 27\n"
APPLE = "[apple]\nlever = 22\nmotor = 13\n"
LEFT = '[bank]\nleft = { reader = "rdm6300", port = "/dev/serial0" }\n'


def table(text: str) -> TableConfig:
    """The config that *text* is."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.toml"
        file.write_text(text, encoding="utf-8")
        return load_config(file)
