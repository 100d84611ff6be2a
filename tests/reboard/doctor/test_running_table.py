"""While a table runs, doctor takes no device from it and asks it instead."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Mapping, Sequence
from typing import NoReturn, cast

import pytest
from gpiozero import InputDevice

from reboard.board import Devices
from reboard.commands.doctor import run_checks
from reboard.control import client
from reboard.finding import Level
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from tests.reboard.doctor.made_up import TABLE, Examined, MadeUpMachine

NO_CARDS: Mapping[str, str] = {}
SOCKET = "/var/lib/reboard/table.sock"


class Untouchable:
    """Devices that fail the test when they are opened."""

    def wall_time(self) -> float:
        return 1_767_600_000.0

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError(f"{name} was used while the table runs")


async def examined_while_running(
    pi: MadeUpMachine,
    faults: Sequence[str] = (),
    taken: Sequence[int] = (),
    cards: Mapping[str, str] = NO_CARDS,
    config: str = TABLE,
) -> Examined:
    """Examine *pi* while a table runs on it, with *faults*, with *cards* in slots, and with pins that are *taken*."""
    pi.devices = cast(Devices, Untouchable())
    pi.taken_by(GPIO17="reboard", GPIO27="lg", GPIO13="lg")
    file = pi.root / "table.toml"
    file.write_text(config)
    scene = Scene.of_text(config, file, pi.path("/var/lib/reboard"))
    table = VirtualTable(scene, seed=1, socket=pi.path(SOCKET))
    table.pi.power_on()
    others = [InputDevice(pin, pin_factory=table.pi.pins) for pin in taken]
    await table.power_on()
    for fault in faults:
        table.misbehave(fault, True)
    for slot, card in cards.items():
        table.pi[slot].put(card)
    await asyncio.sleep(3)
    try:
        return Examined([finding async for finding in run_checks(pi, file)])
    finally:
        for other in others:
            other.close()
        await table.close()


async def test_a_running_table_keeps_its_devices_and_reports_on_them(pi: MadeUpMachine) -> None:
    said = await examined_while_running(pi)
    assert said.wrong == []
    for name in ("pins.taken", "readers.left", "display.answers", "sound.device", "service.answers", "disk.ledger"):
        assert said[name].level is Level.FINE


async def test_a_fault_of_the_table_is_a_finding_of_the_device(pi: MadeUpMachine) -> None:
    said = await examined_while_running(pi, ["reader left", "display"])
    assert said.wrong == ["readers.left", "display.answers"]
    assert "the left slot: The reader on " in said["readers.left"].what
    assert "sudo systemctl stop reboard" in said["display.answers"].do
    pi.remove("/dev/reboard-left")
    said = await examined_while_running(pi, ["reader left"])
    assert "sudo reboard setup" in said["readers.left"].do


async def test_what_a_reader_has_sent_is_shown_and_the_other_program_on_its_port(pi: MadeUpMachine) -> None:
    pi.who = "root"
    pi.link("/proc/612/fd/0", "/dev/ttyUSB0")
    pi.write("/proc/612/comm", "mgetty\n")
    pi.link(f"/proc/{os.getpid()}/fd/0", "/dev/ttyAMA0")
    said = await examined_while_running(pi, ["garbled left"], cards={"bank.left": DECK[0], "bank.right": DECK[1]})
    assert said.wrong == ["readers.left"]
    assert re.search(r"[1-9]\d* bytes, 0 frames, [1-9]\d* dropped; no card", said["readers.left"].what)
    assert re.search(rf"0 dropped; last card {DECK[1]} 0 s ago\.$", said["readers.right"].what)
    said = await examined_while_running(pi)
    assert "mgetty (process 612)" in said["readers.left"].what
    assert said["readers.left"].do == "Stop mgetty."
    pi.who = "anna"
    pi.remove("/proc/612/fd/0")
    said = await examined_while_running(pi)
    assert "Only `sudo reboard doctor` sees whether another program has its port open" in said["readers.left"].what


async def test_a_card_that_two_readers_read_at_once_is_named(pi: MadeUpMachine) -> None:
    nfc = re.sub(r'reader = "rdm6300", port = "/dev/([a-zA-Z0-9-]+)"', 'reader = "rc522", chip_select = 0', TABLE)
    nfc = nfc.replace("chip_select = 0", "chip_select = 1", 1)
    said = await examined_while_running(pi, ["neighbour left"], cards={"bank.right": DECK[0]}, config=nfc)
    assert "readers.crossed" in said.wrong
    assert f"Two readers read the card {DECK[0][2:]} at once" in said["readers.crossed"].what
    said = await examined_while_running(pi, cards={"bank.left": DECK[0], "bank.right": DECK[1]}, config=nfc)
    assert "readers.crossed" not in said.wrong


async def test_a_fault_of_a_device_without_a_check_is_a_finding_of_the_service(pi: MadeUpMachine) -> None:
    said = await examined_while_running(pi, taken=[17])
    assert "the block: " in said["service.fault"].what


async def test_devices_and_ledger_of_an_accessory_that_did_not_start_are_not_fine(
    pi: MadeUpMachine,
) -> None:
    said = await examined_while_running(pi, taken=[23])
    assert said.wrong == ["service.fault"]
    for name in ("readers.left", "readers.right", "display.answers", "disk.ledger"):
        assert said[name].level is Level.NOTE
    assert said["sound.device"].level is Level.FINE


@pytest.mark.realtime
async def test_the_devices_of_a_table_that_hangs_are_not_tried(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reboard.commands.doctor.ANSWER_S", 0.2)
    monkeypatch.setattr("reboard.commands.doctor.LONGEST_CHECK_S", 5.0)
    pi.devices = cast(Devices, Untouchable())
    file = pi.root / "table.toml"
    file.write_text(TABLE)

    with socket.socket(socket.AF_UNIX) as frozen:
        frozen.bind(str(pi.path(SOCKET)))
        frozen.listen()
        said = Examined([finding async for finding in run_checks(pi, file)])
    assert said.wrong == ["service.answers"]
    for name in ("readers.left", "display.asked", "sound.device", "pins.asked"):
        assert said[name].level is Level.NOTE


async def test_a_socket_that_the_caller_may_not_open_is_a_note(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(*_: object) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(client, "_connected", forbid)
    said = await examined_while_running(pi)
    assert said["service.answers"].level is Level.NOTE
    assert "sudo reboard doctor" in said["service.answers"].do
    assert said.wrong == []
