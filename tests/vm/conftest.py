"""The machine that the tests of one file share. Before each test it goes back to the same moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.vm.machine.machine import Machine
from tests.vm.machine.table import Table
from tests.vm.making.at_play import AT_PLAY, disk_at_play
from tests.vm.report import begin_report

LONGEST = ("test_card.py", "test_power_cuts.py", "test_motor.py", "test_install.py", "test_safe_mode.py")
"""They take minutes, so they come first. Then no process is left with one of them at the end."""


@pytest.fixture(scope="module")
def machine_at_play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine whose table was started, and waits."""
    directory = tmp_path_factory.mktemp("machine", numbered=True)
    disk = disk_at_play(directory)
    with closing(Machine(disk, directory)) as machine:
        machine.power_on(AT_PLAY)
        yield machine
    disk.unlink()


@pytest.fixture
def machine(machine_at_play: Machine) -> Machine:
    """The machine, as it was when its table had just been started."""
    machine_at_play.go_back_to(AT_PLAY)
    return machine_at_play


@pytest.fixture
def table(machine: Machine) -> Table:
    return Table(machine)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # a worker of pytest-xdist adds to the report of its main process
        begin_report()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
