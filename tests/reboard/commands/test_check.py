from __future__ import annotations

from pathlib import Path

import pytest

from reboard.cli import main
from tests.reboard.wiring.tables import SHIPPED

READERS = """
[bank]
left = { reader = "rdm6300", port = "/dev/ttyUSB0" }
right = { reader = "id12", port = "/dev/ttyUSB1" }
"""
MOTOR = "[apple]\nlever = 22\nmotor = 13\n"


def test_a_config_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-c", str(SHIPPED)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("edition         world\n")
    assert "\npins\n" not in text


@pytest.mark.parametrize(
    ("arguments", "config", "code"),
    [
        ([], READERS, 0),
        ([], READERS.replace("id12", "pn532"), 1),
        (["--electrical"], MOTOR, 0),
        (["--electrical"], f"{MOTOR}[wiring.motor]\nflyback_diode = false\n", 1),
    ],
    ids=["readers", "a mixed pair of readers", "motor", "no diode"],
)
def test_what_is_wrong_is_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], config: str, code: int
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(config, encoding="utf-8")
    assert main(["check", *arguments, "-c", str(file)]) == code
    assert ("WRONG" in capsys.readouterr().out) == bool(code)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ("ca = 'ca.crt'", 1),
        ("ca = 'none.crt'", 1),
        ("ca = 'system'", 0),
        ("user = 'a'\npassword_file = '.'", 1),
        ("user = 'a'\npassword_file = 'ca.crt'", 0),
    ],
)
def test_the_files_for_the_broker_can_be_used(tmp_path: Path, settings: str, code: int) -> None:
    (tmp_path / "ca.crt").write_text("no certificate\n")
    file = tmp_path / "table.toml"
    file.write_text(f"{MOTOR}[mqtt]\nbroker = 'localhost'\n{settings}\n", encoding="utf-8")
    assert main(["check", "-c", str(file)]) == code
