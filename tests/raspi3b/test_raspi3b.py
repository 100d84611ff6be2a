"""Unmodified Debian with our package on QEMU's Raspberry Pi 3: a real one's drivers, and its GPIO registers.

QEMU gives an input no edge, so no button, lever or key works here: ``make test-vm`` presses them.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from reboard.service.safe_mode import DARK_S, FLASH_S, FLASHES
from reboard.table_config import load_config
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.raspi3b.board import OUTPUT, Pi
from tests.vm.machine.inside import Inside
from tests.vm.machine.table import REBOARD, SHIPPED, SOCKET, UNIT, Events

PAGE = "reboard-page.service"
SAFE = "reboard-safe.service"
WITHIN_S = 600.0
"""In our own time."""
LOOK_EVERY_S = 0.1
LEAST_LOOKS = 100
LAMP_LOOK_S = 0.02
BURSTS = 3
LONG = 3
"""A gap between two bursts is longer than this many between two flashes."""
assert DARK_S > LONG * 2 * FLASH_S

CONFIG: Any = load_config(SHIPPED)
MOTOR, LAMP = CONFIG.section("apple").motor, CONFIG.section("block").lamp
INPUTS = (CONFIG.section("block").button, CONFIG.section("apple").lever, *CONFIG.section("bank").keypad.columns)

LACKING = {"kernel.watchdog", "sound.device", "readers.left"}
"""QEMU's watchdog cannot be used, it has neither HDMI sound nor I²S, and its reader is not plugged in yet."""

PRIZE = {"do": "pay", "payment": "the-prize", "from": 0, "to": 1, "amount": 2_000_000, "reason": "prize"}


class Watch(threading.Thread):
    """Looks at the motor's line until it is stopped."""

    def __init__(self, pi: Pi) -> None:
        super().__init__(name="watch", daemon=True)
        self._registers = pi.registers
        self._ended = threading.Event()
        self.looks: list[bool] = []
        self.start()

    def run(self) -> None:
        while not self._ended.wait(LOOK_EVERY_S):
            self.looks.append(self._registers.is_driven_high(MOTOR))

    def stop(self) -> list[bool]:
        """Return for each look whether the line was an output and high."""
        self._ended.set()
        self.join()
        return self.looks


def start(pi: Pi) -> list[bool]:
    """Switch the Pi on, and wait until its table plays; return the looks at the motor's line.

    That line is high as soon as it is an output, unless its driver writes the level first.
    """
    pi.power_on()
    pi.registers.write(*INPUTS, MOTOR, high=True)
    watch = Watch(pi)
    pi.await_agent()
    pi.inside.must("systemctl", "start", UNIT, within_s=WITHIN_S)
    print(f"the table plays after {pi.inside.now():.0f} s of the Pi's clock")
    return watch.stop()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(LOOK_EVERY_S)


def request(inside: Inside, **fields: object) -> Any:
    answer = json.loads(inside.send(do="connect", path=SOCKET, say=json.dumps({"id": 1, **fields}) + "\n").next())
    assert "ok" in answer, answer
    return answer["ok"]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Pi, list[bool]]]:
    pi = Pi(tmp_path_factory.mktemp("pi"))
    try:
        yield pi, start(pi)
    finally:
        pi.pull_the_plug()


@pytest.fixture
def pi(started: tuple[Pi, list[bool]]) -> Pi:
    """A Pi whose table plays."""
    return started[0]


def test_the_motors_line_is_never_high_while_debian_starts(started: tuple[Pi, list[bool]]) -> None:
    pi, looks = started
    assert len(looks) > LEAST_LOOKS
    assert not any(looks)
    assert (pi.registers.function(MOTOR), pi.registers.level(MOTOR)) == (OUTPUT, False)


def test_the_doctor_names_what_this_board_lacks_and_nothing_else(pi: Pi) -> None:
    pi.inside.must("systemctl", "start", PAGE, within_s=WITHIN_S)  # which the boot does after the table
    done = pi.inside.run(REBOARD, "doctor", "--json", within_s=WITHIN_S)
    findings = json.loads(done.text)["findings"]
    assert {finding["name"] for finding in findings if finding["level"] == "wrong"} == LACKING
    fine = {finding["name"] for finding in findings if finding["level"] == "fine"}
    assert fine >= {"kernel.machine", "kernel.header", "kernel.motor", "display.answers"}


def test_in_safe_mode_the_lamp_flashes_and_the_motors_line_is_low(pi: Pi) -> None:
    watch = Watch(pi)
    pi.inside.must("systemctl", "start", SAFE, within_s=WITHIN_S)
    gaps = [after - before for before, after in pairwise(rising_edges(pi, BURSTS * FLASHES))]
    between = sorted(gaps)[len(gaps) // 2] * LONG
    ends = [place for place, gap in enumerate(gaps) if gap > between]
    assert len(ends) >= BURSTS - 1
    assert {after - before for before, after in pairwise(ends)} == {FLASHES}
    assert pi.registers.function(MOTOR) == OUTPUT
    assert not any(watch.stop())
    pi.inside.must("systemctl", "start", UNIT, within_s=WITHIN_S)
    assert pi.inside.run("systemctl", "is-active", SAFE).text == "inactive"


def rising_edges(pi: Pi, count: int) -> list[float]:
    """Return when the lamp went on, *count* times, by our own clock: the Pi's is slower, but steady."""
    edges: list[float] = []
    was_on = True
    deadline = time.monotonic() + WITHIN_S
    while len(edges) < count:
        assert time.monotonic() < deadline, f"the lamp went on {len(edges)} times"
        is_on = pi.registers.level(LAMP)
        if is_on and not was_on:
            edges.append(time.monotonic())
        was_on = is_on
        time.sleep(LAMP_LOOK_S)
    return edges


def test_a_killed_table_leaves_the_motors_line_low(pi: Pi) -> None:
    main = pi.inside.must("systemctl", "show", "--property=MainPID", "--value", UNIT)
    assert main != "0"  # to `kill`, that would be all processes of the agent
    pi.registers.write(MOTOR, high=True)
    assert pi.registers.is_driven_high(MOTOR)
    pi.inside.must("kill", "-KILL", main)
    until(lambda: not pi.registers.level(MOTOR))
    pi.inside.must("systemctl", "start", UNIT, within_s=WITHIN_S)
    until(lambda: pi.registers.function(MOTOR) == OUTPUT)
    assert not pi.registers.level(MOTOR)


def test_what_a_card_and_the_host_paid_is_on_the_memory_card_after_a_power_cut(pi: Pi) -> None:
    events = Events(pi.inside)
    pi.plug_reader_in()
    pi.reader.put(DECK[0])
    events.until("card.inserted", WITHIN_S, slot="left", number=1)
    paid = request(pi.inside, **PRIZE)
    pi.pull_the_plug()
    start(pi)
    pi.inside.must(REBOARD, "ledger", "verify", within_s=WITHIN_S)
    kept = json.loads(pi.inside.must(REBOARD, "ledger", "export", "--json", within_s=WITHIN_S))["transfers"]
    assert [row["reason"] for row in kept] == ["start", PRIZE["reason"]]
    assert kept[-1]["id"] == paid["id"]
