"""The check of the bridge to an MQTT broker.

``mqtt.broker``: whether the broker answers.
``mqtt.login``: whether the broker accepts the table's user and password.
``mqtt.certificate``: with TLS: the broker's certificate is not trusted.
``mqtt.clock``: with TLS: the broker's certificate is not valid on this day.
``mqtt.rights``: whether the broker lets the table publish.
``mqtt.receiver``: whether a receiver listens.
``mqtt.plain``: the password crosses the network without TLS.
``mqtt.service``: whether the bridge runs, and may read its files.
``mqtt.library``: whether the bridge has its library.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from pathlib import Path

from reboard.config.mqtt import SYSTEM, MqttConfig
from reboard.doctor.doctor_context import MQTT, DoctorContext
from reboard.errors import MissingExtraError
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.mqtt.broker_errors import FIRST_FAILURE, NO_SUBSCRIBER, BrokerError, Cause, reason
from reboard.mqtt.broker_login import password, tls
from reboard.mqtt.topics import TopicLevel, topic

FINDINGS = {
    Cause.UNREACHABLE: "mqtt.broker",
    Cause.CERTIFICATE: "mqtt.certificate",
    Cause.CLOCK: "mqtt.clock",
    Cause.LOGIN: "mqtt.login",
    Cause.OTHER: "mqtt.broker",
}
"""The names of the findings, keyed by cause."""

BRIDGE = "reboard-mqtt"
"""The user of the bridge, and its group."""

LOG = "`journalctl -u reboard-mqtt -n 30` shows the latest messages of the bridge."


async def check_mqtt(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether the broker is there, accepts the login and lets the table publish, and whether the bridge runs."""
    config = context.config.mqtt if context.config else None
    if config is None:
        return
    for finding in _service(context, config):
        yield finding
    if config.password_file and not context.host.may_read(config.password_file) and config.password_file.exists():
        what = f"{context.host.user} has no permission to read {config.password_file}, so the broker was not checked."
        yield note("mqtt.broker", what, "`sudo reboard doctor` checks the broker.")
        return
    try:
        from reboard.mqtt.probe import probe
    except ModuleNotFoundError as missing:
        problem = MissingExtraError("the bridge", "mqtt", missing, package="python3-paho-mqtt")
        yield wrong("mqtt.library", sentence(problem))
        return
    try:
        codes = await probe(config)
    except BrokerError as error:
        after = f"After a change in {context.config_file}, run `sudo systemctl restart reboard-mqtt`."
        yield wrong(FINDINGS[error.cause], sentence(error), after)
        return
    yield fine("mqtt.broker", f"The broker at {config.address} accepts the table {config.table_name}.")
    for finding in rights(config, codes):
        yield finding
    for finding in plain_password(config):
        yield finding


def rights(config: MqttConfig, codes: Mapping[TopicLevel, int]) -> Iterator[Finding]:
    """Yield the findings on the reason *codes* with which the broker answered to a `probe`."""
    refused = {topic(config.table_name, kind): code for kind, code in codes.items() if code >= FIRST_FAILURE}
    if refused:
        name, code = next(iter(refused.items()))
        yield wrong(
            "mqtt.rights",
            f"The broker does not let the table publish {name} ({reason(code)}).",
            f"Correct the broker's access list: `reboard mqtt acl {config.table_name}` prints one for mosquitto. The "
            "name of the table must be its user name at the broker.",
        )
        return
    yield fine("mqtt.rights", f"The table may publish as {config.table_name}.")
    if codes[TopicLevel.TRANSFER] == NO_SUBSCRIBER:
        yield note(
            "mqtt.receiver",
            "No program receives the table's transfers at the moment.",
            "`reboard hall` does. Until then, the table keeps them.",
        )


def plain_password(config: MqttConfig) -> Iterator[Finding]:
    """Yield a hint if the password crosses the network without TLS."""
    if config.user and not config.ca and config.address.host not in ("localhost", "127.0.0.1", "::1"):
        what = f"The password of {config.user} crosses the network as plain text."
        yield note("mqtt.plain", what, "Set up TLS at the broker, and `ca` in [mqtt].")


def unusable_files(config: MqttConfig) -> Iterator[Finding]:
    """Yield a finding for each file in the section that cannot be used. One that only other users may read is fine."""
    certificate, login = partial(tls, config.ca or SYSTEM), partial(password, config.address)
    for file, read in ((config.ca, certificate), (config.password_file, login)):
        if file is None or (os.access(file, os.F_OK) and not os.access(file, os.R_OK)):
            continue
        try:
            read()
        except BrokerError as error:
            yield wrong(FINDINGS[error.cause], sentence(error))


def _service(context: DoctorContext, config: MqttConfig) -> Iterator[Finding]:
    unit = context.units.get(MQTT) if context.units else None
    if unit is None:
        return
    files = [Path(file) for file in (config.password_file, config.ca) if file and file != SYSTEM]
    unreadable = [file for file in files if not context.host.may_be_read_by(BRIDGE, file)]
    for file in unreadable:
        yield wrong(
            "mqtt.service",
            f"{BRIDGE}, the user of the bridge, has no permission to read {file}.",
            f"Run `sudo chgrp {BRIDGE} {file}` and `sudo chmod 640 {file}`.",
        )
    if unreadable:
        return
    if not unit.is_enabled:
        enable = "`sudo systemctl enable --now reboard-mqtt` starts it, now and with the Pi."
        yield note("mqtt.service", "The bridge to the broker is not switched on.", enable)
    elif not unit.is_active:
        yield wrong("mqtt.service", f"The bridge to the broker is not running ({unit.active}, {unit.result}).", LOG)
    else:
        yield fine("mqtt.service", f"The bridge is running: {unit.status or 'it has no message'}.")
