"""The table in the machine: its service, its settings, its events and its users."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reboard.table_config import load_config
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.vm.machine.header import Edge
from tests.vm.machine.inside import ANSWER_WITHIN_S, Followed, Inside
from tests.vm.machine.machine import Machine

SHIPPED = Path(__file__).resolve().parents[3] / "firmware" / "reboard" / "setup" / "table.toml"
CONFIG = "/etc/reboard/table.toml"
REBOARD = "/usr/bin/reboard"
SOCKET = "/run/reboard/table.sock"
PAGE = "http://127.0.0.1:8080/api/table"
GET = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())"
UNIT = "reboard.service"
READY_WITHIN_S = 120.0
PLAYS = "The table is running."
UP_TO_SPEED_S = 0.6
"""The usual pattern begins with 0.9 s at full power."""
LOOKS = 4
"""The motor's line is looked at this many times until it is quiet."""

Event = Mapping[str, Any]


class Events:
    """The events of the table from now on. Raises `InsideError` when the table is gone."""

    def __init__(self, inside: Inside) -> None:
        self._answers = _request(inside, "events")
        answer = json.loads(self._answers.next())
        assert "ok" in answer, answer

    def until(self, name: str, within_s: float = ANSWER_WITHIN_S, **fields: object) -> Event:
        """The next event with this name and these fields."""
        while True:
            event: Event = json.loads(self._answers.next(within_s))
            if event["event"] == name and fields.items() <= event.items():
                return event

    def rest(self) -> list[Event]:
        """Hang up, and return all events that were not read."""
        return [json.loads(line) for line in self._answers.end()]


def _request(inside: Inside, do: str) -> Followed:
    return inside.send(do="connect", path=SOCKET, say=json.dumps({"id": 1, "do": do}) + "\n")


class Table:
    """The table of the shipped `firmware/reboard/setup/table.toml`, on *machine*."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.inside, self.header = machine, machine.inside, machine.header
        self._must = machine.inside.must
        config = load_config(SHIPPED)
        self.block: Any = config.section("block")
        self.apple: Any = config.section("apple")
        self.bank: Any = config.section("bank")
        self.motor, self.lamp = self.apple.motor, self.block.lamp

    def configure(self, **settings: str) -> None:
        """Write the shipped file with other values. It has the usual value of each setting, or an example."""
        # the wiring, at the end, has settings of the same names
        text, wiring, wired = SHIPPED.read_text().partition("\n[wiring]\n")
        for setting, value in settings.items():
            text, times = re.subn(rf"(?m)^(# )?{setting} = .*$", f"{setting} = {value}", text)
            assert times == 1, f"{times} lines of the shipped file have {setting}"
        self._must("tee", CONFIG, stdin=text + wiring + wired)

    def play_with(self, **settings: str) -> None:
        """Change settings while the table plays."""
        self.configure(**settings)
        self._must("systemctl", "reload", UNIT, within_s=READY_WITHIN_S)

    def start(self) -> None:
        """Start the table, or restart it; when this returns, the table plays."""
        self._must("systemctl", "restart", UNIT, within_s=READY_WITHIN_S)

    def await_ready(self) -> None:
        """Wait until the machine has started all that it starts by itself, and the table plays."""
        self._must("systemctl", "is-system-running", "--wait", within_s=READY_WITHIN_S)
        assert self.status["StatusText"] == PLAYS

    def stop(self) -> None:
        self._must("systemctl", "stop", UNIT)

    @property
    def status(self) -> dict[str, str]:
        """The properties of its unit."""
        return dict(line.split("=", 1) for line in self._must("systemctl", "show", UNIT).splitlines() if "=" in line)

    def snapshot(self) -> Any:
        """Raises `InsideError` when no table answers."""
        return json.loads(_request(self.inside, "snapshot").next())["ok"]

    def page(self) -> Any:
        """The table as its page shows it."""
        return json.loads(self._must("python3", "-c", GET, PAGE))

    def transfers(self) -> Any:
        """All transfers of the ledger, oldest first."""
        return json.loads(self._must(REBOARD, "ledger", "export", "--json"))["transfers"]

    def pass_time(self, seconds: float) -> None:
        """Wait, by the machine's clock."""
        self.inside.pass_time(seconds)

    def press_block(self) -> float:
        """Press the question block; return when, by the machine's clock."""
        return self.header.press(self.block.button)

    def insert(self, slot: str, card: int) -> None:
        """Put one of the deck's cards in."""
        getattr(self.machine, slot).put(DECK[card - 1])

    def type_keys(self, *keys: str) -> None:
        self.header.type_keys(self.bank.keypad, keys)

    def pay(self) -> Event:
        """Let card 2 pay 1M to card 1, and take the cards out; return the transfer."""
        events = Events(self.inside)
        for slot, card in (("left", 1), ("right", 2)):
            self.insert(slot, card)
            events.until("card.inserted", slot=slot, number=card)
        self.type_keys("1", "M")
        transfer = events.until("transfer")
        for slot in ("left", "right"):
            getattr(self.machine, slot).take()
        return transfer

    def start_apple(self, events: Any) -> float:
        """Pull the lever and release it; return when, by the machine's clock, once the motor is at full power.

        *events* are those of the table or of a script.
        """
        self.header.contact("close", self.apple.lever)
        events.until("apple.wound")
        released = self.header.contact("open", self.apple.lever)
        events.until("motor")
        self.pass_time(UP_TO_SPEED_S)
        return released

    def motor_off(self, *, quiet_s: float) -> Edge:
        """Wait until the motor's line is low and was not moved for this long; return its last edge."""
        for _ in range(LOOKS):
            self.pass_time(quiet_s)
            last = self.header.edges(self.motor)[-1]
            if not last.level and self.inside.now() - last.t > quiet_s:
                assert not self.header.level(self.motor)
                return last
        raise AssertionError(f"the motor's line is not low, or moved all the time: {last}")
