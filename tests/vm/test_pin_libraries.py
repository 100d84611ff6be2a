"""Other pin libraries, as systemd/pins/ describes them. Those that bypass the kernel need a Pi."""

from __future__ import annotations

import pytest

from reboard.devices.gpio.chip import LGPIO
from tests.vm.machine.table import Events, Table
from tests.vm.making.pin_libraries import pin_libraries

FOLDER = "/usr/lib/python3/dist-packages"
SETTINGS = "/usr/share/doc/reboard/examples/pins"


@pytest.mark.parametrize("library", ["lgpio", "rpigpio"])
def test_a_table_plays_with(table: Table, library: str) -> None:
    table.inside.copy_in(pin_libraries(), FOLDER)
    for unit in ("reboard", "reboard-motor", "reboard-safe"):
        place = f"/etc/systemd/system/{unit}.service.d/pins.conf"
        table.inside.must("install", "-D", "-m", "644", f"{SETTINGS}/{library}.conf", place)
    table.inside.must("systemctl", "daemon-reload")
    table.start()
    assert f"consumer={LGPIO}\n" in table.inside.must("gpioinfo")
    events = Events(table.inside)
    table.press_block()
    events.until("block.outcome")
    events.until("lamp", on=False)
    assert [edge.level for edge in table.header.edges(table.lamp)][-2:] == [True, False]
    released = table.start_apple(events)
    events.until("apple.stopped")
    assert any(edge.level for edge in table.header.edges(table.motor, since=released))
    assert not table.header.level(table.motor)
