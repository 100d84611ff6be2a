from __future__ import annotations

from pathlib import Path

import pytest

from installer import plan, system_files, version
from installer.layout import CHECKOUT, COMMAND, CONFIG, CURRENT, READERS, STATE, SYSTEM_FILES, VERSIONS
from installer.machine import InstallError, Machine
from installer.plan import install_plan, uninstall_plan
from installer.steps import Agreed, Step, carry_out
from installer.version import Version, version_of
from tests.systemd.made_up_machine import MadeUpMachine

OLD, NEW, NEWEST = Version("1.0-old"), Version("1.1-new"), Version("1.2-newest")


@pytest.fixture
def machine(tmp_path: Path) -> MadeUpMachine:
    return MadeUpMachine(tmp_path / "root")


@pytest.fixture(autouse=True)
def small_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no need to copy all of the sources each time."""
    monkeypatch.setattr(version, "PROGRAM", ("LICENSE",))
    monkeypatch.delenv("SUDO_USER", raising=False)


def install(machine: MadeUpMachine, which: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "version_of", lambda: which)
    carry_out(install_plan(machine), Agreed())


def uninstall(machine: MadeUpMachine, *, with_ledger: bool = False) -> None:
    carry_out(uninstall_plan(machine, with_ledger=with_ledger), Agreed())


def test_a_first_install_puts_everything_in_its_place(machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    assert machine.plays() == OLD
    for name, there in SYSTEM_FILES.items():
        assert machine.path(there).read_bytes() == (CHECKOUT / "systemd" / name).read_bytes()
    assert machine.path(CONFIG).read_bytes() == (CHECKOUT / "hardware/table.toml").read_bytes()
    assert machine.path(CONFIG).stat().st_mode & 0o777 == 0o640
    assert machine.path(READERS).exists()
    assert machine.path(COMMAND).readlink() == CURRENT / "bin/reboard"
    assert machine.told_to("apt-get install", "python3-systemd")
    assert machine.told_to("systemctl enable reboard.service reboard-page.service reboard-motor.service")
    assert not machine.path(VERSIONS / OLD.name / "source").exists()


def test_users_and_rules_are_there_before_the_table_starts(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    order = [
        next(place for place, command in enumerate(machine.told) if command.startswith(begin))
        for begin in ("systemd-sysusers", "systemd-tmpfiles", "systemctl daemon-reload", "systemctl restart reboard")
    ]
    assert order == sorted(order)


def test_a_second_time_there_is_nothing_left_to_do(machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    machine.told.clear()
    install(machine, OLD, monkeypatch)
    assert machine.told == ["systemctl is-active reboard.service reboard-page.service"]


def test_an_upgrade_keeps_the_config_and_the_version_before(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
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


def test_a_version_that_does_not_become_ready_makes_room_for_the_one_before(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    machine.path(VERSIONS / OLD.name / "systemd/reboard.service").write_text("as it was")
    machine.broken.add(NEW.name)
    with pytest.raises(InstallError, match=r"(?s)1.1-new did not become ready.*it broke.*1.0-old plays again: nothing"):
        install(machine, NEW, monkeypatch)
    assert machine.plays() == OLD
    assert machine.path(SYSTEM_FILES["reboard.service"]).read_text() == "as it was"
    assert machine.told_to("systemctl restart reboard-page.service")


def test_a_first_version_that_does_not_become_ready_stays_and_says_what_to_do(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.broken.add(OLD.name)
    with pytest.raises(InstallError, match="`reboard doctor` tells what to do"):
        install(machine, OLD, monkeypatch)
    assert machine.plays() == OLD


def test_when_not_even_the_version_before_starts_both_are_told(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    machine.broken.update({OLD.name, NEW.name})
    with pytest.raises(InstallError, match=r"(?s)1.1-new did not become ready.*and 1.0-old did not become ready"):
        install(machine, NEW, monkeypatch)


def test_when_the_ledger_cannot_be_copied_the_version_before_plays_on(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    machine.path(STATE).mkdir(parents=True)
    machine.path(STATE / "ledger.db").write_bytes(b"no ledger at all" * 1000)
    machine.told.clear()
    with pytest.raises(InstallError, match=r"(?s)could not be copied, so no other.*1.0-old plays again: nothing"):
        install(machine, NEW, monkeypatch)
    assert machine.plays() == OLD
    assert machine.told_to("systemctl restart reboard.service")


def test_when_the_disk_is_full_the_version_before_plays_on(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    put = system_files.put

    def full(machine: Machine, which: Version) -> None:
        if which == NEW:
            raise OSError(28, "No space left on device")
        put(machine, which)

    monkeypatch.setattr(system_files, "put", full)
    with pytest.raises(InstallError, match=r"(?s)No space left on device.*1.0-old plays again"):
        install(machine, NEW, monkeypatch)
    assert machine.plays() == OLD


def test_a_version_that_was_cut_off_is_made_anew(machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    half = machine.path(VERSIONS / OLD.name)
    (half / "bin").mkdir(parents=True)
    (half / "rubbish").touch()
    install(machine, OLD, monkeypatch)
    assert machine.versions() == {OLD.name}
    assert not (half / "rubbish").exists()


def test_into_another_root_nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = MadeUpMachine(tmp_path / "card", runs=False)
    install(machine, OLD, monkeypatch)
    assert machine.plays() == OLD
    assert machine.told_to("systemctl enable")
    assert not machine.told_to("systemctl restart") + machine.told_to("udevadm") + machine.told_to("daemon-reload")
    machine.told.clear()
    install(machine, OLD, monkeypatch)
    assert machine.told == []


@pytest.mark.parametrize(("package", "of_pip"), [("python3-lgpio", "lgpio>="), ("python3-alsaaudio", "pyalsaaudio>=")])
@pytest.mark.parametrize("has", ["it is there", "it can be had", "it cannot be had"])
def test_pips_library_serves_only_where_the_os_has_none(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch, has: str, package: str, of_pip: str
) -> None:
    if has != "it is there":
        machine.packages.remove(package)
    if has == "it can be had":
        machine.store.add(package)
    install(machine, OLD, monkeypatch)
    assert bool(machine.told_to("pip install", of_pip)) == (has == "it cannot be had")


def test_without_the_internet_the_packages_come_from_a_folder(
    machine: MadeUpMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wheels").mkdir()
    monkeypatch.setattr(plan, "version_of", lambda: OLD)
    carry_out(install_plan(machine, wheels=tmp_path / "wheels"), Agreed())
    assert machine.told_to("pip install", "--no-index --find-links /opt/reboard/1.0-old/source/wheels")


def test_who_installs_may_use_the_tables_commands(machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "anna")
    install(machine, OLD, monkeypatch)
    assert machine.told_to("usermod --append --groups reboard,reboard-door anna")


def test_uninstalled_only_the_config_and_the_games_are_left(
    machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, OLD, monkeypatch)
    machine.path(STATE).mkdir(parents=True)
    machine.path(STATE / "ledger.db").write_text("every game")
    uninstall(machine)
    files = {path.relative_to(machine.root) for path in machine.root.rglob("*") if not path.is_dir()}
    assert files == {place.relative_to("/") for place in (CONFIG, READERS, STATE / "ledger.db")}
    assert machine.told_to("systemctl disable")
    uninstall(machine, with_ledger=True)
    assert [path for path in machine.root.rglob("*") if not path.is_dir()] == []
    assert machine.told_to("userdel reboard-page")


def test_uninstalled_twice_is_uninstalled(machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, OLD, monkeypatch)
    uninstall(machine)
    machine.told.clear()
    uninstall(machine)
    assert machine.told == []


def test_a_plan_does_nothing_by_itself(machine: MadeUpMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "version_of", lambda: OLD)
    steps: list[Step] = install_plan(machine)
    assert len({step.what for step in steps}) == len(steps)
    assert machine.told == []
    assert not machine.root.exists()


def test_a_version_is_named_after_its_number_and_what_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "PROGRAM", ("firmware",))
    monkeypatch.setattr(version, "MORE", ())
    (tmp_path / "firmware/reboard").mkdir(parents=True)
    (tmp_path / "firmware/reboard/version.py").write_text('__version__ = "2.5"\n')
    (tmp_path / "firmware/reboard/table.py").write_text("one")
    first = version_of(tmp_path)
    assert first.name.startswith("2.5-")
    (tmp_path / "firmware/reboard/__pycache__").mkdir()
    (tmp_path / "firmware/reboard/__pycache__/table.pyc").write_text("of another Python")
    assert version_of(tmp_path) == first
    (tmp_path / "firmware/reboard/table.py").write_text("two")
    assert version_of(tmp_path) != first


def test_what_is_no_checkout_is_told(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="is no checkout of reboard"):
        version_of(tmp_path)
