"""The setup step for the bridge to an MQTT broker."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from reboard.atomic_write import write_safely
from reboard.config.kinds import Section
from reboard.config.mqtt import MqttConfig, usual_table_name
from reboard.config.reading import Reading
from reboard.doctor.mqtt_broker import BRIDGE, rights
from reboard.errors import ConfigError, MissingExtraError, ReboardError
from reboard.finding import Level, sentence
from reboard.record import replace
from reboard.setup.setup_context import SetupContext

PASSWORD_NAME = "mqtt-password"
"""The name of the file with the password, beside the config."""

NONE = "none"


async def set_up_mqtt(file: Path, context: SetupContext) -> None:
    """Ask for the broker and the login, and try them. *file* is the config file."""
    prompts, draft = context.prompts, context.draft
    prompts.show("\nThe MQTT broker")
    question = "Publish the table at an MQTT broker, for a hall or a smart home?"
    if not await prompts.yes(question, draft.get("mqtt") is not None):
        draft.drop("mqtt")
        return
    section = dict(draft.get("mqtt") or {})
    section["broker"] = await prompts.ask("What is the broker's address or name?", str(section.get("broker", "")))
    table = await prompts.ask("What is this table's name there?", str(section.get("table", usual_table_name())))
    section["table"] = table
    usual_user = NONE if draft.get("mqtt") else table
    user = await prompts.ask(f"Which user name? Type {NONE} for none.", str(section.get("user", usual_user)))
    kept = section.pop("password_file", None)
    section.pop("user", None)
    if user != NONE:
        if kept and not draft.password and not (file.parent / kept).exists():
            kept = None
        hint = "Press Enter to keep the present one." if kept else "Press Enter for no login."
        if password := await prompts.ask(f"Which password? You see what you type. {hint}"):
            draft.password, kept = password, PASSWORD_NAME
        if kept:
            section |= {"user": user, "password_file": kept}
    if "user" not in section:
        draft.password = ""
        section.pop("requests", None)
    ca = await prompts.ask(
        f"Which file has the certificate authority of the broker? Type {NONE} for a connection without TLS, or system "
        "for an authority that every computer knows.",
        str(section.get("ca", NONE)),
    )
    section.pop("ca", None)
    if ca != NONE:
        section["ca"] = ca
    context.put("mqtt", section)
    await _try(file, context)


async def _try(file: Path, context: SetupContext) -> None:
    prompts, draft = context.prompts, context.draft
    try:
        config = Reading(file, where="").read(Section(MqttConfig), draft.get("mqtt"))
        from reboard.mqtt.probe import probe

        with tempfile.TemporaryDirectory() as folder:
            if draft.password:
                config = replace(config, password_file=Path(folder) / PASSWORD_NAME)
                write_password(Path(folder) / PASSWORD_NAME, draft.password)
            findings = list(rights(config, await probe(config)))
    except ModuleNotFoundError as missing:
        prompts.say(sentence(MissingExtraError("the bridge", "mqtt", missing, package="python3-paho-mqtt")))
        return
    except ConfigError as problem:
        prompts.show(str(problem))
        return
    except ReboardError as problem:
        prompts.say(f"{sentence(problem)} Type b to change an answer.")
        return
    prompts.say(f"The broker at {config.address} accepts the table.")
    for finding in findings:
        if finding.level is not Level.FINE:
            prompts.say(f"{finding.what} {finding.do}")


def write_password(file: Path, password: str) -> None:
    """Write *password* to *file*, which only root and the bridge may read. Raises ``OSError``."""
    if not file.exists():
        file.touch(mode=0o600)
    write_safely(file, f"{password}\n".encode())
    with suppress(LookupError, PermissionError):
        shutil.chown(file, group=BRIDGE)
        file.chmod(0o640)
