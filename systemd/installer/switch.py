"""From one version to the next, and back by itself when the new one does not become ready, or not well."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from installer import system_files
from installer.layout import DOOR, PAGE, TABLE
from installer.ledger_copy import copy_ledger, fit_ledger
from installer.steps import Step
from installer.target import InstallError, Target
from installer.version import Version, current, forget_others, last_ready, remember_ready

LOG_LINES = "12"
OF_THE_BANK = ("ledger", "bank")
"""What the table calls what it needs for booking. It is ready without them: the rest plays."""
LOOKS, BETWEEN_LOOKS_S = 10, 1.0
"""A disk that is slow to begin with is not held against a new version."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def switch_step(machine: Target, version: Version) -> Step:
    """Play with *version* from now on."""
    old = last_ready(machine) or current(machine)
    if not machine.is_this_one:
        what = f"Have {version.name} started when that system starts"
    elif old and old != version:
        what = f"Stop the table, start {version.name}, and go back to {old.name} if it does not become ready"
    else:
        what = f"Start {version.name}, now and whenever this Pi starts"
    return Step(what, lambda: _switch(machine, old, version), lambda: old == version and _is_at_work(machine, version))


def _is_at_work(machine: Target, version: Version) -> bool:
    if current(machine) != version or not system_files.are_those_of(machine, version):
        return False
    # asked for both at once, systemd says yes if one of them is
    return not machine.is_this_one or all(_is_active(machine, unit) for unit in (TABLE, PAGE))


def _is_active(machine: Target, unit: str) -> bool:
    return machine.tell("systemctl", "is-active", unit)[0] == 0


def _switch(machine: Target, old: Version | None, version: Version) -> None:
    form = None
    faults = _faults_of_the_bank(machine)
    if old:
        # whoever comes after a pulled plug knows where to go back to
        remember_ready(machine, old)
    try:
        system_files.stop(machine)
        form = copy_ledger(machine)
        if done := fit_ledger(machine, version.form(machine)):
            print(f"  {version.name} plays {done}.")
        _start(machine, version)
        if machine.is_this_one:
            _look_at_the_bank(machine, faults if form else dict.fromkeys(OF_THE_BANK, ""))
    except BaseException as problem:  # whatever it is, and Ctrl-C too: a table that was stopped is started again
        if not machine.is_this_one:
            raise
        with _undisturbed():
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
    """Play with the *old* version again; what came of it."""
    said = []
    try:
        system_files.stop(machine)
        said.append(fit_ledger(machine, old.form(machine), was=was) or "nothing was lost")
    except (InstallError, OSError) as problem:
        said.append(f"but the ledger could not be put back: {problem}")
    try:
        _start(machine, old)
    except (InstallError, OSError) as problem:
        return f"and {problem}"
    return f"{old.name} plays again, {', '.join(said)}"


def _stay(machine: Target) -> str:
    if not system_files.are_there(machine):
        return "reboard does not play yet"
    return "reboard is installed, but it does not play yet. `reboard doctor` tells what to do"


def _start(machine: Target, version: Version) -> None:
    """Raises `InstallError` with the end of the log when the table does not become ready."""
    system_files.put(machine, version)
    machine.run("systemctl", "enable", *system_files.ENABLED)
    if not machine.is_this_one:
        return
    machine.tell("systemctl", "reset-failed", TABLE, PAGE)
    status, _ = machine.tell("systemctl", "restart", TABLE)
    if status:
        _, log = machine.tell("journalctl", "--unit", TABLE, "--lines", LOG_LINES, "--no-pager", "--output", "cat")
        tail = "\n    ".join(log.strip().splitlines())
        raise InstallError(f"{version.name} did not become ready. The end of its log:\n    {tail}")
    machine.run("systemctl", "restart", PAGE)


def _look_at_the_bank(machine: Target, before: Mapping[str, str]) -> None:
    """Raises `InstallError` when the bank has a fault that it did not have *before*, and keeps it."""
    for _ in range(LOOKS):
        faults = {part: why for part, why in _faults_of_the_bank(machine).items() if part not in before}
        if not faults:
            return
        machine.wait(BETWEEN_LOOKS_S)
    told = "; ".join(f"{part}: {why}" for part, why in faults.items())
    raise InstallError(f"its table is ready, but not its bank: {told}")


def _faults_of_the_bank(machine: Target) -> dict[str, str]:
    """What the table at work says of its bank; nothing where none is."""
    if not machine.is_this_one:
        return {}
    try:
        faults = machine.ask(DOOR, {"id": 1, "do": "snapshot"})["ok"]["faults"]
        return {part: str(faults[part]) for part in OF_THE_BANK if part in faults}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Nobody ends this, nor the commands that it calls."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
