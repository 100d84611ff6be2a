"""The boot settings of a Pi, as ``reboard setup boot`` and the setup wizard write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from reboard.cli import main
from reboard.config.pins_and_ports import BOOT_CONFIG
from reboard.errors import ReboardError
from reboard.setup.boot_config import (
    AMPLIFIER,
    BEGIN,
    DEBIANS_OWN,
    END,
    SETTINGS,
    SPI,
    TAKEN,
    BootConfig,
    Setting,
    find_boot_config,
    settings_for,
    show,
)
from reboard.setup.prompts import Prompts, StandardTerminal
from reboard.table_config import load_config
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.person import set_up_at
from tests.virtual import in_virtual_time

CONFIG = """# For more options see
dtparam=audio=on
#dtparam=i2c_arm=on

[pi4]
arm_boost=1
"""
GUIDES = Path(__file__).parents[3] / "hardware" / "guides"
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


def do_all(boot: BootConfig, *needed: Setting) -> None:
    for change in boot.changes(needed):
        change.do()
    assert boot.changes(needed) == []


async def test_each_setting_is_shown_on_a_line_of_its_own(boot: BootConfig, capsys: pytest.CaptureFixture[str]) -> None:
    show(boot.changes(), Prompts(StandardTerminal()))
    shown = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    for setting in SETTINGS:
        assert f"    {setting.line}" in shown


def test_every_setting_goes_into_one_block(boot: BootConfig) -> None:
    do_all(boot)
    assert boot.file.read_text().startswith(CONFIG.rstrip())
    lines = boot.file.read_text().splitlines()
    block = [
        "[all]",
        *(setting.line for setting in SETTINGS),
        f"{TAKEN}console=serial0,115200",
        "[pi5]",
        "dtparam=uart0=on",
        "[all]",
    ]
    assert lines[lines.index(BEGIN) + 1 : lines.index(END)] == block
    assert boot.words() == COMMAND_LINE.split()[1:]


@pytest.mark.parametrize("begin", [BEGIN, "# reboard: begin. An older version wrote this."])
def test_undo_restores_the_files_and_keeps_the_owners_lines(boot: BootConfig, begin: str) -> None:
    do_all(boot, AMPLIFIER)
    boot.file.write_text(boot.file.read_text().replace(BEGIN, begin) + "dtoverlay=hifiberry-dac\n")
    for change in boot.undo():
        change.do()
    assert boot.undo() == []
    assert boot.file.read_text() == CONFIG + "dtoverlay=hifiberry-dac\n"
    assert boot.command_line.read_text() == COMMAND_LINE


def test_a_later_line_is_overridden(boot: BootConfig) -> None:
    do_all(boot)
    boot.file.write_text(boot.file.read_text() + "dtparam=i2c_arm=off\n")
    assert len(boot.changes()) == 1
    do_all(boot)
    lines = boot.file.read_text().splitlines()
    assert lines.index("dtparam=i2c_arm=off") < lines.index("dtparam=i2c_arm=on")
    assert lines.count(BEGIN) == 1


def test_what_a_config_needed_stays_for_a_run_without_it(boot: BootConfig) -> None:
    do_all(boot, SPI, AMPLIFIER)
    assert boot.changes() == []


@pytest.mark.parametrize(
    ("guide", "needed"),
    [("question-block", [AMPLIFIER]), ("banker-unit-rc522", [SPI, AMPLIFIER]), ("speed-die", [SPI, AMPLIFIER])],
)
def test_the_boot_settings_follow_from_the_config(guide: str, needed: list[Setting]) -> None:
    assert settings_for(load_config(GUIDES / f"{guide}.toml")) == needed


def test_on_debians_own_image_nothing_is_set_that_would_not_last(boot: BootConfig) -> None:
    do_all(boot)
    before = f"# {DEBIANS_OWN}\n" + boot.file.read_text()
    boot.file.write_text(before)
    with pytest.raises(ReboardError, match="Raspberry Pi OS"):
        boot.changes()
    assert boot.file.read_text() == before
    assert boot.undo()


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
    do_all(boot, AMPLIFIER)
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
