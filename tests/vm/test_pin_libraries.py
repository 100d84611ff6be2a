"""Another pin library, as docs/install-and-repair.md describes it. The libraries that bypass the kernel need a Pi."""

from __future__ import annotations

from tests.vm.machine.table import CHECKOUT, Events, Table

INSTALL = (
    "/opt/reboard/current/bin/python $(echo /usr/share/python-wheels/pip-*.whl)/pip install --quiet"
    " --no-index --find-links /root/wheels rpi-lgpio"
)


def test_a_table_plays_with_rpi_lgpio_under_rpi_gpios_name(table: Table) -> None:
    table.inside.sh(INSTALL)
    for unit in ("reboard", "reboard-motor", "reboard-safe"):
        place = f"/etc/systemd/system/{unit}.service.d/pins.conf"
        table.inside.must("install", "-D", "-m", "644", f"{CHECKOUT}/systemd/pins/rpigpio.conf", place)
    table.inside.must("systemctl", "daemon-reload")
    table.start()
    events = Events(table.inside)
    table.press_block()
    events.until("block.outcome")
    events.until("lamp", on=False)
    assert [edge.level for edge in table.header.edges(table.lamp)][-2:] == [True, False]
    released = table.start_apple(events)
    events.until("apple.stopped")
    assert any(edge.level for edge in table.header.edges(table.motor, since=released))
    assert not table.header.level(table.motor)
