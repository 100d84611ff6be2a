"""While the table is at work the doctor takes nothing from it, and asks it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import NoReturn, cast

import pytest
from gpiozero import InputDevice

from reboard.board import Devices
from reboard.doctor.examination import examine
from reboard.door import client
from reboard.finding import Level, fine, note
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run
from tests.reboard.doctor.made_up import TABLE, Examined, MadeUpMachine

DOOR = "/var/lib/reboard/table.sock"


class Untouchable:
    """Devices that nobody may open."""

    def wall_time(self) -> float:
        return 1_767_600_000.0

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError(f"{name} was used, and the table is at work")


def examined_at_work(pi: MadeUpMachine, faults: Sequence[str] = (), taken: Sequence[int] = ()) -> Examined:
    """What the doctor says while a table plays, some things at which are broken, or some pins somebody else's."""
    pi.devices = cast(Devices, Untouchable())
    pi.taken_by(GPIO17="reboard", GPIO27="lg", GPIO13="lg")
    file = pi.root / "table.toml"
    file.write_text(TABLE)

    async def main() -> Examined:
        scene = Scene.of_text(TABLE, file, pi.path("/var/lib/reboard"))
        table = VirtualTable(scene, seed=1, door=pi.path(DOOR))
        table.pi.power_on()
        others = [InputDevice(pin, pin_factory=table.pi.pins) for pin in taken]
        await table.power_on()
        for fault in faults:
            table.misbehave(fault, True)
        await asyncio.sleep(2)
        try:
            return Examined([finding async for finding in examine(pi, file)])
        finally:
            for other in others:
                other.close()
            await table.close()

    examination: Examined = run(main)
    return examination


def test_a_table_at_work_is_asked_for_its_parts_and_keeps_them(pi: MadeUpMachine) -> None:
    said = examined_at_work(pi)
    assert said.wrong == []
    assert said["pins.taken"] == fine("pins.taken", "The 12 pins of the config are the table's, which is at work.")
    assert said["readers.left"] == fine("readers.left", "The table at work has no trouble with its left reader.")
    assert said["display.answers"].what == "The table at work shows what it should on its display."
    assert said["sound.device"].what == "The table at work has no trouble with its sound device."
    assert (
        said["service.door"].what == "The table answers at its door; it plays Monopoly Here & Now: The World Edition."
    )
    assert said["disk.ledger"].what == "The ledger adds up."


def test_what_is_at_fault_at_the_table_is_told_in_its_own_words(pi: MadeUpMachine) -> None:
    said = examined_at_work(pi, ["reader left", "display"])
    assert said["readers.left"].what.startswith("The table at work says of the left slot: The reader on ")
    assert said.wrong == ["readers.left", "display.answers"]
    closer = "`sudo systemctl stop reboard`, then `sudo reboard doctor` looks closer."
    assert said["readers.left"].do == said["display.answers"].do == closer


def test_a_fault_of_what_cannot_be_looked_at_here_is_told_with_where_more_is(pi: MadeUpMachine) -> None:
    said = examined_at_work(pi, taken=[17])
    assert said["service.fault"].what.startswith("The table says of the block: ")
    assert said["service.fault"].do == "`journalctl -u reboard -n 30` shows its last words."


@pytest.mark.realtime
def test_a_table_that_does_not_answer_is_left_alone_as_well(pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its door is open in the kernel's eyes, and nobody comes: a table that is frozen."""
    monkeypatch.setattr("reboard.doctor.case.ASKING_S", 0.2)
    monkeypatch.setattr("reboard.doctor.examination.LONGEST_LOOK_S", 5.0)
    pi.devices = cast(Devices, Untouchable())
    file = pi.root / "table.toml"
    file.write_text(TABLE)

    async def main() -> Examined:
        return Examined([finding async for finding in examine(pi, file)])

    with socket.socket(socket.AF_UNIX) as frozen:
        frozen.bind(str(pi.path(DOOR)))
        frozen.listen()
        said = asyncio.run(main())
    assert said.wrong == ["service.door"]
    assert said["service.door"].what == "The table did not answer 'snapshot' within 0.2 s."
    assert said["readers.left"] == note(
        "readers.left", "Whether the left reader speaks cannot be told: a table may be at work with it."
    )
    assert said["display.asked"].level is said["sound.device"].level is said["pins.asked"].level is Level.NOTE


def test_a_door_that_who_looks_may_not_open_is_no_fault_of_the_table(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(*_: object) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(client, "_connected", forbid)
    said = examined_at_work(pi)
    assert said["service.door"].level is Level.NOTE
    assert said["service.door"].do == "`sudo reboard doctor` asks the table."
    assert said.wrong == []
