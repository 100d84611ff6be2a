"""Another pin library, chosen as docs/install-and-repair.md says. Those that write past the kernel need a Pi."""

from __future__ import annotations

from tests.vm.machine.table import CHECKOUT, Table

INSTALL = (
    "/opt/reboard/current/bin/python $(echo /usr/share/python-wheels/pip-*.whl)/pip install --quiet"
    " --no-index --find-links /root/wheels rpi-lgpio"
)
UNITS = ("reboard", "reboard-motor", "reboard-safe")


def test_a_table_plays_through_rpi_lgpio_under_rpi_gpios_name(table: Table) -> None:
    inside, header = table.machine.inside, table.machine.header
    inside.must("sh", "-c", INSTALL)
    for unit in UNITS:
        place = f"/etc/systemd/system/{unit}.service.d/pins.conf"
        inside.must("install", "-D", "-m", "644", f"{CHECKOUT}/systemd/pins/rpigpio.conf", place)
    inside.must("systemctl", "daemon-reload")
    table.start()
    door = table.door()
    table.press_block()
    door.until("block.outcome")
    door.until("lamp", on=False)
    header.close_contact(table.apple.lever)
    door.until("apple.wound")
    released = header.open_contact(table.apple.lever)
    door.until("apple.stopped")
    assert [edge.level for edge in header.edges(table.lamp, since=0.0)][-2:] == [True, False]
    assert any(edge.level for edge in header.edges(table.motor, since=released))
    assert not header.level(table.motor)
