"""``reboard safe-mode``: what is left of a table that cannot play. Nothing moves, and lamp and sound ask for help."""

from __future__ import annotations

import asyncio
import logging
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from gpiozero import DigitalOutputDevice

from reboard.config import SpeakerConfig, TableConfig
from reboard.either import either
from reboard.errors import ConfigError, PartError
from reboard.last_good import choose_config
from reboard.motor_pins import motor_pins
from reboard.parts.absent import AbsentLamp
from reboard.parts.lamp import Lamp
from reboard.parts.sinks.choose import open_sink
from reboard.parts.speaker import Speaker
from reboard.parts.wire import naming
from reboard.raspberry_pi import RaspberryPi
from reboard.service import daemon
from reboard.sounds import SoundSet

log = logging.getLogger(__name__)

FLASH_S = 0.1
FLASHES = 3
DARK_S = 1.4
"""Three flashes and a pause, again and again: no outcome of the block looks so."""

ALARM = "refused"
ALARM_TONES = 3
ALARMS = 3
BETWEEN_ALARMS_S = 300.0
"""Whoever is at home hears one of them; a box that sounds all night would be unplugged and forgotten."""


async def safe_mode(config_file: Path) -> None:
    """Hold the motor still, flash the lamp and sound an alarm, as far as each can be had, until a signal."""
    log.error("the table cannot play. `journalctl -u reboard` tells why; `sudo systemctl restart reboard` tries again")
    await daemon(partial(_call_for_help, config_file))


async def _call_for_help(config_file: Path, _: asyncio.Event) -> None:
    config = _config(config_file)
    with ExitStack() as parts:
        lamp: Lamp | AbsentLamp = AbsentLamp()
        try:
            board = parts.enter_context(closing(RaspberryPi()))
            for pin in motor_pins(config_file):
                with naming("motor", pin):
                    parts.enter_context(DigitalOutputDevice(pin, initial_value=False, pin_factory=board.pins))
            if config and config.block and config.block.lamp is not None:
                lamp = parts.enter_context(closing(Lamp(config.block.lamp, pins=board.pins, name="block's lamp")))
        except PartError as problem:
            log.warning("%s", problem)
        speaker = parts.enter_context(closing(_speaker((config and config.speaker) or SpeakerConfig())))
        await either(_flash(lamp), _sound(speaker))


def _config(config_file: Path) -> TableConfig | None:
    try:
        return choose_config(config_file).config
    except ConfigError as problem:
        log.warning("%s", problem)
        return None


def _speaker(config: SpeakerConfig) -> Speaker:
    return Speaker(SoundSet.built_in(), open_sink(config.library, config.device), volume=config.volume)


async def _flash(lamp: Lamp | AbsentLamp) -> None:
    while True:
        for _ in range(FLASHES):
            lamp.on()
            await asyncio.sleep(FLASH_S)
            lamp.off()
            await asyncio.sleep(FLASH_S)
        await asyncio.sleep(DARK_S)


async def _sound(speaker: Speaker) -> None:
    for _ in range(ALARMS):
        for _ in range(ALARM_TONES):
            await speaker.played(ALARM)
        await asyncio.sleep(BETWEEN_ALARMS_S)
    await asyncio.Event().wait()
