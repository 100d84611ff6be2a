"""The boot settings of a Pi, as ``reboard setup boot`` and the setup wizard write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from reboard.cli import main
from reboard.config.pins_and_ports import BOOT_CONFIG
from reboard.errors import ReboardError
from reboard.setup.boot_config import BEGIN, END, SETTINGS, TAKEN, BootConfig, find_boot_config
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.person import set_up_at
from tests.virtual import in_virtual_time

CONFIG = """# For more options see
dtparam=audio=on
#dtparam=i2c_arm=on

[pi4]
arm_boost=1
"""
COMMAND_LINE = "console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait quiet\n"


@pytest.fixture
def machine(tmp_path: Path) -> MadeUpMachine:
    machine = MadeUpMachine(tmp_path)
    machine.write(BOOT_CONFIG, CONFIG)
    machine.write(str(Path(BOOT_CONFIG).with_name("cmdline.txt")), COMMAND_LINE)
    return machine


@pytest.fixture
def boot(machine: MadeUpMachine) -> BootConfig:
    boot = find_boot_config(machine)
    assert boot
    return boot


def do_all(boot: BootConfig, *, with_amplifier: bool = False) -> None:
    for change in boot.changes(with_amplifier=with_amplifier):
        change.do()
    assert boot.changes(with_amplifier=with_amplifier) == []


def test_every_setting_goes_into_one_block(boot: BootConfig) -> None:
    do_all(boot)
    assert boot.file.read_text().startswith(CONFIG.rstrip())
    lines = boot.file.read_text().splitlines()
    for_every_pi = [setting.line for setting in SETTINGS if setting.section == "[all]"]
    block = ["[all]", *for_every_pi, f"{TAKEN}console=serial0,115200", "[pi5]", "dtparam=uart0=on", "[all]"]
    assert lines[lines.index(BEGIN) + 1 : lines.index(END)] == block
    assert boot.words() == COMMAND_LINE.split()[1:]


@pytest.mark.parametrize("begin", [BEGIN, "# reboard: begin. An older version wrote this."])
def test_undo_restores_the_files_and_keeps_the_owners_lines(boot: BootConfig, begin: str) -> None:
    do_all(boot, with_amplifier=True)
    boot.file.write_text(boot.file.read_text().replace(BEGIN, begin) + "dtoverlay=hifiberry-dac\n")
    for change in boot.undo():
        change.do()
    assert boot.undo() == []
    assert boot.file.read_text() == CONFIG + "dtoverlay=hifiberry-dac\n"
    assert boot.command_line.read_text() == COMMAND_LINE


@pytest.mark.parametrize(
    ("before", "is_set"),
    [
        ("dtparam=i2c_arm=on\n", True),
        ("  dtparam=i2c_arm=on  \n[pi5]\n", True),
        ("[pi4]\ndtparam=i2c_arm=on\n", False),
        ("[pi4]\n[all]\ndtparam=i2c_arm=on\n", True),
        ("#dtparam=i2c_arm=on\n", False),
        ("dtparam=i2c_arm=off\n", False),
        ("dtparam=i2c_arm=on\ndtparam=i2c_arm=off\n", False),
        ("dtparam=i2c_arm=off\ndtparam=i2c_arm=on\ndtparam=i2s=off\n", True),
        ("dtparam=audio=on,i2c_arm=on\n", True),
        ("dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n", True),
        ("dtparam=i2c_arm=on\ndtparam=audio=on,i2c=off\n", False),
        ("dtparam=i2c_arm=on,i2c_arm=off\n", False),
        ("dtparam=i2c,spi\n", True),
        ("device_tree_param=i2c_arm=yes\n", True),
        ("dtparam=i2c_arm_baudrate=1\n", False),
        ("", False),
    ],
)
def test_a_setting_of_the_owner_counts(boot: BootConfig, before: str, is_set: bool) -> None:
    boot.file.write_text(before)
    do_all(boot)
    after = boot.file.read_text().splitlines()
    assert after[: after.index(BEGIN)] == before.splitlines()
    assert ("dtparam=i2c_arm=on" not in after[after.index(BEGIN) :]) == is_set


def test_a_later_line_that_turns_a_setting_off_is_overridden(boot: BootConfig) -> None:
    do_all(boot)
    boot.file.write_text(boot.file.read_text() + "dtparam=i2c_arm=off\n")
    assert len(boot.changes()) == 1
    do_all(boot)
    assert boot.file.read_text().count("dtparam=i2c_arm=on") == 1 + CONFIG.count("dtparam=i2c_arm=on")


def test_a_console_that_was_taken_twice_returns_once(boot: BootConfig) -> None:
    do_all(boot)
    boot.command_line.write_text(COMMAND_LINE.replace("console", "console=serial0,115200 console", 1))
    do_all(boot)
    for change in boot.undo():
        change.do()
    assert boot.command_line.read_text() == COMMAND_LINE


def test_a_block_without_an_end_is_an_error(boot: BootConfig) -> None:
    do_all(boot)
    boot.file.write_text(boot.file.read_text().replace(END, ""))
    with pytest.raises(ReboardError, match=str(boot.file)):
        boot.undo()


def test_either_overlay_of_an_amplifier_counts(boot: BootConfig) -> None:
    boot.file.write_text("dtoverlay=hifiberry-dac\n")
    do_all(boot, with_amplifier=True)
    assert "max98357a" not in boot.file.read_text()


@pytest.mark.parametrize(("answer", "is_changed"), [("y", True), ("n", False), ("s", False)])
@in_virtual_time
async def test_the_wizard_offers_what_is_missing(pi: MadeUpMachine, answer: str, is_changed: bool) -> None:
    pi.write("/boot/firmware/config.txt", "enable_uart=1\n")
    async with set_up_at(pi, "[block]\nbutton = 17") as person:
        await person.answers("strict_gpiod", answer, "Test these lines?", "q")
    assert ("dtparam=strict_gpiod" in pi.text("/boot/firmware/config.txt")) == is_changed


def test_without_config_txt_there_is_nothing_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    if Path(BOOT_CONFIG).exists():
        pytest.skip("this is a Pi")
    assert main(["setup", "boot", "--yes"]) == 1
    assert BOOT_CONFIG in capsys.readouterr().err


@pytest.mark.parametrize("words", [["boot", "--undo", "--amplifier"], ["read-only", "--undo", "--state", "/dev/sda1"]])
def test_undo_takes_no_other_option(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["setup", *words])
    assert ended.value.code == 2
    assert "--undo" in capsys.readouterr().err


def test_only_the_first_line_of_the_command_line_counts_and_others_stay(boot: BootConfig) -> None:
    backup = "# root=PARTUUID=1-01 init=/bin/sh\n"
    boot.command_line.write_text(COMMAND_LINE + backup)
    do_all(boot)
    assert boot.command_line.read_text() == COMMAND_LINE.partition(" ")[2] + backup
    for change in boot.undo():
        change.do()
    assert boot.command_line.read_text() == COMMAND_LINE + backup
