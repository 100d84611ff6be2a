"""``reboard safe-mode``: keep the motors off, and signal with the lamp and a sound that the table failed."""

from __future__ import annotations

import asyncio
import logging
from argparse import Namespace
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

from gpiozero import DigitalOutputDevice

from reboard.aiotools import first_of
from reboard.devices.audio.libraries import open_sink
from reboard.devices.gpio.gpio_pin import named_pin_errors
from reboard.devices.lamp import LAMP, AbsentLamp, Lamp
from reboard.devices.speaker import Speaker, SpeakerConfig
from reboard.errors import ConfigError, DeviceError
from reboard.events import ignore_event
from reboard.raspberry_pi import RaspberryPi
from reboard.service.daemon import daemon
from reboard.service.fallback_config import choose_config
from reboard.service.motor_off import motor_pins
from reboard.sounds import SoundSet
from reboard.table_config import TableConfig

log = logging.getLogger(__name__)

FLASH_S = 0.1
FLASHES = 3
DARK_S = 1.4
"""The pause after three flashes, in seconds. A running table never shows this pattern."""

ALARM = "refused"
ALARM_TONES = 3
ALARMS = 3
BETWEEN_ALARMS_S = 300.0
"""The time between two alarms, in seconds. After `ALARMS` alarms, the speaker stays silent, even overnight."""


async def safe_mode(config_file: Path) -> None:
    """Keep every motor off and flash the first working lamp until a signal arrives. Play `ALARMS` alarms."""
    log.error(
        "the table cannot start. `journalctl -u reboard` shows the cause; `sudo systemctl restart reboard` tries again"
    )
    await daemon(partial(_call_for_help, config_file))


async def _call_for_help(config_file: Path, _: asyncio.Event) -> None:
    config = _config(config_file)
    async with AsyncExitStack() as devices:
        lamp: Lamp | AbsentLamp = AbsentLamp()
        with _logged_errors():
            board = devices.enter_context(closing(RaspberryPi()))
            for pin in motor_pins(config_file):
                with _logged_errors(), named_pin_errors("motor", pin):
                    devices.enter_context(DigitalOutputDevice(pin, initial_value=False, pin_factory=board.pins))
            for device in config.devices(LAMP.name) if config else ():
                with _logged_errors():
                    lamp = await devices.enter_async_context(LAMP.open(device, board, ignore_event))
                    break
        speaker = devices.enter_context(closing(_speaker((config and config.speaker) or SpeakerConfig())))
        await first_of(_flash(lamp), _sound(speaker))


@contextmanager
def _logged_errors() -> Iterator[None]:
    try:
        yield
    except DeviceError as problem:
        log.warning("%s", problem)


def _config(config_file: Path) -> TableConfig | None:
    try:
        return choose_config(config_file).config
    except ConfigError as problem:
        log.warning("%s", problem)
        return None


def _speaker(config: SpeakerConfig) -> Speaker:
    return Speaker(
        SoundSet.built_in(),
        open_sink(config.library, config.device, keep_awake=config.keep_awake),
        volume=config.volume,
    )


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


def main(args: Namespace) -> None:
    """Run safe mode until a signal stops it."""
    asyncio.run(safe_mode(args.config))
