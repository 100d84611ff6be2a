"""The section ``[mqtt]``, the address of an MQTT broker, and the names of tables there."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Annotated

from reboard.config.kinds import Whole, file_path, flag, text
from reboard.config.pins_and_ports import Listen, is_host
from reboard.config.reading import KeyPath, Reading
from reboard.record import Record

PORT = 1883
TLS_PORT = 8883

SYSTEM = "system"
"""The value of ``ca`` for the certificate authorities of the operating system."""

LONGEST_NAME = 32
TABLE_NAME = re.compile(rf"[a-z0-9_-]{{1,{LONGEST_NAME}}}")
"""A pattern for the name of a table, which is a level of its topics and often its user name at the broker."""


class BrokerAddress(Record):
    """The address of an MQTT broker, and how to log in.

    *ca* is the path of a file with certificate authorities, `SYSTEM`, or ``None`` for a connection without TLS.
    """

    host: str
    port: int = PORT
    ca: str | None = None
    user: str | None = None
    password_file: Path | None = None

    def __str__(self) -> str:
        return str(Listen(self.host, self.port))


def usual_table_name() -> str:
    """Return the name of this machine, in the letters that a table's name may have."""
    name = re.sub("[^a-z0-9_-]", "-", socket.gethostname().partition(".")[0].lower())
    return name[:LONGEST_NAME] or "table"


def table_name(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the name of a table."""
    if not (isinstance(value, str) and TABLE_NAME.fullmatch(value)):
        allowed = f'a name of 1 to {LONGEST_NAME} letters (a to z), digits, "-" and "_", like "table-3"'
        raise reading.must_be(path, allowed, value)
    return value


def broker_host(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the address or name of a broker."""
    host = text(reading, path, value)
    if not is_host(host) and not is_host(f"[{host}]"):
        hint = ": write the port as `port`" if ":" in host else ""
        raise reading.must_be(path, 'the address or name of a broker, like "192.168.1.10"', value, hint)
    return host.strip("[]")


def certificate_file(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the path of a file with certificate authorities, or `SYSTEM`."""
    return SYSTEM if value == SYSTEM else str(file_path(reading, path, value))


def together(reading: Reading, path: KeyPath, config: MqttConfig) -> None:
    """Record a problem if *config* has a user without a password file, or the reverse, or requests without a user."""
    if (config.user is None) != (config.password_file is None):
        has, lacks = ("user", "password_file") if config.user else ("password_file", "user")
        reading.wrong((*path, has), f"mqtt.{has} needs mqtt.{lacks}: add it, or remove mqtt.{has}")
    if config.requests and config.user is None:
        why = "without a login, every device in the network could change the table"
        reading.wrong((*path, "requests"), f"mqtt.requests needs mqtt.user: {why}")


class MqttConfig(Record):
    """The section ``[mqtt]`` for the bridge to an MQTT broker."""

    broker: Annotated[str, broker_host, 'address or name of the MQTT 5 broker, such as `"192.168.1.10"`']
    port: Annotated[int | None, Whole(1, 65_535), "its port. Left out: `1883`; with `ca`, `8883`"] = None
    ca: Annotated[
        str | None,
        certificate_file,
        "for TLS: the file with the broker's certificate authority, or `\"system\"` for the operating system's. "
        "Left out: no TLS",
    ] = None
    user: Annotated[str | None, text, "the user at the broker. Needs `password_file`. Left out: no login"] = None
    password_file: Annotated[
        Path | None,
        file_path,
        "the file with the password, which the user `reboard-mqtt` can read. Left out: no login",
    ] = None
    table: Annotated[
        str | None,
        table_name,
        "the table's name there: up to 32 of a to z, 0 to 9, `-` and `_`; each table needs its own. "
        "Left out: the machine's name",
    ] = None
    discovery: Annotated[bool, flag, "`false`: Home Assistant does not find the table by itself"] = True
    share_names: Annotated[bool, flag, "`true`: the players' names leave the table"] = False
    requests: Annotated[
        bool, flag, "`true`: clients of the broker can change the table, as the host can. Needs `user`"
    ] = False

    @property
    def address(self) -> BrokerAddress:
        """The address of the broker, with the usual port if none is set."""
        port = self.port or (TLS_PORT if self.ca else PORT)
        return BrokerAddress(self.broker, port, self.ca, self.user, self.password_file)

    @property
    def table_name(self) -> str:
        """The name of the table at the broker: by default that of this machine."""
        return self.table or usual_table_name()
