"""The services on a real systemd: their rights, and faults around them."""

from __future__ import annotations

import re
import time
from pathlib import Path

from reboard.config.host_pin import HostPin
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.vm.machine.machine import BOOT_WITHIN_S
from tests.vm.machine.table import CONFIG, PLAYS, SHIPPED, UNIT, Events, Table

PIN = "4711"
POWER_OFF = f"""
import http.client, json
def post(path, body, cookie=""):
    page = http.client.HTTPConnection("127.0.0.1", 8080)
    page.request("POST", path, json.dumps(body), {{"Content-Type": "application/json", "Cookie": cookie}})
    return page.getresponse()
host = post("/api/host/session", {{"pin": "{PIN}"}}).headers["Set-Cookie"].partition(";")[0]
print(post("/api/host/power", {{"do": "power_off"}}, host).status)
"""
RULE = "/usr/share/polkit-1/rules.d/50-reboard-power.rules"

FILL_THE_DISK = """
fallocate --length $(df --output=avail / | tail -n 1)K /var/tmp/filler
exec setpriv --reuid=nobody --clear-groups head --bytes=100M /dev/zero > /var/tmp/filler-to-the-brim
"""
"""Only the blocks that root alone may use stay free."""


def test_the_table_plays_without_a_network_and_the_page_shows_it(table: Table) -> None:
    assert table.status["StatusText"] == PLAYS
    assert table.page()["edition"] == "world"
    network = ("nsenter", "--net", "--target", table.status["MainPID"], "ip", "-brief", "link")
    assert [link.split()[0] for link in table.inside.must(*network).splitlines()] == ["lo"]


def test_a_stopped_table_ends_without_an_error(table: Table) -> None:
    table.stop()
    assert (table.status["Result"], table.status["ActiveState"]) == ("success", "inactive")


def test_the_table_starts_after_udev_has_set_the_permissions_of_its_devices(table: Table) -> None:
    must = table.inside.must
    must("udevadm", "control", "--stop-exec-queue")
    try:
        must("chown", "root:root", "/dev/i2c-1")
        must("udevadm", "trigger", "/dev/i2c-1")
        must("systemctl", "restart", "--no-block", UNIT)
        table.inside.sh(
            f"until systemctl show --property=SubState {UNIT} | grep -q start-pre; do sleep 0.1; done", within_s=60
        )
    finally:
        must("udevadm", "control", "--start-exec-queue")
    must("systemctl", "start", UNIT)
    assert table.status["StatusText"] == PLAYS


def test_an_unplugged_reader_is_a_fault_until_it_is_back(table: Table) -> None:
    machine = table.machine
    machine.plug_usb_in()
    table.play_with(left='{ reader = "rdm6300", port = "/dev/reboard-usb" }')
    events = Events(table.inside)
    machine.usb.put(DECK[0])
    events.until("card.inserted", slot="left")
    machine.pull_usb_out()
    fault = events.until("fault")
    assert "left" in fault["part"]
    machine.plug_usb_in()
    events.until("recovered", part=fault["part"])
    machine.usb.take()
    machine.usb.put(DECK[1])
    assert events.until("card.inserted", number=2)["slot"] == "left"


def test_on_a_full_disk_nothing_is_paid_and_the_rest_plays(table: Table) -> None:
    events = Events(table.inside)
    table.insert("left", 1)
    events.until("card.inserted")
    table.inside.run("sh", "-c", FILL_THE_DISK)
    table.type_keys("1", "M")
    assert events.until("refused")["why"] == "disk"
    table.press_block()
    events.until("block.outcome")
    table.inside.sh("rm /var/tmp/filler*")
    table.type_keys("1", "M")
    assert events.until("transfer")["amount"] == 1_000_000


def test_with_a_bad_config_the_table_plays_with_the_last_good_one(table: Table) -> None:
    table.inside.must("tee", CONFIG, stdin=SHIPPED.read_text().replace("button = 17", "button = 99"))
    table.start()
    assert "99" in table.status["StatusText"]
    assert table.snapshot()["block"]


def test_the_host_of_the_page_can_switch_the_machine_off_by_its_rule_alone(table: Table) -> None:
    inside = table.inside
    table.configure(pin=f'"{HostPin.of(PIN)}"')
    inside.must("systemctl", "restart", "reboard-page")
    inside.sh(f"mv {RULE} /root && systemctl restart polkit")
    assert inside.must("python3", "-c", POWER_OFF) == "409"
    inside.sh(f"mv /root/{Path(RULE).name} {RULE} && systemctl restart polkit")
    assert inside.must("python3", "-c", POWER_OFF) == "204"
    deadline = time.monotonic() + BOOT_WITHIN_S
    while not re.search(r"reboot: (Power down|System halted)", table.machine.console):
        assert time.monotonic() < deadline
        time.sleep(1)
