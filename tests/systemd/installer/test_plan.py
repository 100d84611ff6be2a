from __future__ import annotations

import os
import signal
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch

import pytest

from installer import ledger_copy, plan, system_files, version
from installer.layout import CHECKOUT, COMMAND, CONFIG, CURRENT, POWER, READERS, STATE, SYSTEM_FILES, VERSIONS, WATCHDOG
from installer.plan import install_plan, uninstall_plan
from installer.steps import YesToAll, carry_out
from installer.target import InstallError, Target
from installer.version import NEWEST_FORM, WHOLE, Version, version_of
from tests.systemd.made_up_target import MadeUpTarget, form_of

OLD, NEW, NEWEST = Version("1.0-old"), Version("1.1-new"), Version("1.2-newest")
OLD_AGAIN = "1.0-old plays again"
LEDGER = STATE / "ledger.db"
TABLE, PAGE = "reboard.service", "reboard-page.service"
RESTARTS = [f"systemctl restart {unit}" for unit in (TABLE, PAGE)]


@pytest.fixture(autouse=True)
def small_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no need to copy all of the sources each time."""
    monkeypatch.setattr(version, "PROGRAM", ("LICENSE",))
    monkeypatch.delenv("SUDO_USER", raising=False)


@pytest.fixture
def machine(tmp_path: Path) -> MadeUpTarget:
    return MadeUpTarget(tmp_path / "root")


@pytest.fixture
def old(machine: MadeUpTarget) -> MadeUpTarget:
    """A machine with `OLD` and a ledger."""
    install(machine, OLD)
    write_ledger(machine, form=NEWEST_FORM)
    machine.commands.clear()
    return machine


def install(machine: MadeUpTarget, which: Version) -> None:
    with patch.object(plan, "version_of", lambda: which):
        carry_out(install_plan(machine), YesToAll())


def uninstall(machine: MadeUpTarget, *, with_ledger: bool = False) -> None:
    carry_out(uninstall_plan(machine, with_ledger=with_ledger), YesToAll())


def write_ledger(machine: MadeUpTarget, *, form: int) -> None:
    file = machine.path(LEDGER)
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(f"CREATE TABLE IF NOT EXISTS game (id); PRAGMA user_version = {form};")


def when_put(monkeypatch: pytest.MonkeyPatch, which: Version, do: Callable[[], object]) -> None:
    """Call *do* after the system files of *which* are put in place."""
    put = system_files.put

    def put_and_do(machine: Target, what: Version) -> None:
        put(machine, what)
        if what == which:
            do()

    monkeypatch.setattr(system_files, "put", put_and_do)


def no_room(*_: object) -> NoReturn:
    raise OSError(28, "No space left on device")


def test_a_first_install(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "anna")
    install(machine, OLD)
    assert machine.plays() == OLD
    for name, there in SYSTEM_FILES.items():
        assert machine.path(there).read_bytes() == (CHECKOUT / "systemd" / name).read_bytes()
    assert machine.path(CONFIG).read_bytes() == (CHECKOUT / "firmware/reboard/setup/table.toml").read_bytes()
    assert machine.path(CONFIG).stat().st_mode & 0o777 == 0o640
    assert machine.path(READERS).exists()
    assert "\nRuntimeWatchdogSec=10s\n" in machine.path(WATCHDOG).read_text()
    assert "reboard-page" in machine.path(POWER).read_text()
    assert machine.path(COMMAND).readlink() == CURRENT / "bin/reboard"
    assert machine.commands_with("apt-get install", "python3-systemd")
    assert machine.commands_with(f"systemctl enable {TABLE} {PAGE} reboard-motor.service")
    assert machine.commands_with("usermod --append --groups reboard,reboard-control anna")
    assert not machine.path(VERSIONS / OLD.name / "source").exists()
    # users and rules are there before the table starts
    order = [
        next(place for place, command in enumerate(machine.commands) if command.startswith(begin))
        for begin in ("systemd-sysusers", "systemd-tmpfiles", "systemctl daemon-reload", "systemctl restart reboard")
    ]
    assert order == sorted(order)


NO_PACKAGES = "ERROR: No matching distribution found for setuptools\n" + "note: this is not ours\n" * 30
NO_INTERNET = "--wheels"


@pytest.mark.parametrize(
    ("says", "cause"),
    [
        (f"after connection broken by 'NewConnectionError'\n{NO_PACKAGES}", NO_INTERNET),
        (f"Max retries exceeded (Caused by '[SSL: CERTIFICATE_VERIFY_FAILED] not yet valid')\n{NO_PACKAGES}", "`date`"),
        ("    pip._vendor.requests.exceptions.ConnectionError: Read timed out\n[end of output]", NO_INTERNET),
        ("Traceback:\nConnectionResetError: [Errno 104] Connection reset by peer", NO_INTERNET),
        (f"Ignored the following versions that require a different Python\n{NO_PACKAGES}", "this failed: "),
        ("after connection broken by 'ReadTimeoutError'\nERROR: No space left on device", "No space left on device"),
    ],
)
def test_a_pip_failure_names_its_cause(machine: MadeUpTarget, says: str, cause: str) -> None:
    with pytest.raises(InstallError, match=cause):
        install(replace(machine, pip_says=says), OLD)


@pytest.mark.parametrize("inactive", [set(), {TABLE}, {PAGE}], ids=str)
def test_a_second_install_only_starts_inactive_units(old: MadeUpTarget, inactive: set[str]) -> None:
    install(old, NEW)
    old.inactive.update(inactive)
    old.commands.clear()
    install(old, NEW)
    changes = [command for command in old.commands if not command.startswith("systemctl is-active")]
    assert changes[-2:] == (RESTARTS if inactive else [])
    assert old.versions() == {OLD.name, NEW.name}


def test_an_upgrade_keeps_the_config_and_the_previous_version(old: MadeUpTarget) -> None:
    old.path(CONFIG).write_text("mine")
    old.path(READERS).write_text("mine too")
    install(old, NEW)
    assert old.plays() == NEW
    assert old.versions() == {OLD.name, NEW.name}
    assert old.path(CONFIG).read_text() == "mine"
    assert old.path(READERS).read_text() == "mine too"
    install(old, NEWEST)
    assert old.versions() == {NEW.name, NEWEST.name}


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ("not ready", "1.1-new did not become ready.*it broke.*1.0-old plays again, nothing"),
        ("no room", "No space left.*1.0-old plays again, nothing was"),
        ("ledger", "not its bank: ledger: a newer reboard wrote it.*1.0-old plays again"),
        ("bank", "not its bank: bank: a newer reboard wrote it.*1.0-old plays again"),
        ("ledger of another form", "1.0-old plays again, with the ledger as it was before"),
        ("no room to restore", "1.0-old plays again, .*No space"),
        (KeyboardInterrupt, "1.0-old plays again"),
        (SystemExit, ""),
    ],
)
def test_a_failed_upgrade_is_rolled_back(
    old: MadeUpTarget, monkeypatch: pytest.MonkeyPatch, failure: str | type[BaseException], message: str
) -> None:
    def fail() -> None:
        match failure:
            case "not ready":
                old.broken.add(NEW.name)
            case "ledger" | "bank":
                old.at_fault[NEW.name] = {failure: "a newer reboard wrote it"}
            case "ledger of another form" | "no room to restore":
                old.broken.add(NEW.name)
                write_ledger(old, form=NEWEST_FORM + 1)
            case type():
                raise failure

    old.path(VERSIONS / OLD.name / "systemd" / TABLE).write_text("as it was")
    when_put(monkeypatch, NEW, fail)
    if work := {"no room": "_keep", "no room to restore": "_set_aside_and_replace"}.get(str(failure)):
        monkeypatch.setattr(ledger_copy, work, no_room)
    with pytest.raises((InstallError, SystemExit), match=f"(?s){message}"):
        install(old, NEW)
    assert old.plays() == OLD
    assert old.path(SYSTEM_FILES[TABLE]).read_text() == "as it was"
    assert form_of(old.path(LEDGER)) == NEWEST_FORM + (failure == "no room to restore")
    assert old.commands_with("systemctl restart")[-2:] == RESTARTS


@pytest.mark.parametrize(
    ("part", "was_so_before", "can_be_read"),
    [("ledger", True, True), ("left slot", False, True), ("ledger", False, False)],
)
def test_an_older_fault_does_not_stop_an_upgrade(
    old: MadeUpTarget, part: str, was_so_before: bool, can_be_read: bool
) -> None:
    fault = {part: "it is not there"}
    old.at_fault.update({NEW.name: fault, OLD.name: fault if was_so_before else {}})
    if not can_be_read:
        old.path(LEDGER).write_bytes(b"no ledger at all" * 1000)
    install(old, NEW)
    assert old.plays() == NEW


@pytest.mark.parametrize("has_older_ledger", [True, False])
def test_a_downgrade_needs_the_older_ledger(
    old: MadeUpTarget, has_older_ledger: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    if not has_older_ledger:
        old.path(LEDGER).unlink()
    install(old, NEW)
    write_ledger(old, form=NEWEST_FORM + 1)
    old.path(NEW.folder / WHOLE).write_text(f"{NEWEST_FORM + 1}")
    if has_older_ledger:
        install(old, OLD)
        assert form_of(old.path(STATE / "ledger.db.set-aside-1")) == NEWEST_FORM + 1
        assert "with the ledger as it was before" in capsys.readouterr().out
    else:
        with pytest.raises(InstallError, match=r"1.1-new plays again, nothing was lost"):
            install(old, OLD)
    assert old.plays() == (OLD if has_older_ledger else NEW)
    assert form_of(old.path(LEDGER)) == NEWEST_FORM + (not has_older_ledger)


def test_a_rollback_is_not_interrupted(old: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    old.broken.add(NEW.name)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        when_put(monkeypatch, OLD, partial(os.kill, os.getpid(), number))
    with pytest.raises(InstallError, match=OLD_AGAIN):
        install(old, NEW)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_power_cut_keeps_the_version_to_roll_back_to(old: MadeUpTarget) -> None:
    install(old, NEW)
    # a power cut leaves this: the newest is started, and never became ready
    with patch.object(plan, "version_of", lambda: NEWEST):
        for step in install_plan(old)[:-2]:
            step.do()
    system_files.put(old, NEWEST)
    old.broken.add(NEWEST.name)
    with pytest.raises(InstallError, match=r"1.1-new plays again"):
        install(old, NEWEST)
    assert old.plays() == NEW
    assert {OLD.name, NEW.name} <= old.versions()


def test_an_incomplete_version_is_rebuilt(machine: MadeUpTarget) -> None:
    half = machine.path(VERSIONS / OLD.name)
    (half / "bin").mkdir(parents=True)
    (half / "rubbish").touch()
    install(machine, OLD)
    assert machine.versions() == {OLD.name}
    assert not (half / "rubbish").exists()


def test_into_another_root_nothing_is_started(tmp_path: Path) -> None:
    machine = MadeUpTarget(tmp_path / "card", runs=False)
    install(machine, OLD)
    assert machine.plays() == OLD
    assert machine.commands_with("systemctl enable")
    for words in ("systemctl restart", "udevadm", "daemon-reload"):
        assert not machine.commands_with(words)
    machine.commands.clear()
    install(machine, OLD)
    assert machine.commands == []


@pytest.mark.parametrize(
    ("package", "of_pip"),
    [("python3-lgpio", "lgpio>="), ("python3-libgpiod", "gpiod>="), ("python3-alsaaudio", "pyalsaaudio>=")],
)
@pytest.mark.parametrize("has", ["it is there", "it can be had", "it is too old", "it cannot be had"])
def test_pip_installs_a_library_only_if_the_os_has_none(
    machine: MadeUpTarget, has: str, package: str, of_pip: str
) -> None:
    if has != "it is there":
        machine.packages.remove(package)
    {"it can be had": machine.store, "it is too old": machine.too_old}.get(has, set()).add(package)
    install(machine, OLD)
    is_too_old = has == "it is too old" and package == "python3-libgpiod"
    assert bool(machine.commands_with("pip install", of_pip)) == (is_too_old or has == "it cannot be had")


def test_uninstall_keeps_the_config_and_the_games(old: MadeUpTarget) -> None:
    uninstall(old)
    files = {path.relative_to(old.root) for path in old.files()}
    assert files == {place.relative_to("/") for place in (CONFIG, READERS, LEDGER)}
    assert not old.path(VERSIONS).exists()
    assert old.commands_with("systemctl stop reboard-motor.service")
    assert old.commands_with("systemctl disable")
    uninstall(old, with_ledger=True)
    assert old.files() == []
    assert old.commands_with("userdel reboard-page")


def test_uninstall_keeps_files_of_others(machine: MadeUpTarget) -> None:
    install(machine, OLD)
    home = Path("/home/anna")
    machine.path(CONFIG).write_text(f'[state]\ndirectory = "{home}"\n')
    (machine.path(home) / "editions.last-good/1").mkdir(parents=True)
    (machine.path(VERSIONS) / "1-of-mine").mkdir()
    theirs = [home / "thesis.odt", VERSIONS / "1-of-mine/a.wav", CONFIG.parent / "own.toml"]
    for place in (*theirs, *(home / name for name in ("ledger.db", "ledger.db.form-1", "table.last-good.toml"))):
        machine.path(place).write_text("precious")
    install(machine, NEW)
    uninstall(machine, with_ledger=True)
    assert machine.files() == sorted(map(machine.path, theirs))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights that the player has not")
@pytest.mark.parametrize("is_a_link", [False, True])
def test_uninstall_removes_only_what_the_player_may_remove(is_a_link: bool) -> None:
    player = 65_534
    with tempfile.TemporaryDirectory() as folder:  # only root may enter pytest's own
        machine = MadeUpTarget(Path(folder))
        machine.root.chmod(0o755)
        install(machine, OLD)
        state = machine.path(STATE)
        real = machine.path(Path("/home/root")) if is_a_link else state
        (real / "ledger.db.d").mkdir(parents=True)
        (real / "ledger.db.d/precious").write_text("of root")
        if is_a_link:
            state.parent.mkdir(parents=True)
            state.symlink_to(real)
        os.chown(state, player, player, follow_symlinks=False)
        with pytest.raises(PermissionError):
            uninstall(machine, with_ledger=True)
        assert (real / "ledger.db.d/precious").read_text() == "of root"
    assert os.geteuid() == 0


def test_a_version_name_has_the_number_and_a_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "PROGRAM", ("firmware",))
    monkeypatch.setattr(version, "MORE", ())
    package = tmp_path / "firmware/reboard"
    (package / "__pycache__").mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "2.5"\n')
    (package / "table.py").write_text("one")
    first = version_of(tmp_path)
    assert first.name.startswith("2.5-")
    (package / "__pycache__/table.pyc").write_text("of another Python")
    assert version_of(tmp_path) == first
    (package / "table.py").write_text("two")
    assert version_of(tmp_path) != first
