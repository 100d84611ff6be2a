from __future__ import annotations

from pathlib import Path

import pytest

from installer.boot_config import BEGIN, END, PLACES, SETTINGS, TAKEN, BootConfig, boot_settings, find_boot_config
from tests.systemd.made_up_target import MadeUpTarget

CONFIG = """# For more options see
dtparam=audio=on
#dtparam=i2c_arm=on

[pi4]
arm_boost=1
"""
COMMAND_LINE = "console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait quiet\n"


@pytest.fixture(params=PLACES, ids=str)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> MadeUpTarget:
    machine = MadeUpTarget(tmp_path)
    file = machine.path(request.param)
    file.parent.mkdir(parents=True)
    file.write_text(CONFIG)
    file.with_name("cmdline.txt").write_text(COMMAND_LINE)
    return machine


@pytest.fixture
def boot(machine: MadeUpTarget) -> BootConfig:
    boot = find_boot_config(machine)
    assert boot
    return boot


def config(machine: MadeUpTarget, boot: BootConfig) -> str:
    return machine.path(boot.place).read_text()


def command_line(machine: MadeUpTarget, boot: BootConfig) -> str:
    return machine.path(boot.place.with_name("cmdline.txt")).read_text()


def do_all(boot: BootConfig) -> None:
    for step in boot.steps():
        if not step.is_done():
            step.do()


def test_without_config_txt_there_is_no_boot_config(tmp_path: Path) -> None:
    assert find_boot_config(MadeUpTarget(tmp_path)) is None
    assert boot_settings(MadeUpTarget(tmp_path)) == ""


def test_every_setting_goes_into_one_block(machine: MadeUpTarget, boot: BootConfig) -> None:
    do_all(boot)
    lines = config(machine, boot).splitlines()
    assert "\n".join(lines).startswith(CONFIG.rstrip())
    block = lines[lines.index(BEGIN) + 1 : lines.index(END)]
    assert block == [
        "[all]",
        *(setting.line for setting in SETTINGS if setting.section == "[all]"),
        f"{TAKEN}console=serial0,115200",
        "[pi5]",
        "dtparam=uart0=on",
        "[all]",
    ]


def test_undo_restores_the_files(machine: MadeUpTarget, boot: BootConfig) -> None:
    before = boot_settings(machine)
    do_all(boot)
    assert not boot.undo_step().is_done()
    boot.undo_step().do()
    assert boot_settings(machine) == before
    assert boot.undo_step().is_done()


def test_undo_keeps_the_owners_lines(machine: MadeUpTarget, boot: BootConfig) -> None:
    do_all(boot)
    with machine.path(boot.place).open("a") as file:
        file.write("dtoverlay=hifiberry-dac\n")
    boot.add("dtparam=spi=on")
    boot.undo()
    assert config(machine, boot) == CONFIG + "dtoverlay=hifiberry-dac\n"


@pytest.mark.parametrize(
    ("before", "holds"),
    [
        ("dtparam=i2c_arm=on\n", True),
        ("  dtparam=i2c_arm=on  \n[pi5]\n", True),
        ("[pi4]\ndtparam=i2c_arm=on\n", False),
        ("[pi4]\n[all]\ndtparam=i2c_arm=on\n", True),
        ("#dtparam=i2c_arm=on\n", False),
        ("dtparam=i2c_arm=off\n", False),
        ("", False),
    ],
)
def test_a_setting_of_the_owner_counts(machine: MadeUpTarget, boot: BootConfig, before: str, holds: bool) -> None:
    machine.path(boot.place).write_text(before)
    assert boot.has("dtparam=i2c_arm=on") == holds
