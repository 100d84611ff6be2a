"""gpiozero's own tests hold on our pins: the virtual ones, and those of the Pi on a made-up libgpiod."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired

import pytest

pytestmark = pytest.mark.realtime

ROOT = Path(__file__).parents[2]
SUITES = {"1.6.2": ROOT / ".venv" / "gpiozero-suite", "2.0.1": ROOT / ".venv" / "gpiozero-source"}
"""The folders with gpiozero's tests, by release. The newer one is only in gpiozero's repository, not in its archive."""

SUBJECTS = ("devices", "inputs", "outputs", "boards", "real_pins", "spi", "spi_devices", "mixins")
PINS = ("virtual", "gpiod")
PASSED = 265
TRIES = 3
"""How often what failed is tried: these tests measure times, and a busy machine is late."""

LONGEST_RUN_S = 90.0
"""The longest run, in seconds. A quiet machine takes 35 s."""

Start = Callable[[str, str], Popen[str]]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Starts the tests that failed before on some pins, and all at first: without the plugins of the tests around."""
    around = ("PYTEST", "COV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(around)}
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    cache = tmp_path_factory.mktemp("gpiozero")
    command = [sys.executable, "-m", "pytest", "-q", "-rX", "--tb=short", "-W", "ignore", "--last-failed"]
    command += ["-c", os.devnull, "--rootdir", ".", "--confcutdir", ".", "-p", "tests.gpiozero_suite.plugin"]

    def started(pins: str, release: str) -> Popen[str]:
        suite = SUITES[release]
        tests = [test for subject in SUBJECTS if (suite / (test := f"tests/test_{subject}.py")).exists()]
        own = {**environment, "GPIOZERO_SUITE_PINS": pins, "GPIOZERO_SUITE_RELEASE": release}
        run = [*command, "-o", f"cache_dir={cache / release / pins}", *tests]
        return Popen(run, cwd=suite, env=own, stdout=PIPE, stderr=PIPE, text=True)

    return started


@pytest.fixture(scope="module")
def runs(start: Start) -> Iterator[dict[tuple[str, str], Popen[str]]]:
    """The first run of each suite on each kind of pins, all at the same time: they wait most of it."""
    releases = [release for release, suite in SUITES.items() if suite.exists()]
    runs = {(pins, release): start(pins, release) for release in releases for pins in PINS}
    yield runs
    for run in runs.values():
        with run:
            run.kill()


@pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has GPIO chips")
@pytest.mark.parametrize("pins", PINS)
@pytest.mark.parametrize("release", SUITES)
def test_the_tests_of_gpiozero_hold(
    pins: str, release: str, start: Start, runs: dict[tuple[str, str], Popen[str]]
) -> None:
    if (pins, release) not in runs:
        pytest.skip("make test-gpiozero fetches gpiozero's tests")
    passed = 0
    for tried in range(TRIES):
        run = start(pins, release) if tried else runs[pins, release]
        try:
            said, problem = run.communicate(timeout=LONGEST_RUN_S)
        except TimeoutExpired:
            run.kill()
            said, problem = run.communicate()
        print(said)
        passed += sum(map(int, re.findall(r"(\d+) passed", said)))
        if run.returncode == 0:
            break
    assert run.returncode == 0, problem
    assert passed >= PASSED
