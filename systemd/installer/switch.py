"""The switch to another version, and the rollback if the new one does not become ready."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from installer import system_files
from installer.layout import CONTROL_SOCKET, PAGE, TABLE
from installer.ledger_copy import copy_ledger, fit_ledger
from installer.steps import Step
from installer.target import InstallError, Target
from installer.version import Version, current, forget_others, last_ready, remember_ready

LOG_LINES = "12"
OF_THE_BANK = ("ledger", "bank")
"""The faults of the bank. The table is ready in spite of them: the other accessories play."""
MOST_CHECKS, CHECK_PAUSE_S = 10, 1.0
"""A slow disk at the start is not a fault of the new version."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def switch_step(machine: Target, version: Version) -> Step:
    """Return the step that starts *version* in place of the current one."""
    old = last_ready(machine) or current(machine)
    if not machine.is_this_one:
        what = f"Start {version.name} when that system starts"
    elif old and old != version:
        what = f"Stop the table, start {version.name}, and go back to {old.name} if it does not become ready"
    else:
        what = f"Start {version.name}, now and at every start of this Pi"
    return Step(what, lambda: _switch(machine, old, version), lambda: old == version and _is_running(machine, version))


def _is_running(machine: Target, version: Version) -> bool:
    if current(machine) != version or not system_files.are_those_of(machine, version):
        return False
    # for several units at once, `is-active` succeeds if one of them is active
    return not machine.is_this_one or all(_is_active(machine, unit) for unit in (TABLE, PAGE))


def _is_active(machine: Target, unit: str) -> bool:
    return machine.try_run("systemctl", "is-active", unit)[0] == 0


def _switch(machine: Target, old: Version | None, version: Version) -> None:
    form = None
    faults = _bank_faults(machine)
    if old:
        # after a power cut the next install knows the version to roll back to
        remember_ready(machine, old)
    try:
        system_files.stop(machine)
        form = copy_ledger(machine)
        if done := fit_ledger(machine, version.form(machine)):
            print(f"  {version.name} plays {done}.")
        _start(machine, version)
        if machine.is_this_one:
            _check_bank(machine, faults if form else dict.fromkeys(OF_THE_BANK, ""))
    except BaseException as problem:  # Ctrl-C too: start the stopped table again
        if not machine.is_this_one:
            raise
        with _signals_ignored():
            outcome = _go_back(machine, old, was=form) if old and old != version else _stay(machine)
        match problem:
            case InstallError() | OSError():
                raise InstallError(f"{problem}\n{outcome}") from None
            case KeyboardInterrupt():
                raise InstallError(f"it was interrupted\n{outcome}") from None
        raise
    remember_ready(machine, version)
    if old != version:
        forget_others(machine, old, version)


def _go_back(machine: Target, old: Version, *, was: int | None) -> str:
    """Start the *old* version again, and return the result in words."""
    said = []
    try:
        system_files.stop(machine)
        said.append(fit_ledger(machine, old.form(machine), was=was) or "nothing was lost")
    except (InstallError, OSError) as problem:
        said.append(f"but the ledger could not be restored: {problem}")
    try:
        _start(machine, old)
    except (InstallError, OSError) as problem:
        return f"and {problem}"
    return f"{old.name} plays again, {', '.join(said)}"


def _stay(machine: Target) -> str:
    if not system_files.are_there(machine):
        return "reboard is not installed completely: start the installer again"
    return "reboard is installed, but it does not play yet. Run `reboard doctor`"


def _start(machine: Target, version: Version) -> None:
    """Raises `InstallError` with the end of the log if the table does not become ready."""
    system_files.put(machine, version)
    machine.run("systemctl", "enable", *system_files.ENABLED)
    if not machine.is_this_one:
        return
    machine.try_run("systemctl", "reset-failed", TABLE, PAGE)
    status, _ = machine.try_run("systemctl", "restart", TABLE)
    if status:
        _, log = machine.try_run("journalctl", "--unit", TABLE, "--lines", LOG_LINES, "--no-pager", "--output", "cat")
        tail = "\n    ".join(log.strip().splitlines())
        raise InstallError(f"{version.name} did not become ready. The end of its log:\n    {tail}")
    machine.run("systemctl", "restart", PAGE)


def _check_bank(machine: Target, before: Mapping[str, str]) -> None:
    """Raises `InstallError` if the bank has a lasting fault that it did not have *before*."""
    for _ in range(MOST_CHECKS):
        faults = {part: why for part, why in _bank_faults(machine).items() if part not in before}
        if not faults:
            return
        machine.wait(CHECK_PAUSE_S)
    found = "; ".join(f"{part}: {why}" for part, why in faults.items())
    raise InstallError(f"its table is ready, but not its bank: {found}")


def _bank_faults(machine: Target) -> dict[str, str]:
    """Return the faults of the bank of the running table."""
    if not machine.is_this_one:
        return {}
    try:
        faults = machine.ask(CONTROL_SOCKET, {"id": 1, "do": "snapshot"})["ok"]["faults"]
        return {part: str(faults[part]) for part in OF_THE_BANK if part in faults}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


@contextmanager
def _signals_ignored() -> Iterator[None]:
    before = {number: signal.signal(number, signal.SIG_IGN) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
