from __future__ import annotations

import os
import signal
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from installer import ledger_copy, plan, system_files, version
from installer.layout import CHECKOUT, COMMAND, CONFIG, CURRENT, READERS, STATE, SYSTEM_FILES, VERSIONS, WATCHDOG
from installer.plan import install_plan, uninstall_plan
from installer.steps import YesToAll, carry_out
from installer.target import InstallError, Target
from installer.version import NEWEST_FORM, WHOLE, Version, version_of
from tests.systemd.made_up_target import MadeUpTarget

OLD, NEW, NEWEST = Version("1.0-old"), Version("1.1-new"), Version("1.2-newest")


@pytest.fixture
def machine(tmp_path: Path) -> MadeUpTarget:
    return MadeUpTarget(tmp_path / "root")


@pytest.fixture(autouse=True)
def small_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no need to copy all of the sources each time."""
    monkeypatch.setattr(version, "PROGRAM", ("LICENSE",))
    monkeypatch.delenv("SUDO_USER", raising=False)


def install(machine: MadeUpTarget, which: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "version_of", lambda: which)
    carry_out(install_plan(machine), YesToAll())


def book(machine: MadeUpTarget, *, form: int) -> None:
    """Have a ledger of that *form* there."""
    file = machine.path(STATE / "ledger.db")
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(f"CREATE TABLE IF NOT EXISTS game (id); PRAGMA user_version = {form};")


def form(machine: MadeUpTarget, name: str = "ledger.db") -> int:
    with closing(sqlite3.connect(machine.path(STATE / name))) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def changing_the_ledger(machine: MadeUpTarget, which: Version, monkeypatch: pytest.MonkeyPatch, *, form: int) -> None:
    """The version *which* brings the ledger to a new *form*, and does not become ready."""
    machine.broken.add(which.name)
    put = system_files.put

    def changing(on: Target, what: Version) -> None:
        put(on, what)
        if what == which:
            book(machine, form=form)

    monkeypatch.setattr(system_files, "put", changing)


def no_room(*_: object) -> NoReturn:
    raise OSError(28, "No space left on device")


def uninstall(machine: MadeUpTarget, *, with_ledger: bool = False) -> None:
    carry_out(uninstall_plan(machine, with_ledger=with_ledger), YesToAll())


def test_a_first_install(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    assert machine.plays() == OLD
    for name, there in SYSTEM_FILES.items():
        assert machine.path(there).read_bytes() == (CHECKOUT / "systemd" / name).read_bytes()
    assert machine.path(CONFIG).read_bytes() == (CHECKOUT / "firmware/reboard/setup/table.toml").read_bytes()
    assert machine.path(CONFIG).stat().st_mode & 0o777 == 0o640
    assert machine.path(READERS).exists()
    assert "\nRuntimeWatchdogSec=10s\n" in machine.path(WATCHDOG).read_text()
    assert machine.path(COMMAND).readlink() == CURRENT / "bin/reboard"
    assert machine.commands_with("apt-get install", "python3-systemd")
    assert machine.commands_with("systemctl enable reboard.service reboard-page.service reboard-motor.service")
    assert not machine.path(VERSIONS / OLD.name / "source").exists()


NO_PACKAGES = "ERROR: No matching distribution found for setuptools\n" + "note: this is not ours\n" * 30
NO_INTERNET = "--wheels"


@pytest.mark.parametrize(
    ("says", "cause"),
    [
        (f"after connection broken by 'NewConnectionError'\n{NO_PACKAGES}", NO_INTERNET),
        (f"Max retries exceeded (Caused by '[SSL: CERTIFICATE_VERIFY_FAILED] not yet valid')\n{NO_PACKAGES}", "`date`"),
        (
            "    pip._vendor.requests.exceptions.ConnectionError: Read timed out\n[end of output]",
            NO_INTERNET,
        ),
        ("Traceback:\nConnectionResetError: [Errno 104] Connection reset by peer", NO_INTERNET),
        (f"Ignored the following versions that require a different Python\n{NO_PACKAGES}", "this failed: "),
        ("after connection broken by 'ReadTimeoutError'\nERROR: No space left on device", "No space left on device"),
    ],
)
def test_a_pip_failure_names_its_cause(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch, says: str, cause: str
) -> None:
    with pytest.raises(InstallError, match=cause):
        install(replace(machine, pip_says=says), OLD, monkeypatch)


def test_users_and_rules_are_there_before_the_table_starts(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    order = [
        next(place for place, command in enumerate(machine.commands) if command.startswith(begin))
        for begin in ("systemd-sysusers", "systemd-tmpfiles", "systemctl daemon-reload", "systemctl restart reboard")
    ]
    assert order == sorted(order)


def test_a_second_install_changes_nothing(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    machine.commands.clear()
    install(machine, OLD, monkeypatch)
    assert machine.commands == ["systemctl is-active reboard.service", "systemctl is-active reboard-page.service"]


@pytest.mark.parametrize("unit", ["reboard.service", "reboard-page.service"])
def test_a_second_install_starts_an_inactive_unit(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    install(machine, OLD, monkeypatch)
    install(machine, NEW, monkeypatch)
    machine.inactive.add(unit)
    machine.commands.clear()
    install(machine, NEW, monkeypatch)
    assert machine.commands_with("systemctl restart", unit)
    assert machine.versions() == {OLD.name, NEW.name}


def test_an_upgrade_keeps_the_config_and_the_previous_version(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    machine.path(CONFIG).write_text("mine")
    machine.path(READERS).write_text("mine too")
    install(machine, NEW, monkeypatch)
    assert machine.plays() == NEW
    assert machine.versions() == {OLD.name, NEW.name}
    assert machine.path(CONFIG).read_text() == "mine"
    assert machine.path(READERS).read_text() == "mine too"
    install(machine, NEWEST, monkeypatch)
    assert machine.versions() == {NEW.name, NEWEST.name}


def test_a_version_that_does_not_become_ready_is_rolled_back(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    machine.path(VERSIONS / OLD.name / "systemd/reboard.service").write_text("as it was")
    machine.broken.add(NEW.name)
    with pytest.raises(InstallError, match=r"(?s)1.1-new did not become ready.*it broke.*1.0-old plays again, nothing"):
        install(machine, NEW, monkeypatch)
    assert machine.plays() == OLD
    assert machine.path(SYSTEM_FILES["reboard.service"]).read_text() == "as it was"
    assert machine.commands_with("systemctl restart reboard-page.service")


def test_a_failed_ledger_copy_stops_the_upgrade(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    book(machine, form=NEWEST_FORM)
    machine.commands.clear()
    monkeypatch.setattr(ledger_copy, "_keep", no_room)
    with pytest.raises(InstallError, match=r"(?s)No space left.*1.0-old plays again, nothing was"):
        install(machine, NEW, monkeypatch)
    assert machine.plays() == OLD
    assert machine.commands_with("systemctl restart reboard.service")


@pytest.mark.parametrize("part", ["ledger", "bank"])
def test_a_version_without_its_bank_is_rolled_back(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    install(machine, OLD, monkeypatch)
    book(machine, form=NEWEST_FORM)
    machine.at_fault[NEW.name] = {part: "a newer reboard wrote it"}
    with pytest.raises(InstallError, match=rf"(?s)not its bank: {part}: a newer reboard wrote it.*1.0-old plays again"):
        install(machine, NEW, monkeypatch)
    assert machine.plays() == OLD


@pytest.mark.parametrize("why", ["it was so before", "it is of another part", "it was so when the ledger was read"])
def test_an_older_fault_does_not_stop_an_upgrade(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    install(machine, OLD, monkeypatch)
    book(machine, form=NEWEST_FORM)
    machine.at_fault[NEW.name] = {"ledger": "the disk fails"}
    if why == "it was so before":
        machine.at_fault[OLD.name] = {"ledger": "the disk fails"}
    elif why == "it is of another part":
        machine.at_fault[NEW.name] = {"left slot": "/dev/ttyUSB0 is not there"}
    else:
        machine.path(STATE / "ledger.db").write_bytes(b"no ledger at all" * 1000)
    install(machine, NEW, monkeypatch)
    assert machine.plays() == NEW


def test_a_rollback_restores_the_ledger(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    book(machine, form=NEWEST_FORM)
    changing_the_ledger(machine, NEW, monkeypatch, form=NEWEST_FORM + 1)
    with pytest.raises(InstallError, match=r"1.0-old plays again, with the ledger as it was before"):
        install(machine, NEW, monkeypatch)
    assert form(machine) == NEWEST_FORM


def test_a_failed_ledger_restore_still_starts_the_table(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    book(machine, form=NEWEST_FORM)
    changing_the_ledger(machine, NEW, monkeypatch, form=NEWEST_FORM + 1)
    monkeypatch.setattr(ledger_copy, "_set_aside_and_replace", no_room)
    with pytest.raises(InstallError, match=r"1.0-old plays again, .*No space"):
        install(machine, NEW, monkeypatch)
    assert machine.plays() == OLD
    assert machine.commands_with("systemctl restart")[-2:] == [
        "systemctl restart reboard.service",
        "systemctl restart reboard-page.service",
    ]


def test_a_downgrade_uses_the_older_ledger(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(machine, OLD, monkeypatch)
    book(machine, form=NEWEST_FORM)
    install(machine, NEW, monkeypatch)
    book(machine, form=NEWEST_FORM + 1)
    machine.path(NEW.folder / WHOLE).write_text(f"{NEWEST_FORM + 1}")
    install(machine, OLD, monkeypatch)
    assert machine.plays() == OLD
    assert form(machine) == NEWEST_FORM
    assert form(machine, "ledger.db.set-aside-1") == NEWEST_FORM + 1
    assert "with the ledger as it was before" in capsys.readouterr().out


def test_a_downgrade_without_an_older_ledger_is_an_error(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    install(machine, NEW, monkeypatch)
    machine.path(NEW.folder / WHOLE).write_text(f"{NEWEST_FORM + 1}")
    book(machine, form=NEWEST_FORM + 1)
    with pytest.raises(InstallError, match=r"1.1-new plays again, nothing was lost"):
        install(machine, OLD, monkeypatch)
    assert machine.plays() == NEW
    assert form(machine) == NEWEST_FORM + 1


@pytest.mark.parametrize("by", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_upgrade_is_rolled_back(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch, by: type[BaseException]
) -> None:
    install(machine, OLD, monkeypatch)
    put = system_files.put

    def interrupted(machine: Target, which: Version) -> None:
        put(machine, which)
        if which == NEW:
            raise by

    monkeypatch.setattr(system_files, "put", interrupted)
    with pytest.raises((InstallError, SystemExit)):
        install(machine, NEW, monkeypatch)
    assert machine.plays() == OLD
    assert machine.commands_with("systemctl restart")[-1] == "systemctl restart reboard-page.service"


def test_a_rollback_is_not_interrupted(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    machine.broken.add(NEW.name)
    put, before = system_files.put, signal.getsignal(signal.SIGINT)

    def impatient(machine: Target, which: Version) -> None:
        put(machine, which)
        if which == OLD:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                os.kill(os.getpid(), number)

    monkeypatch.setattr(system_files, "put", impatient)
    with pytest.raises(InstallError, match=r"1.0-old plays again"):
        install(machine, NEW, monkeypatch)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_power_cut_keeps_the_version_to_roll_back_to(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    install(machine, NEW, monkeypatch)
    # what the plug leaves behind: the newest is what is started, and never became ready
    monkeypatch.setattr(plan, "version_of", lambda: NEWEST)
    for step in install_plan(machine)[:-2]:
        step.do()
    system_files.put(machine, NEWEST)
    machine.broken.add(NEWEST.name)
    with pytest.raises(InstallError, match=r"1.1-new plays again"):
        install(machine, NEWEST, monkeypatch)
    assert machine.plays() == NEW
    assert {OLD.name, NEW.name} <= machine.versions()


def test_an_incomplete_version_is_rebuilt(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    half = machine.path(VERSIONS / OLD.name)
    (half / "bin").mkdir(parents=True)
    (half / "rubbish").touch()
    install(machine, OLD, monkeypatch)
    assert machine.versions() == {OLD.name}
    assert not (half / "rubbish").exists()


def test_into_another_root_nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = MadeUpTarget(tmp_path / "card", runs=False)
    install(machine, OLD, monkeypatch)
    assert machine.plays() == OLD
    assert machine.commands_with("systemctl enable")
    assert (
        not machine.commands_with("systemctl restart")
        + machine.commands_with("udevadm")
        + machine.commands_with("daemon-reload")
    )
    machine.commands.clear()
    install(machine, OLD, monkeypatch)
    assert machine.commands == []


@pytest.mark.parametrize(
    ("package", "of_pip"),
    [("python3-lgpio", "lgpio>="), ("python3-libgpiod", "gpiod>="), ("python3-alsaaudio", "pyalsaaudio>=")],
)
@pytest.mark.parametrize("has", ["it is there", "it can be had", "it cannot be had"])
def test_pip_installs_a_library_only_if_the_os_has_none(
    machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch, has: str, package: str, of_pip: str
) -> None:
    if has != "it is there":
        machine.packages.remove(package)
    if has == "it can be had":
        machine.store.add(package)
    install(machine, OLD, monkeypatch)
    assert bool(machine.commands_with("pip install", of_pip)) == (has == "it cannot be had")


def test_the_installing_user_joins_the_groups(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "anna")
    install(machine, OLD, monkeypatch)
    assert machine.commands_with("usermod --append --groups reboard,reboard-control anna")


def test_uninstall_keeps_the_config_and_the_games(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    machine.path(STATE).mkdir(parents=True)
    machine.path(STATE / "ledger.db").write_text("every game")
    uninstall(machine)
    files = {path.relative_to(machine.root) for path in machine.files()}
    assert files == {place.relative_to("/") for place in (CONFIG, READERS, STATE / "ledger.db")}
    assert not machine.path(VERSIONS).exists()
    assert machine.commands_with("systemctl stop reboard-motor.service")
    assert machine.commands_with("systemctl disable")
    uninstall(machine, with_ledger=True)
    assert machine.files() == []
    assert machine.commands_with("userdel reboard-page")


def test_uninstall_keeps_files_of_others(machine: MadeUpTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    home = Path("/home/anna")
    machine.path(CONFIG).write_text(f'[state]\ndirectory = "{home}"\n')
    (machine.path(home) / "editions.last-good/1").mkdir(parents=True)
    (machine.path(VERSIONS) / "1-of-mine").mkdir()
    theirs = [
        machine.path(place) for place in (home / "thesis.odt", VERSIONS / "1-of-mine/a.wav", CONFIG.parent / "own.toml")
    ]
    ours = [machine.path(home / name) for name in ("ledger.db", "ledger.db.form-1", "table.last-good.toml")]
    for file in (*theirs, *ours):
        file.write_text("precious")
    install(machine, NEW, monkeypatch)
    uninstall(machine, with_ledger=True)
    assert machine.files() == sorted(theirs)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights that the player has not")
@pytest.mark.parametrize("is_a_link", [False, True])
def test_uninstall_removes_only_what_the_player_may_remove(monkeypatch: pytest.MonkeyPatch, is_a_link: bool) -> None:
    player = 65_534
    with tempfile.TemporaryDirectory() as folder:  # only root may enter pytest's own
        machine = MadeUpTarget(Path(folder))
        machine.root.chmod(0o755)
        install(machine, OLD, monkeypatch)
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
    (tmp_path / "firmware/reboard").mkdir(parents=True)
    (tmp_path / "firmware/reboard/__init__.py").write_text('__version__ = "2.5"\n')
    (tmp_path / "firmware/reboard/table.py").write_text("one")
    first = version_of(tmp_path)
    assert first.name.startswith("2.5-")
    (tmp_path / "firmware/reboard/__pycache__").mkdir()
    (tmp_path / "firmware/reboard/__pycache__/table.pyc").write_text("of another Python")
    assert version_of(tmp_path) == first
    (tmp_path / "firmware/reboard/table.py").write_text("two")
    assert version_of(tmp_path) != first
