from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

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
    ("mqtt", "services"),
    [("", "reboard reboard-page"), ("[mqtt]\nbroker = 'localhost'\n", "reboard reboard-page reboard-mqtt")],
)
def test_the_services_that_read_a_change_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, mqtt: str, services: str
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f"{MOTOR}{mqtt}", encoding="utf-8")
    main(["check", "-c", str(file)])
    assert "systemctl" not in capsys.readouterr().out
    monkeypatch.setattr("reboard.commands.check.DEFAULT_CONFIG", file)
    main(["check", "-c", str(file)])
    assert capsys.readouterr().out.endswith(f"`sudo systemctl reload-or-restart {services}`.\n")


@pytest.mark.parametrize(
    ("arguments", "config", "code"),
    [
        ([], READERS, 0),
        ([], READERS.replace("id12", "pn532"), 1),
        ([], f'{MOTOR}[speaker]\nlibrary = "silent"\nkeep_awake = true\n', 0),
        ([], f'{MOTOR}[speaker]\nlibrary = "simpleaudio"\n', 0),
        (["--electrical"], MOTOR, 0),
        (["--electrical"], f"{MOTOR}[wiring.motor]\nflyback_diode = false\n", 1),
    ],
    ids=["readers", "a mixed pair of readers", "silent", "a library that is only here missing", "motor", "no diode"],
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


def test_a_library_that_ignores_a_setting_of_the_speaker_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "simpleaudio", ModuleType("simpleaudio"))
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1.0.5")
    monkeypatch.delitem(sys.modules, "reboard.devices.audio.simpleaudio", raising=False)
    file = tmp_path / "table.toml"
    speaker = '[speaker]\nlibrary = "simpleaudio"\nkeep_awake = true\n'
    file.write_text(f'{MOTOR}{speaker}device = "plughw:1"\n', encoding="utf-8")
    assert main(["check", "-c", str(file)]) == 1
    assert "it plays on the default device only" in " ".join(capsys.readouterr().out.split())
    file.write_text(f"{MOTOR}{speaker}", encoding="utf-8")
    assert main(["check", "-c", str(file)]) == 0
    assert "`keep_awake` in [speaker] has no effect" in " ".join(capsys.readouterr().out.split())
    monkeypatch.delitem(sys.modules, "reboard.devices.audio.simpleaudio", raising=False)
