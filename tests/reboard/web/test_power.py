"""Shutting down and restarting: `busctl` is a script that answers as logind, so that nothing is shut down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reboard import board
from reboard.table_config import PageConfig
from reboard.web import table_page
from reboard.web.power import ACTIONS, AGAIN_S, FRESH_S, LONGEST_WAIT_S, Power
from tests.reboard.web.app_client import Client, with_page
from tests.reboard.web.fake_table import FakeTable

LOGIND = """#!/bin/sh
echo "$*" >> "$0.calls"
case "$*" in
  *Can*) {answer} ;;
  *) {act} ;;
esac
"""
POWER_OFF = {"do": "power_off"}


@pytest.fixture
def logind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Makes logind answer; returns the calls that were no question."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "busctl"
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")

    def answers(answer: str = "echo 's \"yes\"'", act: str = ":") -> list[str]:
        program.write_text(LOGIND.format(answer=answer, act=act))
        program.chmod(0o755)
        calls = Path(f"{program}.calls")
        lines = calls.read_text().splitlines() if calls.exists() else []
        return [line.split("Manager ")[1] for line in lines if "Manager Can" not in line]

    answers()
    return answers


async def sign_in(client: Client) -> None:
    assert (await client.post("/api/host/session", json={"pin": "4711"})).status_code == 204


def test_the_host_shuts_down_and_restarts(tmp_path: Path, logind: Callable[..., list[str]]) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        host, guest = client(), client("192.168.1.8")
        await sign_in(host)
        assert (await host.get("/api/host")).json()["power"] == [*ACTIONS]
        assert (await guest.get("/api/host")).json()["power"] == []
        assert (await guest.post("/api/host/power", json=POWER_OFF)).status_code == 401
        for bad in ({"do": "explode"}, {"do": ["restart"]}, {"do": "restart", "now": True}, {}):
            assert (await host.post("/api/host/power", json=bad)).status_code == 400
        assert logind() == []
        for action in ACTIONS:
            assert (await host.post("/api/host/power", json={"do": action})).status_code == 204
        assert logind() == ["PowerOff b false", "Reboot b false"]

    with_page(tmp_path, scenario, power=Power())


@pytest.mark.parametrize(
    ("answer", "act", "reason"),
    [
        ("echo 's \"challenge\"'", ":", "challenge"),
        ("echo 'Call failed: no such bus' >&2; exit 1", ":", "no such bus"),
        ("echo 's \"yes\"'", "echo 'Operation inhibited' >&2; exit 1", "inhibited"),
    ],
)
def test_the_host_learns_why_the_system_does_not_permit_it(
    tmp_path: Path, logind: Callable[..., list[str]], answer: str, act: str, reason: str
) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        host = client()
        await sign_in(host)
        logind(answer, act)
        offered = (await host.get("/api/host")).json()["power"]
        assert bool(offered) == ("yes" in answer)
        refused = await host.post("/api/host/power", json=POWER_OFF)
        assert refused.status_code == 409
        assert reason in refused.json()["error"]

    with_page(tmp_path, scenario, power=Power())


def test_many_calls_at_once_are_one(tmp_path: Path, logind: Callable[..., list[str]]) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        host = client()
        await sign_in(host)
        logind(act="echo 'Operation inhibited' >&2; exit 1")
        answers = await asyncio.gather(*(host.post("/api/host/power", json=POWER_OFF) for _ in range(10)))
        assert {answer.status_code for answer in answers} == {409}
        assert logind() == ["PowerOff b false"]
        for _ in range(3):
            answers = await asyncio.gather(*(host.post("/api/host/power", json=POWER_OFF) for _ in range(10)))
            assert {answer.status_code for answer in answers} == {204}
        assert logind() == ["PowerOff b false"] * 2, "a call that failed is tried again"
        await asyncio.sleep(2 * AGAIN_S)
        assert (await host.post("/api/host/power", json=POWER_OFF)).status_code == 204
        assert logind() == ["PowerOff b false"] * 3

    with_page(tmp_path, scenario, power=Power())


def test_without_the_setting_nothing_is_even_asked(tmp_path: Path, logind: Callable[..., list[str]]) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        host = client()
        await sign_in(host)
        assert (await host.get("/api/host")).json()["power"] == []
        assert (await host.post("/api/host/power", json=POWER_OFF)).status_code == 404

    with_page(tmp_path, scenario)
    assert not (tmp_path / "bin" / "busctl.calls").exists()


def test_logind_is_asked_once_a_minute(tmp_path: Path, logind: Callable[..., list[str]]) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        host = client()
        await sign_in(host)
        for asked, wait_s in ((1, 0), (1, FRESH_S / 2), (2, FRESH_S)):
            await asyncio.sleep(wait_s)
            assert (await host.get("/api/host")).json()["power"] == [*ACTIONS]
            calls = (tmp_path / "bin" / "busctl.calls").read_text()
            assert calls.count("CanReboot") == calls.count("CanPowerOff") == asked

    with_page(tmp_path, scenario, power=Power())


def test_a_slow_logind_does_not_delay_the_page(
    tmp_path: Path, logind: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(call: Callable[..., str], *arguments: str) -> str:
        await asyncio.sleep(2 * FRESH_S)
        return call(*arguments)

    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        host = client()
        await sign_in(host)
        monkeypatch.setattr(asyncio, "to_thread", slow)
        for allowed in ([], [*ACTIONS]):  # the second time, the previous answer
            async with asyncio.timeout(2 * LONGEST_WAIT_S):
                assert (await host.get("/api/host")).json()["power"] == allowed
            await asyncio.sleep(3 * FRESH_S)

    with_page(tmp_path, scenario, power=Power())


@pytest.mark.parametrize(
    ("model", "is_pi"), [(b"Raspberry Pi 4 Model B Rev 1.5\0", True), (b"Pine64 Rock64\0", False), (None, False)]
)
def test_only_a_raspberry_pi_is_shut_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: bytes | None, is_pi: bool
) -> None:
    monkeypatch.setattr(board, "MODEL", tmp_path / "model")
    if model is not None:
        (tmp_path / "model").write_bytes(model)
    made: list[dict[str, Any]] = []
    monkeypatch.setattr(table_page, "make_app", lambda *_, **options: made.append(options))
    monkeypatch.setattr(table_page, "serve", lambda *_: asyncio.sleep(0))
    table_page.serve_page(tmp_path / "table.sock", "127.0.0.1", 0, page=PageConfig(power=True))
    assert isinstance(made[0]["power"], Power) == is_pi
