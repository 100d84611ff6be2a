"""What is said to somebody who builds by a guide: by the programs themselves, at machines that are made up."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, cast

from installer.main import _farewell
from installer.target import Target
from reboard.board import Devices
from reboard.commands.check import check
from reboard.commands.doctor import in_words
from reboard.config import parse_config
from reboard.doctor.examination import examine
from reboard.finding import Finding
from reboard.machine import Header
from reboard.parts.keypad import LEGEND
from reboard.parts.sinks.streaming import gone
from reboard.settings.reading import parse_toml
from reboard_sim.deck import DECK
from reboard_sim.scene import Scene
from reboard_sim.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run
from tests.reboard.doctor.made_up import MadeUpMachine, good_pi_4, installed
from tests.reboard.setup.acts import A_PRESS_S, press, press_key
from tests.reboard.setup.person import Acts, Person, set_up_with

CONFIG = "/etc/reboard/table.toml"
AMPLIFIER = "ALSA device plughw:CARD=MAX98357A"
"""The sound device of the guides' configs, as pyalsaaudio is asked for it."""

NO_HANDS: Callable[[VirtualPi], object] = lambda _: None  # noqa: E731


@dataclass
class Said:
    """What was said: as words on a terminal, and the findings in them."""

    words: str
    findings: Sequence[Finding] = field(default_factory=tuple)


def zero_2_w(root: Path) -> MadeUpMachine:
    """The Pi of the guides, on which everything is as it should be."""
    pi = good_pi_4(root)
    pi.write("/proc/device-tree/model", "Raspberry Pi Zero 2 W Rev 1.0\0")
    pi.write("/etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_CODENAME=trixie\n')
    pi.write("/proc/asound/cards", " 0 [MAX98357A]: simple-card - MAX98357A\n")
    pi.write("/dev/ttyUSB1")
    pi.link("/dev/reboard-right", "ttyUSB1")
    pi.pins = Header(0, "pinctrl-bcm2835", {})
    pi.units = {"reboard.service": installed(), "reboard-page.service": installed()}
    return pi


class Deaf:
    """Devices that are as they are, but for a sound device that cannot be opened."""

    def __init__(self, devices: Devices) -> None:
        self._devices = devices

    def __getattr__(self, name: str) -> Any:
        return getattr(self._devices, name)

    def open_sink(self, _library: str | None, _device: str | None) -> DeafSink:
        return DeafSink()


class DeafSink:
    """A sound device that is not there, in the words of the one library that says why."""

    description = AMPLIFIER

    def start(self, _mixer: object, tell: Callable[[str | None], None]) -> None:
        tell(str(gone(AMPLIFIER, "No such file or directory [plughw:CARD=MAX98357A]")))

    def close(self) -> None:
        """There is nothing to close."""


def doctor_at_work(pi: MadeUpMachine, config: str, *, faults: Sequence[str] = ()) -> Said:
    """``sudo reboard doctor`` while the table plays."""
    file = _written(pi, config)

    async def main() -> Sequence[Finding]:
        table = VirtualTable(
            Scene.of_text(config, file, pi.path("/var/lib/reboard")),
            seed=1,
            door=pi.path("/var/lib/reboard/table.sock"),
        )
        await table.power_on()
        for fault in faults:
            table.misbehave(fault, True)
        await asyncio.sleep(2)
        try:
            return await in_words(examine(pi, file))
        finally:
            await table.close()

    class Clock:
        def wall_time(self) -> float:
            return 1_767_600_000.0

    pi.devices = cast(Devices, Clock())  # the table has all others
    return _heard(pi, main)


def doctor_at_rest(
    pi: MadeUpMachine,
    config: str,
    *,
    wired: str | None = None,
    hands: Callable[[VirtualPi], object] = NO_HANDS,
    is_deaf: bool = False,
) -> Said:
    """The same after ``sudo systemctl stop reboard reboard-safe``. *wired* is what is really there."""
    file = _written(pi, config)
    pi.units["reboard.service"]["ActiveState"] = "inactive"

    async def main() -> Sequence[Finding]:
        document, _ = parse_toml((wired or config).encode(), file)
        clock = asyncio.get_running_loop().time
        virtual = VirtualPi(parse_config(document, path=file), clock, rng=Random(5), sound_card=VirtualSoundCard())
        virtual.power_on()
        hands(virtual)
        pi.devices = cast(Devices, Deaf(virtual)) if is_deaf else virtual
        try:
            return await in_words(examine(pi, file))
        finally:
            virtual.close()

    return _heard(pi, main)


def checked(root: Path, config: str, *, electrical: bool) -> Said:
    """``sudo reboard check``, and with ``--electrical``."""
    words = StringIO()
    file = root / "table.toml"
    file.write_text(config, encoding="utf-8")
    with redirect_stdout(words):
        check(file, electrical=electrical)
    return Said(words.getvalue())


def installed_words(root: Path) -> Said:
    """The end of ``sudo make install``, the first time."""
    asked = argparse.Namespace(what="install", with_ledger=False)
    return Said(_farewell(asked, Target(root), boot_has_changed=True))


def _written(pi: MadeUpMachine, config: str) -> Path:
    pi.write(CONFIG, config)
    return pi.path(CONFIG)


def _heard(pi: MadeUpMachine, main: Callable[[], Any]) -> Said:
    words = StringIO()
    with redirect_stdout(words):
        findings: Sequence[Finding] = run(main)
    return Said(words.getvalue().replace(str(pi.root), ""), findings)


def set_up(pi: MadeUpMachine, config: str, acts: Acts) -> Said:
    """``sudo reboard setup``, with somebody who *acts*, at parts that are wired as *config* says."""
    pi.units["reboard.service"] = installed(ActiveState="inactive")
    pi.ports = {"/dev/ttyUSB0": "CP2102 USB to UART Bridge", "/dev/ttyUSB1": "CP2102 USB to UART Bridge"}
    for place in ("1", "2"):
        facts = f"ID_PATH=platform-3f980000.usb-usb-0:1.{place}:1.0"
        pi.commands[f"udevadm info --query=property --name=/dev/ttyUSB{int(place) - 1}"] = facts
    wired = config.replace("/dev/reboard-left", "/dev/ttyUSB0").replace("/dev/reboard-right", "/dev/ttyUSB1")
    said = set_up_with(pi, wired, acts, before=config).said
    return Said(said.replace(f"{pi.root}/table.toml", CONFIG).replace(str(pi.root), ""))


async def tries_the_block(person: Person) -> None:
    """Try button, lamp and speaker, and have nothing written."""
    await person.answers("Which one is played?")
    await _tries_button_and_lamp(person)
    await person.answers("Is there a worm apple?", "n")
    await person.answers("Is there a banker unit", "n")
    await _hears_the_speaker(person)
    await person.answers("Write this to", "q")
    await person.sees("Nothing was written.")


async def tries_the_apple(person: Person) -> None:
    """Try lever, motor and speaker, and have nothing written."""
    await person.answers("Which one is played?")
    await person.answers("Is there a question block?", "n")
    await _tries_lever_and_motor(person)
    await person.answers("Is there a banker unit", "n")
    await _hears_the_speaker(person)
    await person.answers("Write this to", "q")
    await person.sees("Nothing was written.")


async def tries_the_unit_with_readers(person: Person) -> None:
    """Find both readers, try display, keypad and speaker, and have it written."""
    await _comes_to_the_slots(person)
    await _finds_both_readers(person)
    await _tries_display_and_keypad(person)


async def tries_all_three(person: Person) -> None:
    """Try every part of all three, and have it written."""
    await person.answers("Which one is played?")
    await _tries_button_and_lamp(person)
    await _tries_lever_and_motor(person)
    await person.answers("Is there a banker unit")
    await _finds_both_readers(person)
    await _tries_display_and_keypad(person)


def finds_readers_alone(*before: str) -> Acts:
    """Leave what is asked *before* the slots as it is, find both readers, and have it written without more."""

    async def acts(person: Person) -> None:
        for question in before:
            await person.answers(question, "s")
        await _finds_both_readers(person)
        for question in ("Is there a display", "Is there a keypad?", "Is there a speaker?"):
            await person.answers(question, "s")
        await person.answers("Write this to", "y")
        await person.sees("is written.")

    return acts


async def turns_the_motor_alone(person: Person) -> None:
    """Leave everything as it is up to the lever, turn the motor, and end it there."""
    await person.answers("Which one is played?", "s")
    await person.answers("Is there a question block?", "s")
    await person.answers("Does the block have a lamp?", "s")
    await _tries_lever_and_motor(person)
    await person.answers("Is there a banker unit", "q")


async def tries_the_unit_with_switches(person: Person) -> None:
    """Try the six switches, display, keypad and speaker, and have it written."""
    await _comes_to_the_slots(person)
    for side in ("left", "right"):
        await person.answers(f"Is there a {side} slot")
        await person.answers("What is in it?")
        for weight in (1, 2, 4):
            await person.answers(f"Which pin is the switch that counts {weight} on?")
            await person.sees("Press it now.")
            reader = person.pi.reader(side)
            reader.put(next(card for card in DECK if reader.says(card) == f"bumps-{weight}"))
            await asyncio.sleep(A_PRESS_S)
            reader.take()
    for card in range(6):
        await person.sees(f"Push card {card + 1}")
        reader = person.pi.reader("left")
        reader.take()
        reader.put(DECK[card])
        await asyncio.sleep(1)
        person.types("")
    await _tries_display_and_keypad(person)


async def _tries_button_and_lamp(person: Person) -> None:
    await person.answers("Is there a question block?")
    await person.answers("Which pin is its button on?")
    await person.sees("Press the button now.")
    await press(person.pi.button)
    await person.answers("Does the block have a lamp?")
    await person.answers("Which pin is the lamp on?")
    await person.answers("Did it blink 3 times?", "y")


async def _tries_lever_and_motor(person: Person) -> None:
    await person.answers("Is there a worm apple?")
    await person.answers("Which pin is its lever on?")
    await person.sees("Pull the lever all the way back")
    await press(person.pi.lever)
    await person.answers("Does the apple have a motor?")
    await person.answers("Which pin is the motor on?")
    await person.answers("Are all fingers away from it?", "y")
    await person.answers("Did it turn, and stop?", "y")


async def _finds_both_readers(person: Person) -> None:
    for side in ("left", "right"):
        await person.answers(f"Is there a {side} slot")
        await person.answers("What is in it?")
        await person.sees(f"Hold a card to the {side} slot now.")
        person.pi.reader(side).put(DECK[0])
        await person.sees("was read by a reader of the kind rdm6300")
        person.pi.reader(side).take()


async def _comes_to_the_slots(person: Person) -> None:
    await person.answers("Which one is played?")
    await person.answers("Is there a question block?", "n")
    await person.answers("Is there a worm apple?", "n")
    await person.answers("Is there a banker unit")


async def _tries_display_and_keypad(person: Person) -> None:
    await person.answers("Is there a display")
    await person.answers('Does it show "Can you read this?"', "y")
    await person.answers("Is there a keypad?")
    await person.answers("Is it wired so?", "y")
    await person.sees("Press every key once")
    for row in LEGEND:
        for key in row:
            await press_key(person, key)
    await _hears_the_speaker(person)
    await person.answers("Write this to", "y")
    await person.sees("is written.")


async def _hears_the_speaker(person: Person) -> None:
    await person.answers("Is there a speaker?")
    await person.answers("played a sound. Did you hear it?", "y")
