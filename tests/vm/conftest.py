"""The machine that the tests of one file share, put back to the same moment before each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.vm.machine.machine import Machine
from tests.vm.machine.table import Table
from tests.vm.making.at_play import AT_PLAY, disk_at_play
from tests.vm.report import Report

LONGEST = ("test_power_cuts.py", "test_install.py", "test_motor.py")
"""They take minutes. Who share the tests begin with these, so that nobody is left with one of them at the end."""


@pytest.fixture(scope="module")
def machine_at_play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine whose table was started, and waits."""
    directory = tmp_path_factory.mktemp("machine", numbered=True)
    disk = disk_at_play(directory)
    with Machine(disk, directory) as machine:
        machine.power_on(AT_PLAY)
        yield machine
    disk.unlink()


@pytest.fixture
def report() -> Report:
    """What is measured."""
    return Report()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Begin a new report; whoever plays the tests for somebody else goes on with theirs."""
    if not hasattr(session.config, "workerinput"):
        Report.begin()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first."""
    items.sort(key=lambda item: _place(item.path.name))


def _place(file: str) -> int:
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


@pytest.fixture
def machine(machine_at_play: Machine) -> Machine:
    """The machine, as it was when its table had just been started."""
    machine_at_play.go_back_to(AT_PLAY)
    return machine_at_play


@pytest.fixture
def table(machine: Machine) -> Table:
    """The table that is at play on it."""
    return Table(machine)
