"""The services on a real systemd: what they may do, and what becomes of them in bad times."""

from __future__ import annotations

import json

from reboard_sim.devices.readers.virtual_reader import DECK
from tests.vm.machine.door import snapshot
from tests.vm.machine.machine import Machine
from tests.vm.machine.table import CONFIG, SHIPPED, UNIT, Table

PAGE = "http://127.0.0.1:8080/api/table"
ASK = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())"

FILL_THE_DISK = """
fallocate --length $(df --output=avail / | tail -n 1)K /var/tmp/filler
exec setpriv --reuid=nobody --clear-groups head --bytes=100M /dev/zero > /var/tmp/filler-to-the-brim
"""
"""All that is free but for what root alone may use."""


def test_the_page_shows_the_table(table: Table) -> None:
    asked = table.machine.inside.must("python3", "-c", ASK, PAGE)
    assert json.loads(asked)["edition"] == "world"


def test_the_table_has_no_network(table: Table) -> None:
    pid = table.status["MainPID"]
    links = table.machine.inside.must("nsenter", "--net", "--target", pid, "ip", "-brief", "link")
    assert [link.split()[0] for link in links.splitlines()] == ["lo"]


def test_the_table_says_in_words_that_it_plays(table: Table) -> None:
    assert table.status["StatusText"] == "The table plays."


def test_asked_to_stop_the_table_comes_to_a_clean_end(table: Table) -> None:
    table.stop()
    assert (table.status["Result"], table.status["ActiveState"]) == ("success", "inactive")


def test_a_reader_that_is_pulled_out_is_told_and_comes_back(table: Table) -> None:
    machine = table.machine
    machine.plug_usb_in()
    table.play_with(left='{ reader = "rdm6300", port = "/dev/reboard-usb" }')
    door = table.door()
    machine.usb.put(DECK[0])
    door.until("card.inserted", slot="left")
    machine.pull_usb_out()
    fault = door.until("fault")
    assert "left" in fault["part"]
    machine.plug_usb_in()
    door.until("recovered", part=fault["part"])
    machine.usb.take()
    machine.usb.put(DECK[1])
    assert door.until("card.inserted", number=2)["slot"] == "left"


def test_on_a_full_disk_nothing_is_paid_and_the_rest_plays(table: Table) -> None:
    door, inside = table.door(), table.machine.inside
    table.insert("left", 1)
    door.until("card.inserted")
    inside.run("sh", "-c", FILL_THE_DISK)
    table.type_keys("1", "M")
    assert door.until("refused")["why"] == "disk"
    table.press_block()
    door.until("block.outcome")
    inside.must("sh", "-c", "rm /var/tmp/filler*")
    table.type_keys("1", "M")
    assert door.until("transfer")["amount"] == 1_000_000


def test_with_a_bad_config_the_table_plays_on_with_the_last_good_one(table: Table) -> None:
    table.machine.inside.must("tee", CONFIG, stdin=SHIPPED.read_text().replace("button = 17", "button = 99"))
    table.start()
    assert "99" in table.status["StatusText"]
    assert snapshot(table.machine.inside)["block"]


def test_the_units_are_as_tight_as_they_promise(machine: Machine) -> None:
    for unit, most in ((UNIT, 1.0), ("reboard-page.service", 2.0)):
        told = machine.inside.must("systemd-analyze", "security", "--no-pager", unit).splitlines()[-1]
        exposure = float(told.rpartition(": ")[2].split()[0])
        assert exposure <= most, told
