"""What tests share: virtual time, settings of hypothesis, the root logger, and a browser for tests of pages."""

from __future__ import annotations

import importlib
import inspect
import logging
import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, expect, sync_playwright

from tests.mosquitto import make_mosquitto as make_mosquitto
from tests.virtual import in_real_time, in_virtual_time
from tests.waiting import PATIENCE_S

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
QUIETLY = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

TESTS = Path(__file__).parent
FIRST_PYTHON = {
    "browser": "what a page does in a browser is nothing to the Python that serves it",
    "gpiozero_suite": "gpiozero's devices; those of ours are tested on every Python too",
    "examples/test_gpiozero_examples.py": "the same",
    "hardware": "drawings, parts lists, guides and housings are made once",
    "chaos": "whole processes that are killed; each is tested on every Python too",
    "soak": "long sessions of devices and rules that are tested on every Python too",
    "reboard_sim": "the simulator, which `make test-newest` tests on Python 3.13",
    "reboard/accessories/banker_unit/test_any_game.py": "the same",
    "reboard/accessories/banker_unit/test_any_keys.py": "the same",
    "reboard/accessories/banker_unit/exploration": "the same",
    "reboard/accessories/banker_unit/power_cuts": "what SQLite leaves on a disk",
    "reboard/wiring": "drawings, lists and rules of data, which are looked up and compared",
    "reboard/backup_file": "files, which are packed, checked and moved",
    "reboard/doctor/test_findings.py": "each mistake of a machine; the doctor itself runs on every Python",
    "reboard/test_glossary.py": "documents and catalogues",
    "reboard/test_languages.py": "the same",
    "systemd": "units, which systemd reads",
    "test_benchmarks.py": "`make bench` runs on the first Python",
    "test_debian_control.py": "Debian chooses the Python",
    "test_debian_copyright.py": "the same",
    "test_debian_postinst.py": "the same",
    "test_distribution.py": "one wheel is for every Python",
    "documents": "documents",
}
"""The tests that run on the first Python only, by fixture, folder or file, each with the reason."""

FEW_TESTS = 4


def is_first_python(path: Path) -> bool:
    """Return whether all tests in *path* are for the first Python only."""
    return any(path.is_relative_to(TESTS / name) for name in FIRST_PYTHON)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Let other Pythons not even import the tests for the first one."""
    return (config.option.markexpr == "not first_python" and is_first_python(collection_path)) or None


# how long one example takes is the machine's business
settings.register_profile("reboard", deadline=None, print_blob=True)
settings.load_profile("reboard")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each process of a whole run import other files first, and so compile them for all.

    On a fresh clone they would otherwise all compile the same file at the same time, until each has compiled all.
    """
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker and [Path(each).resolve() for each in config.args] == [TESTS]:
        skipped = {TESTS / name for name in config.getini("norecursedirs")}
        files = [file for file in sorted(TESTS.rglob("test_*.py")) if skipped.isdisjoint(file.parents)]
        files = [file for file in files if not pytest_ignore_collect(file, config)]
        for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            with suppress(Exception, pytest.skip.Exception):  # the collection reports it
                importlib.import_module(".".join(file.relative_to(TESTS.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests for the first Python, and put the files first that can take long.

    Those wait for processes or browsers, or have few tests. If they came last, one processor would work and the others
    would rest.
    """
    tests = Counter(item.path for item in items)
    waiting = {item.path for item in items if item.get_closest_marker("realtime")}

    def place(item: pytest.Item) -> tuple[bool, int]:
        count = tests[item.path]
        is_quick = item.path not in waiting and count > FEW_TESTS
        return is_quick, -count if is_quick else count

    items.sort(key=place)
    only = {path for path in tests if is_first_python(path)}
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()) or item.path in only:
            item.add_marker("first_python")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Run tests that are coroutines: in virtual time, or in real time if they are marked."""
    test = pyfuncitem.obj
    timed = in_real_time if pyfuncitem.get_closest_marker("realtime") else in_virtual_time
    if hasattr(test, "hypothesis"):
        if inspect.iscoroutinefunction(test.hypothesis.inner_test):
            test.hypothesis.inner_test = timed(test.hypothesis.inner_test)
    elif inspect.iscoroutinefunction(test):
        pyfuncitem.obj = timed(test)


@pytest.fixture(autouse=True)
def _no_end_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that sends itself a stop signal must not end pytest some seconds later."""
    monkeypatch.setattr("reboard.service.daemon._end_within", lambda *_: None)


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    """Restore the handlers of stop signals: a stop leaves the default ones, and a later Ctrl-C would end pytest."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """Restore the root logger: `reboard` sends its log to the standard error of a test, which pytest closes."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def chromium() -> dict[str, Any]:
    """How to start Chromium, where there is one, or skip the test.

    ``REBOARD_BROWSER=required`` makes its absence a failure, and ``none`` does without it.
    """
    if os.environ.get("REBOARD_BROWSER") == "none":
        pytest.skip("no browser is wanted")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        missing = f"no browser here: none of {', '.join(BROWSERS)} is on the path"
        if os.environ.get("REBOARD_BROWSER") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    # Chromium's own fence does not work for root, and nothing but our own page is opened
    fence = ("--no-sandbox",) if os.geteuid() == 0 else ()
    return {"executable_path": path, "args": [*QUIETLY, *fence]}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for one file of tests: while it is open no other event loop can run here."""
    options = chromium()
    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()
