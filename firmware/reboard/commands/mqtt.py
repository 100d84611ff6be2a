"""``reboard mqtt``: publish the table at an MQTT broker."""

from __future__ import annotations

import asyncio
import os
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path

from reboard.aiotools import cancelled_by_signals
from reboard.control.protocol import socket_path
from reboard.errors import ConfigError, MissingExtraError
from reboard.service.fallback_config import choose_config
from reboard.service.systemd import notify

CURSOR_NAME = "mqtt-cursor.json"
"""The name of the file that keeps which transfers the broker has."""


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add no arguments: the section ``[mqtt]`` of the config has all settings."""


def main(args: Namespace) -> None:
    """Run the bridge until SIGTERM or SIGINT.

    Raises `ConfigError` if the config has no section ``[mqtt]``, and `MissingExtraError` if the library is missing.
    """
    config = choose_config(args.config).config
    mqtt = config.mqtt
    if mqtt is None:
        raise ConfigError(
            f'{args.config}: there is no section [mqtt]. Add one with the broker\'s address: broker = "192.168.1.10"'
        )
    try:
        from reboard.mqtt.bridge import Bridge
    except ModuleNotFoundError as missing:
        raise MissingExtraError("the bridge", "mqtt", missing, package="python3-paho-mqtt") from None
    # systemd names the service's own directory
    state = Path(os.environ.get("STATE_DIRECTORY") or config.state.directory)

    async def run() -> None:
        notify("READY=1")
        with suppress(asyncio.CancelledError), cancelled_by_signals():
            await Bridge(socket_path(config.state.directory), mqtt, state / CURSOR_NAME).run()

    asyncio.run(run())
