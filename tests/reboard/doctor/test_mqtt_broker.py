"""What the doctor says about a real broker with one thing wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from reboard.commands.doctor import LONGEST_CHECK_S
from reboard.config.mqtt import BrokerAddress
from reboard.doctor.doctor_context import MQTT, DoctorContext, TableAnswer, find_units
from reboard.doctor.mqtt_broker import BRIDGE, check_mqtt
from reboard.finding import Level
from reboard.mqtt import probe
from reboard.mqtt.broker import END_S
from reboard.table_config import TableConfig
from tests.mosquitto import MakeMosquitto, Mosquitto, free_port
from tests.reboard.doctor.made_up import Examined, MadeUpMachine, installed
from tests.reboard.mqtt.fake_table import config

pytestmark = pytest.mark.realtime

USERS = {"table-1": "one", "table-2": "two"}
ACL = "pattern write reboard/%u/#\n"


async def examined(pi: MadeUpMachine, address: BrokerAddress) -> Examined:
    settings = TableConfig(pi.root / "table.toml", mqtt=config(address))
    context = DoctorContext(pi, settings.path, settings, "", TableAnswer(), await find_units(pi), "no header")
    return Examined([finding async for finding in check_mqtt(context)])


async def test_a_good_broker_is_fine_and_a_missing_hall_a_hint(
    pi: MadeUpMachine, make_mosquitto: MakeMosquitto
) -> None:
    broker = make_mosquitto(users=USERS, acl=ACL, tls=True)
    pi.units[MQTT] = installed(StatusText="well")
    found = await examined(pi, broker.address("table-1"))
    assert {finding.name: finding.level for finding in found.findings} == {
        "mqtt.service": Level.FINE,
        "mqtt.broker": Level.FINE,
        "mqtt.rights": Level.FINE,
        "mqtt.receiver": Level.NOTE,
    }


def another_port(broker: Mosquitto) -> BrokerAddress:
    return BrokerAddress("127.0.0.1", free_port())


CASES: dict[str, Callable[[Mosquitto], BrokerAddress]] = {
    "mqtt.broker": another_port,
    "mqtt.login": lambda broker: broker.address("table-1", "wrong"),
    "mqtt.rights": lambda broker: broker.address("table-2"),
}


@pytest.mark.parametrize("name", CASES)
async def test_what_is_wrong_has_its_name(pi: MadeUpMachine, make_mosquitto: MakeMosquitto, name: str) -> None:
    found = await examined(pi, CASES[name](make_mosquitto(users=USERS, acl=ACL)))
    assert found.wrong == [name]
    assert found[name].do


async def test_a_broker_that_hangs_is_reported_before_the_doctor_stops_the_check(
    pi: MadeUpMachine, make_mosquitto: MakeMosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert probe.PROBE_S + END_S < LONGEST_CHECK_S
    monkeypatch.setattr(probe, "PROBE_S", 0.2)
    broker = make_mosquitto()
    broker.pause()
    async with asyncio.timeout(LONGEST_CHECK_S):
        assert (await examined(pi, broker.address())).wrong == ["mqtt.broker"]


async def test_the_service_must_run_and_start_with_the_pi(pi: MadeUpMachine, make_mosquitto: MakeMosquitto) -> None:
    broker = make_mosquitto()
    pi.units[MQTT] = installed(ActiveState="failed", Result="exit-code")
    assert (await examined(pi, broker.address())).wrong == ["mqtt.service"]
    pi.units[MQTT] = installed(UnitFileState="disabled", ActiveState="inactive")
    found = await examined(pi, broker.address())
    assert (found["mqtt.service"].level, found.wrong) == (Level.NOTE, [])


async def test_a_password_that_only_root_may_read_is_no_fault(pi: MadeUpMachine, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.touch()
    pi.kept_from.add(str(password))
    found = await examined(pi, BrokerAddress("127.0.0.1", free_port(), user="table-1", password_file=password))
    assert [finding.level for finding in found.findings] == [Level.NOTE]


async def test_a_password_that_the_bridge_may_not_read_is_a_fault(
    pi: MadeUpMachine, make_mosquitto: MakeMosquitto
) -> None:
    address = make_mosquitto(users=USERS, acl=ACL).address("table-1")
    pi.units[MQTT] = installed()
    pi.not_theirs.add((BRIDGE, str(address.password_file)))
    found = await examined(pi, address)
    assert found.wrong == ["mqtt.service"]
    assert "sudo chgrp" in found["mqtt.service"].do
