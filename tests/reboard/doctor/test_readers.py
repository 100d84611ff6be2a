from __future__ import annotations

import pytest

from reboard.finding import Level, fine, note, wrong
from reboard_sim.deck import DECK
from tests.reboard.doctor.made_up import TABLE, MadeUpMachine, examined

LEFT = '[bank]\nleft = {{ reader = "{}", {} }}'
PN532 = LEFT.format("pn532", 'port = "/dev/ttyUSB0"')


def test_a_card_that_lies_in_a_slot_is_read(pi: MadeUpMachine) -> None:
    said = examined(pi, hands=lambda virtual: virtual.reader("left").put(DECK[0]))
    assert said["readers.left"].what == f"The left reader, RDM6300 on /dev/reboard-left, reads the card {DECK[0]}."


def test_a_reader_that_is_not_there_is_told_with_the_lines_that_are(pi: MadeUpMachine) -> None:
    pi.remove("/dev/reboard-left")
    pi.ports = {"/dev/ttyUSB0": "CP2102 USB to UART Bridge"}
    said = examined(pi, wired=TABLE.replace("/dev/reboard-left", "/dev/ttyUSB0"))
    assert said["readers.left"] == wrong(
        "readers.left",
        "The line /dev/reboard-left is not there: plug the reader in, or correct its port in the config.",
        "There are /dev/ttyUSB0 (CP2102 USB to UART Bridge): `sudo reboard setup` finds out where each reader is.",
    )


def test_two_kinds_of_reader_that_read_different_cards_are_wrong(pi: MadeUpMachine) -> None:
    right = 'reader = "rdm6300", port = "/dev/ttyAMA0"'
    said = examined(pi, TABLE.replace(right, right.replace("rdm6300", "pn532")))
    assert said["readers.mixed"].level is Level.WRONG
    assert "readers.mixed" not in examined(pi, TABLE.replace(right, right.replace("rdm6300", "id12")))


def test_a_chip_that_answers_is_told_with_its_firmware(pi: MadeUpMachine) -> None:
    assert examined(pi, PN532)["readers.left"] == fine(
        "readers.left", "The left reader, PN532 1.6 on /dev/ttyUSB0, answers."
    )


def test_a_chip_that_does_not_answer_is_wrong(pi: MadeUpMachine) -> None:
    said = examined(pi, PN532, wired=LEFT.format("rdm6300", 'port = "/dev/ttyUSB0"'))
    assert said["readers.left"].what == (
        "The PN532 on /dev/ttyUSB0 does not answer: look at its wires and that its switches are set to HSU/UART."
    )


def test_a_reader_of_another_kind_is_heard_to_make_no_sense(pi: MadeUpMachine) -> None:
    said = examined(
        pi,
        LEFT.format("id12", 'port = "/dev/ttyUSB0"'),
        wired=LEFT.format("rdm6300", 'port = "/dev/ttyUSB0"'),
        hands=lambda virtual: virtual.reader("left").put(DECK[0]),
    )
    found = said["readers.left"]
    assert found.what.startswith("The left reader, ID-12LA on /dev/ttyUSB0, says only what makes no sense: 0 frames, ")
    assert found.do.startswith("Is it a id12 at all?")


def test_a_line_that_somebody_holds_is_told_with_who(pi: MadeUpMachine) -> None:
    pi.link("/proc/612/fd/0", "/dev/ttyAMA0")
    pi.write("/proc/612/comm", "agetty\n")
    said = examined(pi, hands=lambda virtual: virtual.serial_lines.pop("/dev/ttyAMA0"))
    assert said["readers.right"].what.endswith(" agetty (process 612) has it.")


@pytest.mark.parametrize(
    ("config", "place"),
    [
        (PN532, "/dev/ttyUSB0"),
        (LEFT.format("keyboard", 'device = "/dev/input/event0"'), "/dev/input/event0"),
    ],
)
def test_a_line_that_who_looks_may_not_use_is_not_called_broken(pi: MadeUpMachine, config: str, place: str) -> None:
    pi.kept_from.add(place)
    assert examined(pi, config)["readers.left"] == note(
        "readers.left",
        f"The left reader was not tried: anna may not use {place}.",
        "`sudo reboard doctor` tries it.",
    )


def test_a_reader_that_types_is_called_by_its_makers_name(pi: MadeUpMachine) -> None:
    said = examined(pi, LEFT.format("keyboard", 'device = "/dev/input/event0"'))
    assert said["readers.left"].what == (
        "The left reader, Virtual USB reader on /dev/input/event0, is plugged in; it says nothing until a card comes."
    )


def test_switches_for_the_original_cards_are_no_readers_on_a_line(pi: MadeUpMachine) -> None:
    said = examined(pi, LEFT.format("bumps", "pins = [7, 8, 9]"))
    assert "readers.left" not in said
