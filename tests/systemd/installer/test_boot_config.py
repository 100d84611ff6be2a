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
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = MadeUpTarget(tmp_path).path(request.param)
    file.parent.mkdir(parents=True)
    file.write_text(CONFIG)
    file.with_name("cmdline.txt").write_text(COMMAND_LINE)
    return file


@pytest.fixture
def boot(file: Path, tmp_path: Path) -> BootConfig:
    boot = find_boot_config(MadeUpTarget(tmp_path))
    assert boot
    return boot


def do_all(boot: BootConfig) -> None:
    for step in boot.steps():
        if not step.is_done():
            step.do()


def test_without_config_txt_there_is_no_boot_config(tmp_path: Path) -> None:
    assert find_boot_config(MadeUpTarget(tmp_path)) is None
    assert boot_settings(MadeUpTarget(tmp_path)) == ""


def test_every_setting_goes_into_one_block(file: Path, boot: BootConfig) -> None:
    do_all(boot)
    assert file.read_text().startswith(CONFIG.rstrip())
    lines = file.read_text().splitlines()
    for_every_pi = [setting.line for setting in SETTINGS if setting.section == "[all]"]
    console = f"{TAKEN}console=serial0,115200"
    block = ["[all]", *for_every_pi, console, "[pi5]", "dtparam=uart0=on", "[all]"]
    assert lines[lines.index(BEGIN) + 1 : lines.index(END)] == block


def test_undo_restores_the_files(boot: BootConfig) -> None:
    before = boot.text()
    do_all(boot)
    assert not boot.undo_step().is_done()
    boot.undo_step().do()
    assert boot.text() == before
    assert boot.undo_step().is_done()


def test_undo_keeps_the_owners_lines(file: Path, boot: BootConfig) -> None:
    do_all(boot)
    with file.open("a") as more:
        more.write("dtoverlay=hifiberry-dac\n")
    boot.add("dtparam=spi=on")
    boot.undo()
    assert file.read_text() == CONFIG + "dtoverlay=hifiberry-dac\n"


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
def test_a_setting_of_the_owner_counts(file: Path, boot: BootConfig, before: str, holds: bool) -> None:
    file.write_text(before)
    assert boot.has("dtparam=i2c_arm=on") == holds
