"""Who builds what by which guide: the configs, and everything that is said to them on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hardware.making.guides import FOLDER
from reboard_sim.deck import DECK
from tests.hardware.guides.scenes import (
    CONFIG,
    Said,
    checked,
    doctor_at_rest,
    doctor_at_work,
    finds_readers_alone,
    installed_words,
    set_up,
    tries_all_three,
    tries_the_apple,
    tries_the_block,
    tries_the_unit_with_readers,
    tries_the_unit_with_switches,
    turns_the_motor_alone,
    zero_2_w,
)
from tests.reboard.doctor.made_up import MadeUpMachine, installed
from tests.reboard.setup.person import Acts


class Variant(NamedTuple):
    """One thing that a guide builds: its config and drawing, and each time that somebody tries it with
    ``reboard setup``."""

    guide: str
    config: str
    drawing: str
    tries: Sequence[Acts]

    @property
    def text(self) -> str:
        """The config."""
        return (FOLDER / self.config).read_text(encoding="utf-8")


GAME, BLOCK, LAMP = "Which one is played?", "Is there a question block?", "Does the block have a lamp?"
APPLE, MOTOR, UNIT = "Is there a worm apple?", "Does the apple have a motor?", "Is there a banker unit"
"""What is asked before the slots."""

VARIANTS = (
    Variant("question-block", "question-block.toml", "block", [tries_the_block]),
    Variant("worm-apple", "worm-apple.toml", "apple", [tries_the_apple]),
    Variant(
        "banker-unit",
        "banker-unit.toml",
        "unit",
        [finds_readers_alone(GAME, BLOCK, APPLE, UNIT), tries_the_unit_with_readers],
    ),
    Variant("banker-unit", "banker-unit-original-cards.toml", "unit-original-cards", [tries_the_unit_with_switches]),
    Variant(
        "all-three",
        "all-three.toml",
        "all",
        [finds_readers_alone(GAME, BLOCK, LAMP, APPLE, MOTOR, UNIT), turns_the_motor_alone, tries_all_three],
    ),
)

INSTALL, CHECK, ELECTRICAL = "sudo make install", "sudo reboard check", "sudo reboard check --electrical"
DOCTOR, SETUP = "sudo reboard doctor", "sudo reboard setup"


@cache
def said(guide: str) -> Mapping[str, list[Said]]:
    """What each command can say to somebody who builds by *guide*."""
    heard: dict[str, list[Said]] = {}
    for variant in VARIANTS:
        if variant.guide == guide:
            for command, words in _said(variant):
                heard.setdefault(command, []).append(words)
    return heard


def _said(variant: Variant) -> Iterator[tuple[str, Said]]:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        yield INSTALL, installed_words(root)
        yield CHECK, checked(root, variant.text, electrical=False)
        yield ELECTRICAL, checked(root, variant.text, electrical=True)
    for scene in (*SCENES, *(UNIT_SCENES if "rdm6300" in variant.text else ())):
        with TemporaryDirectory() as folder:
            yield DOCTOR, scene(zero_2_w(Path(folder)), variant.text)
    for tries in variant.tries:
        with TemporaryDirectory() as folder:
            yield SETUP, set_up(zero_2_w(Path(folder)), variant.text, tries)


Scene = Callable[[MadeUpMachine, str], Said]


def _weak_supply(pi: MadeUpMachine, config: str) -> Said:
    pi.write("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
    pi.commands["vcgencmd get_throttled"] = "throttled=0x10000"
    return doctor_at_rest(pi, config)


def _no_card(pi: MadeUpMachine, config: str) -> Said:
    pi.write("/proc/asound/cards", "--- no soundcards ---\n")
    return doctor_at_rest(pi, config)


def _deaf(pi: MadeUpMachine, config: str) -> Said:
    return doctor_at_rest(pi, config, is_deaf=True)


def _taken(pi: MadeUpMachine, config: str) -> Said:
    pi.taken_by(GPIO17="spi0 CS1", GPIO13="spi0 CS1", GPIO4="sdmode", GPIO5="spi0 CS1")
    return doctor_at_rest(pi, config)


def _safe(pi: MadeUpMachine, config: str) -> Said:
    pi.units["reboard-safe.service"] = installed()
    return doctor_at_rest(pi, config)


def _not_enabled(pi: MadeUpMachine, config: str) -> Said:
    pi.units["reboard.service"]["UnitFileState"] = "disabled"
    return doctor_at_rest(pi, config)


def _not_strict(pi: MadeUpMachine, config: str) -> Said:
    pi.write("/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs", "Y\n")
    return doctor_at_rest(pi, config)


def _not_held(pi: MadeUpMachine, config: str) -> Said:
    pi.units["reboard-motor.service"] = installed(ActiveState="failed")
    return doctor_at_rest(pi, config)


SCENES: tuple[Scene, ...] = (
    doctor_at_work,
    doctor_at_rest,
    _weak_supply,
    _no_card,
    _deaf,
    _taken,
    _safe,
    _not_enabled,
    _not_strict,
    _not_held,
)


def _card_lies_there(pi: MadeUpMachine, config: str) -> Said:
    return doctor_at_rest(pi, config, hands=lambda virtual: virtual.reader("left").put(DECK[0]))


def _other_address(pi: MadeUpMachine, config: str) -> Said:
    return doctor_at_rest(pi, config, wired=config.replace("0x27", "0x3F"))


def _no_display(pi: MadeUpMachine, config: str) -> Said:
    return doctor_at_rest(pi, config, hands=lambda virtual: virtual.misbehave("display", True))


def _no_bus(pi: MadeUpMachine, config: str) -> Said:
    pi.remove("/dev/i2c-1")
    return doctor_at_rest(pi, config)


def _no_line(pi: MadeUpMachine, config: str) -> Said:
    pi.remove("/dev/reboard-left")
    return doctor_at_rest(pi, config, wired=config.replace("/dev/reboard-left", "/dev/ttyUSB0"))


def _other_kind(pi: MadeUpMachine, config: str) -> Said:
    wrongly = config.replace('reader = "rdm6300"', 'reader = "id12"')
    return doctor_at_rest(pi, wrongly, wired=config, hands=lambda virtual: virtual.reader("left").put(DECK[0]))


def _on_header(config: str) -> str:
    return config.replace("/dev/reboard-left", "/dev/serial0")


def _port_off(pi: MadeUpMachine, config: str) -> Said:
    return doctor_at_rest(pi, _on_header(config))


def _port_has_console(pi: MadeUpMachine, config: str) -> Said:
    pi.link("/dev/serial0", "ttyAMA0")
    pi.write("/proc/cmdline", "console=ttyAMA0,115200 console=tty1")
    return doctor_at_rest(pi, _on_header(config))


def _port_has_login(pi: MadeUpMachine, config: str) -> Said:
    pi.link("/dev/serial0", "ttyAMA0")
    pi.commands["systemctl is-active serial-getty@ttyAMA0.service"] = "active"
    return doctor_at_rest(pi, _on_header(config))


UNIT_SCENES: tuple[Scene, ...] = (
    _card_lies_there,
    _other_address,
    _no_display,
    _no_bus,
    _no_line,
    _other_kind,
    _port_off,
    _port_has_console,
    _port_has_login,
)

__all__ = ["CHECK", "CONFIG", "DOCTOR", "ELECTRICAL", "INSTALL", "SETUP", "VARIANTS", "Variant", "said"]
