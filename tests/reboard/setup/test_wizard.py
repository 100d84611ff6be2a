"""A whole setup, from the first question to the config."""

from __future__ import annotations

import asyncio
import os
import stat
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reboard.commands.setup import set_up
from reboard.config.pins_and_ports import Listen
from reboard.devices.readers.em4100 import WATCH_S
from reboard.errors import ReboardError
from reboard.setup.draft import config_text
from reboard.table_config import PageConfig, load_config
from reboard.web import invitation
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.scene import PHONES, Scene
from reboard_sim.virtual_table import VirtualTable
from tests.mosquitto import MakeMosquitto
from tests.reboard.doctor.made_up import TABLE, MadeUpMachine, installed
from tests.reboard.setup.acts import CONNECTED, LINES, has_nothing_after, press, presses_every_key
from tests.reboard.setup.person import Person, set_up_at
from tests.reboard.test_table_config import SHIPPED

WIRED = TABLE.replace("/dev/reboard-left", "/dev/ttyUSB0").replace("0x27", "0x3F")
BLOCK = "[block]\nbutton = 17\nlamp = 27\n"


async def test_every_part_of_a_table_is_tried_and_written(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, WIRED) as person:
        await person.answers(LINES, "y")
        await person.sees("No line of a switch or a key is stuck")
        await person.sees("6 super-mario")
        await person.answers("Which edition do you play? [world]", "6", "Is there a question block? y or n? [y]", "")
        await person.answers("Which pin is its button on? Type a number, or f to find it. [17]")
        await person.sees("Press the button now.")
        await press(person.pi["block.button"])
        await person.sees("Pin 17 received the signal.")
        await person.answers("Does the block have a lamp? y or n? [y]", "", "Which pin is the lamp on? [27]", "")
        await person.answers("Did the lamp blink 3 times?", "y", "Is there a worm apple?", "y")
        await person.answers("Which pin is its lever on? Type a number, or f to find it. [22]")
        await person.sees("Pull the lever all the way back")
        await press(person.pi["apple.lever"])
        await person.answers("Does the apple have a motor?", "", "Which pin is the motor on? [13]", "")
        await person.answers("Are all fingers away from it? y or n? [n]", "y", "Did it turn and then stop?", "y")
        await person.answers("Is there a banker unit")
        for side in ("left", "right"):
            await person.answers(f"Is there a {side} slot", "", "What is in the slot?", "")
            await person.sees(f"Hold a card to the {side} slot now.")
            person.pi[f"bank.{side}"].put(DECK[0])
            await person.sees("The rdm6300 reader on ")
            await person.sees(f"read the card {DECK[0]}.")
            await asyncio.sleep(WATCH_S)
            person.pi[f"bank.{side}"].take()
        await person.answers("Is there a display")
        await person.sees("A device answers at 0x3F on bus 1.")
        await person.sees('Does it show "Can you read this?"')
        assert person.pi["bank.display"].lines() == ["Can you read    ", "this? 0x3F      "]
        person.types("y")
        await person.answers("Is there a keypad?", "")
        await person.answers("Is it wired like that?", "y")
        await presses_every_key(person)
        await person.answers(
            "Is there a speed die?",
            "n",
            "Is there a speaker?",
            "",
            "plughw:CARD=Device played a sound. Did you hear it?",
            "y",
        )
        await person.answers(
            "May phones in your network join, to see the game and to pay? y or n? [y]", "", "MQTT broker", ""
        )
        await person.answers("Write this to", "y")
        await person.sees("The config was written")
    wanted = pi.root / "wanted.toml"
    wanted.write_text(
        TABLE.replace("world", "super-mario")
        .replace("0x27", "0x3F")
        .replace("[speaker]", '[speaker]\ndevice = "plughw:CARD=Device"')
        .replace("[page]", '[page]\npay = "ask"')
    )
    assert person.config == replace(load_config(wanted), path=person.file)
    lines = person.said.splitlines()
    assert [line for line in lines if len(line) > 80 and str(pi.root) not in line and "? " not in line] == []


async def test_a_table_that_is_only_phones_is_set_up_with_four_answers(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invitation, "AVAHI", "/nowhere")
    monkeypatch.setattr(invitation, "_routed", lambda: "192.168.1.7")
    pi.who = "root"
    pi.units |= dict.fromkeys(("reboard.service", "reboard-page.service"), installed())
    units = "reboard.service reboard-page.service"
    pi.commands |= {f"systemctl stop {units}": "", f"systemctl start {units}": ""}
    state = pi.path("/var/lib/reboard")
    scene = Scene.load(PHONES, state).changed("page.pay", '"free"')
    table = VirtualTable(scene, seed=1, socket=state / "table.sock")
    await table.power_on()
    try:
        async with set_up_at(pi, BLOCK, before=PHONES.read_text("utf-8")) as person:
            await person.answers("Stop it until the end of setup?", "y")
            await person.answers(CONNECTED, "n", "Which edition do you play? [world]", "classic-de")
            await person.answers("May phones in your network join, to see the game and to pay? y or n? [y]", "")
            await person.answers("Write this to", "y")
            assert table.table
            answer: Any = await table.table.read("join_code")
            await person.sees(f"http://192.168.1.7:8080 The code to join is {answer['code']}.")
    finally:
        await table.close()
    config = person.config
    assert (config.edition, [*config.devices()], config.speaker) == ("classic-de", [], None)
    assert config.page == replace(load_config(PHONES).page or PageConfig(), listen=Listen("0.0.0.0", 8080), pay="free")


@pytest.mark.parametrize(
    ("before", "answer", "page"),
    [
        ('[bank]\n[page]\nlisten = "0.0.0.0:9000"\npay = "free"\n', "n", ("127.0.0.1:9000", "off")),
        ('[bank]\n[page]\nlisten = "0.0.0.0:9000"\npay = "free"\n', "", ("0.0.0.0:9000", "free")),
        ('[bank]\n[page]\nlisten = "192.168.1.7:80"\n', "", ("192.168.1.7:80", "off")),
        ('[bank]\n[page]\nlisten = "192.168.1.7:80"\n', "y", ("192.168.1.7:80", "free")),
    ],
)
async def test_setup_keeps_the_address_of_the_page_unless_the_answer_changes(
    pi: MadeUpMachine, before: str, answer: str, page: tuple[str, str]
) -> None:
    async with set_up_at(pi, BLOCK, before=before) as person:
        await person.answers(CONNECTED, "", "you play?", "", "May phones", answer, "Write this to", "y")
    config = person.config.page
    assert config
    assert (str(config.listen), config.pay) == page


async def test_a_part_that_is_skipped_stays_as_it_was(pi: MadeUpMachine) -> None:
    before = f'{BLOCK}odds = {{ laugh = 30 }}\n[bank]\nnames = ["Anna"]\ncards = ["62E3086CED"]\n'
    parts = [LINES, "you play?", "question block?", "a lamp?", "worm apple?", "banker unit"]
    parts += ["left slot", "right slot", "display", "keypad", "speed die?", "speaker", "phones", "MQTT broker,"]
    async with set_up_at(pi, BLOCK, before=before) as person:
        for part in parts:
            await person.answers(part, "n" if part in ("worm apple?", "speed die?") else "s")
        await person.answers("Write this to", "y")
    wanted = pi.root / "wanted.toml"
    wanted.write_text(before)
    assert person.config == replace(load_config(wanted), path=person.file)


@pytest.mark.parametrize("can_give_away", [True, False])
async def test_the_config_before_is_kept_with_its_owner_and_rights(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch, can_give_away: bool
) -> None:
    owners: list[tuple[Path, int, int]] = []

    def chown(path: Path, user: int, group: int) -> None:
        if not can_give_away:
            raise PermissionError(1, "Operation not permitted")
        owners.append((path, user, group))

    monkeypatch.setattr(os, "chown", chown)
    file, older, kept = (pi.root / f"table.toml{end}" for end in ("", ".before-setup", ".before-setup2"))
    older.write_text("an older one")
    file.write_text(BLOCK)
    file.chmod(0o640)
    async with set_up_at(pi, BLOCK) as person:
        await person.answers(LINES, "n", "Which edition do you play?", "", "question block?", "s", "a lamp?", "n")
        await has_nothing_after(person, "block")
    assert person.config.section("block").lamp is None
    assert (older.read_text(), kept.read_text()) == ("an older one", BLOCK)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert owners == ([(kept, file.stat().st_uid, file.stat().st_gid)] if can_give_away else [])


LAST = ("banker unit", "speed die?", "a speaker?", "phones", "MQTT broker,")
SKIPPED = [(part, "s") for part in (LINES, "you play?", "question block?", "a lamp?", "worm apple?", *LAST)]


@pytest.mark.parametrize(
    "answers",
    [
        *([(LINES, "n"), ("you play?", "nintendo"), ("question block?", way)] for way in ("q", "quit", "Q")),
        [(LINES, "n"), ("you play?", "nintendo")],  # and the terminal is closed
        [(LINES, "b"), (LINES, "q")],
        [*SKIPPED, ("Write this to", "n")],
        [*SKIPPED[:2], *((part, "n") for part in ("question block?", "worm apple?", *LAST)), ("MQTT broker,", "q")],
    ],
    ids=["q", "quit", "Q", "closed", "back from the first", "not agreed", "nothing plugged in"],
)  # fmt: skip
async def test_nothing_is_written_unless_the_user_agrees(pi: MadeUpMachine, answers: list[tuple[str, str]]) -> None:
    async with set_up_at(pi, BLOCK, before=BLOCK) as person:
        for question, answer in answers:
            await person.answers(question, answer)
    assert not person.has_written
    assert person.file.read_text() == BLOCK


async def test_going_back_keeps_the_answers_and_passes_over_what_was_not_asked(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, BLOCK, before=BLOCK) as person:
        await person.answers(LINES, "n", "Which edition do you play? [world]", "nintendo", "question block?", "b")
        await person.answers(
            "Which edition do you play? [nintendo]", "classic-de", "question block?", "s", "a lamp?", "s"
        )
        await person.answers("worm apple?", "n", "banker unit", "b", "worm apple?", "n", "banker unit", "n")
        await person.answers(
            "speed die?", "n", "a speaker?", "n", "phones", "n", "MQTT broker,", "n", "Write this to", "b"
        )
        await person.answers(
            "MQTT broker,",
            "b",
            "phones",
            "b",
            "a speaker?",
            "b",
            "speed die?",
            "b",
            "banker unit",
            "n",
            "speed die?",
            "n",
            "a speaker?",
            "n",
        )
        await person.answers("phones", "n", "MQTT broker,", "n", "Write this to", "y")
    assert person.config.edition == "classic-de"


@pytest.mark.realtime
async def test_the_login_at_a_broker_is_tried_and_its_password_is_written_at_the_end(
    pi: MadeUpMachine, make_mosquitto: MakeMosquitto
) -> None:
    broker = make_mosquitto(users={"table-3": "secret"})
    before = f"{BLOCK}[mqtt]\nbroker = '127.0.0.1'\nport = {broker.port}\ndiscovery = false\n"
    password = pi.root / "mqtt-password"
    async with set_up_at(pi, BLOCK, before=before) as person:
        for question, answer in SKIPPED[:-1]:
            await person.answers(question, answer)
        await person.answers("MQTT broker,", "", "address or name? [127.0.0.1]", "", "name there?", "table-3")
        await person.answers("Which user name?", "table-3", "Which password?", "wrong", "certificate authority", "")
        await person.sees("does not accept user table-3")
        await person.answers("Write this to", "b", "MQTT broker,", "", "address or name?", "", "name there?", "table-3")
        await person.answers("Which user name?", "", "Which password?", "secret", "certificate authority", "")
        await person.sees("accepts the table")
        assert not password.exists()
        await person.answers("Write this to", "y")
    assert password.read_text() == "secret\n"
    assert stat.S_IMODE(password.stat().st_mode) & 0o007 == 0
    mqtt = person.config.mqtt
    assert mqtt
    assert (mqtt.user, mqtt.password_file, mqtt.table, mqtt.discovery) == ("table-3", password, "table-3", False)


@pytest.mark.realtime
@pytest.mark.parametrize("user", ["", "table-3"])
async def test_without_a_password_a_table_stays_at_a_broker_without_a_login(
    pi: MadeUpMachine, make_mosquitto: MakeMosquitto, user: str
) -> None:
    before = f"{BLOCK}[mqtt]\nbroker = '127.0.0.1'\nport = {make_mosquitto().port}\ntable = 'table-3'\n"
    async with set_up_at(pi, BLOCK, before=before) as person:
        for question, answer in SKIPPED[:-1]:
            await person.answers(question, answer)
        await person.answers("MQTT broker,", "", "address or name?", "", "name there?", "", "Which user name?", user)
        if user:
            await person.answers("Which password?", "")
        await person.answers("certificate authority", "")
        await person.sees("accepts the table")
        await person.answers("Write this to", "y")
    assert person.config.mqtt
    assert (person.config.mqtt.user, person.config.mqtt.password_file) == (None, None)


@pytest.mark.parametrize(
    ("unit", "active"),
    [
        ("reboard-safe.service", "active"),
        ("reboard.service", "activating"),
        ("reboard.service", "reloading"),
        ("reboard.service", "deactivating"),
    ],
)
async def test_setup_stops_the_service_and_starts_the_table_at_its_end(
    pi: MadeUpMachine, unit: str, active: str
) -> None:
    pi.who = "root"
    pi.units[unit] = installed(ActiveState=active)
    stop, start = f"systemctl stop {unit}", "systemctl start reboard.service"
    pi.units["reboard-page.service"] = installed(ActiveState="inactive")
    pi.commands |= {stop: "", start: ""}
    async with set_up_at(pi, BLOCK, before=BLOCK) as person:
        await person.answers("Stop it until the end of setup?", "y", LINES, "n", "Which edition do you play?", "q")
        await person.sees("was not written")
    assert [command for command in pi.called if command in (stop, start)] == [stop, start]


@pytest.mark.parametrize("answer", ["n", "b", "s", "q"])
async def test_setup_leaves_a_service_running(pi: MadeUpMachine, answer: str) -> None:
    pi.who = "root"
    pi.units["reboard.service"] = installed(ActiveState="active")
    async with set_up_at(pi, BLOCK, before=BLOCK) as person:
        await person.answers("Stop it until the end of setup?", answer)
        await person.sees("was not written")
    assert not any("stop" in command for command in pi.called)


@pytest.mark.parametrize("state", ["/var/lib/reboard", "state"])
async def test_setup_does_not_start_beside_a_table(pi: MadeUpMachine, state: str) -> None:
    directory = pi.path(state)
    file = pi.root / "table.toml"
    # a relative directory is found from wherever setup is called
    text = TABLE if state.startswith("/") else f'{TABLE}[state]\ndirectory = "{state}"\n'
    machine = pi if state.startswith("/") else MadeUpMachine(Path("/"))
    file.write_text(text)
    table = VirtualTable(Scene.of_text(text, file, directory), seed=1, socket=directory / "table.sock")
    await table.power_on()
    try:
        with pytest.raises(ReboardError, match="a table is running"):
            await set_up(file, Person(table.pi, file), table.pi, machine)
    finally:
        await table.close()


DOCUMENTS = {
    "the shipped table": tomllib.loads(SHIPPED.read_text(encoding="utf-8")),
    "an empty section": {"bank": {}, "speaker": {}},
    "every kind of value": {
        "edition": "own/evening.toml",
        "block": {"button": 4, "odds": {"coins": [1, 0, 3], "laugh": 2}, "bag": True, "linked": False},
        "apple": {"lever": 22, "seconds": 13.0, "pattern": [[1.0, 1.2], [0.6, 0.8]]},
        "bank": {"names": ["Jörg", 'A"B', "\u201cä\u201d\t"], "display": {"driver": "hd44780-i2c", "address": 63}},
        "page": {"listen": "[::]:8080", "pin": "scrypt$a$b"},
        "bell": {"button": 17, "notes": ["c", "d"]},
        "wiring": {"lamp": {"led_v": 3.0}, "bell": {"wire": "long"}},
    },
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_the_text_of_a_config_has_its_settings_and_our_comments(document: dict[str, Any]) -> None:
    text = config_text(document)
    assert tomllib.loads(text) == document
    if "block" in document:
        assert f"button = {document['block']['button']}     # between the pin and ground" in text
