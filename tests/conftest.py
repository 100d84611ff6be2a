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
from functools import partial
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
FEW_TESTS = 4


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
        for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            with suppress(Exception, pytest.skip.Exception):  # the collection reports it
                importlib.import_module(".".join(file.relative_to(TESTS.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files first that can take long.

    Those have few tests, or wait for processes or browsers, the largest first. If they came last, one processor would
    work and the others would rest.
    """
    tests = Counter(item.path for item in items)
    waiting = {item.path for item in items if item.get_closest_marker("realtime")}
    sizes = {path: path.stat().st_size for path in waiting}

    def place(item: pytest.Item) -> tuple[int, int]:
        path = item.path
        if path in waiting:
            return 0, -sizes[path]
        count = tests[path]
        return (1, count) if count <= FEW_TESTS else (2, -count)

    items.sort(key=place)


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
        # each frame of a drawing that moves costs processor time: a test of motion asks for it
        for opened in (browser.new_context, browser.new_page):
            setattr(browser, opened.__name__, partial(opened, reduced_motion="reduce"))
        yield browser
        browser.close()
