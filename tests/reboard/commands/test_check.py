from __future__ import annotations

from pathlib import Path

import pytest

from reboard.cli import main
from tests.reboard.wiring.tables import SHIPPED


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.toml"


def test_a_config_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-c", str(SHIPPED)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("edition         world\n")
    assert "\npins\n" not in text


@pytest.mark.parametrize(("right", "is_mixed"), [("pn532", True), ("id12", False)])
def test_a_mixed_pair_of_readers_is_reported(
    file: Path, capsys: pytest.CaptureFixture[str], right: str, is_mixed: bool
) -> None:
    left = 'left = { reader = "rdm6300", port = "/dev/ttyUSB0" }'
    file.write_text(f'[bank]\n{left}\nright = {{ reader = "{right}", port = "/dev/ttyUSB1" }}\n', encoding="utf-8")
    assert main(["check", "-c", str(file)]) == int(is_mixed)
    assert ("WRONG" in capsys.readouterr().out) == is_mixed


@pytest.mark.parametrize(("wiring", "is_ok"), [("", True), ("[wiring.motor]\nflyback_diode = false\n", False)])
def test_the_electrical_check(file: Path, wiring: str, is_ok: bool, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(f"[apple]\nlever = 22\nmotor = 13\n{wiring}", encoding="utf-8")
    assert main(["check", "--electrical", "-c", str(file)]) == (0 if is_ok else 1)
    assert ("WRONG" in capsys.readouterr().out) != is_ok
