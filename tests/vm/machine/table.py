"""The table that is played on in the machine, as those who sit at it know it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reboard.table_config import load_config
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.vm.machine.door import Door
from tests.vm.machine.header import Edge
from tests.vm.machine.machine import Machine
from tests.vm.machine.reader import Reader

SHIPPED = Path(__file__).resolve().parents[3] / "firmware" / "reboard" / "setup" / "table.toml"
CHECKOUT = "/root/reboard"
"""What of the project lies in the machine, as after a ``git clone``."""
CONFIG = "/etc/reboard/table.toml"
REBOARD = "/opt/reboard/current/bin/reboard"
STATE = "/var/lib/reboard"
UNIT = "reboard.service"
READY_WITHIN_S = 120.0
MOST_TRIES = 4
"""So often the motor is looked at again."""


class Table:
    """The table of the shipped `firmware/reboard/setup/table.toml`, on *machine*."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._must = machine.inside.must
        config = load_config(SHIPPED)
        assert config.section("block")
        assert config.section("block").lamp
        assert config.section("apple")
        assert config.section("apple").motor
        assert config.section("bank")
        assert config.section("bank").keypad
        self.block, self.apple, self.keypad = (
            config.section("block"),
            config.section("apple"),
            config.section("bank").keypad,
        )
        self.motor, self.lamp = config.section("apple").motor, config.section("block").lamp

    def configure(self, **settings: str) -> None:
        """Give settings other values; the shipped file, which has the usual one or an example, is as shipped else."""
        # what is wired how, which comes last, has settings of the same names
        text, wiring, wired = SHIPPED.read_text().partition("\n[wiring]\n")
        for setting, value in settings.items():
            text, times = re.subn(rf"(?m)^(# )?{setting} = .*$", f"{setting} = {value}", text)
            assert times == 1, f"{times} lines of the shipped file say {setting}"
        self._must("tee", CONFIG, stdin=text + wiring + wired)

    def play_with(self, **settings: str) -> None:
        """Give settings other values, and let the table that plays take them over."""
        self.configure(**settings)
        self._must("systemctl", "reload", UNIT, within_s=READY_WITHIN_S)

    def start(self) -> None:
        """Switch the table on, anew if it is on; when this returns it plays."""
        self._must("systemctl", "restart", UNIT, within_s=READY_WITHIN_S)

    def await_ready(self) -> None:
        """Wait until the machine has started all that it starts by itself, and the table plays."""
        self._must("systemctl", "is-system-running", "--wait", within_s=READY_WITHIN_S)
        assert self.status["StatusText"] == "The table plays."

    def stop(self) -> None:
        """Put the table away."""
        self._must("systemctl", "stop", UNIT)

    @property
    def status(self) -> dict[str, str]:
        """What systemd knows about it."""
        return dict(line.split("=", 1) for line in self._must("systemctl", "show", UNIT).splitlines() if "=" in line)

    def door(self) -> Door:
        """Listen to what it tells."""
        return Door(self.machine.inside)

    def ledger(self) -> Sequence[dict[str, Any]]:
        """All transfers, oldest first, as ``reboard ledger`` has them for other programs."""
        transfers: Sequence[dict[str, Any]] = json.loads(self._must(REBOARD, "ledger", "export", "--json"))["transfers"]
        return transfers

    def pass_time(self, seconds: float) -> None:
        """Let so much time pass at the table."""
        self.machine.inside.pass_time(seconds)

    def verify(self) -> None:
        """Check every rule of the ledger over every row. Raises `InsideError` with what is wrong."""
        self._must(REBOARD, "ledger", "verify")

    def motor_off(self, *, quiet_s: float) -> Edge:
        """Wait until the motor's line is low, and no thread has moved it for so long; who took it down, and when."""
        for _ in range(MOST_TRIES):
            self.pass_time(quiet_s)
            last = self.machine.header.edges(self.motor)[-1]
            if not last.level and self.machine.inside.now() - last.t > quiet_s:
                return last
        raise AssertionError(f"the motor's line is not low, or moved all the time: {last}")

    def press_block(self) -> float:
        """Press the question block; when, in seconds of the machine's clock."""
        return self.machine.header.press(self.block.button)

    def insert(self, slot: str, card: int) -> None:
        """Put one of the deck's cards in."""
        self._reader(slot).put(DECK[card - 1])

    def remove(self, slot: str) -> None:
        """Take the card out."""
        self._reader(slot).take()

    def type_keys(self, *keys: str) -> None:
        """Tap keys, one after the other."""
        self.machine.header.type_keys(self.keypad, keys)

    def _reader(self, slot: str) -> Reader:
        return {"left": self.machine.left, "right": self.machine.right}[slot]
