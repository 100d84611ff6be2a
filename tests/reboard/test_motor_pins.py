from __future__ import annotations

from pathlib import Path

import pytest

from reboard import motor_pins as module
from reboard.config import load_config
from reboard.motor_pins import USUAL_MOTOR_PIN, motor_pins, write_running_pin
from reboard.settings import state_directory
from reboard.settings.state_directory import LAST_GOOD_NAME

STATE = '[state]\ndirectory = "state"\n'
APPLE = "[apple]\nlever = 22\nmotor = {}\n" + STATE


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(state_directory, "USUAL_STATE_DIRECTORY", tmp_path / "state")
    (tmp_path / "state").mkdir()
    return tmp_path / "table.toml"


@pytest.mark.parametrize(
    ("present", "last_good", "pins"),
    [
        (APPLE.format(18), None, [18]),
        (APPLE.format(18), APPLE.format(18), [18]),
        (APPLE.format(18), APPLE.format(19), [18, 19]),
        ("nonsense", APPLE.format(19), [19]),
        (None, APPLE.format(19), [19]),
        ("nonsense", "rubbish", [USUAL_MOTOR_PIN]),
        (None, None, [USUAL_MOTOR_PIN]),
        (STATE + "[block]\nbutton = 17\n", None, []),
        (STATE + "[apple]\nlever = 22\n", APPLE.format(19), [19]),
    ],
    ids=[
        "first start",
        "as ever",
        "moved",
        "no TOML",
        "lost",
        "both broken",
        "nothing known",
        "no apple",
        "motor taken away",
    ],
)
def test_a_motor_is_looked_for_where_it_is_and_where_it_was(
    config: Path, present: str | None, last_good: str | None, pins: list[int]
) -> None:
    if present is not None:
        config.write_text(present)
    if last_good is not None:
        (config.parent / "state" / LAST_GOOD_NAME).write_text(last_good)
    assert motor_pins(config) == pins


def test_what_else_is_wrong_in_a_config_keeps_no_motor_running(config: Path) -> None:
    config.write_text(APPLE.format(18) + '[block]\nbuton = "seventeen"\n')
    assert motor_pins(config) == [18]


@pytest.mark.parametrize("motor", ["8", "28", "-1", '"13"', "true", "13.5", "[13]", "{ pin = 13 }"])
def test_what_can_be_no_motors_pin_is_left_alone(config: Path, motor: str) -> None:
    config.write_text(APPLE.format(motor))
    assert motor_pins(config) == []


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "RUNNING", tmp_path / "motor-pin")
    return tmp_path / "motor-pin"


@pytest.mark.parametrize(("pin", "pins"), [(19, [19]), (None, [])])
def test_the_pin_that_the_table_runs_with_counts_and_not_that_in_its_config(
    config: Path, running: Path, pin: int | None, pins: list[int]
) -> None:
    config.write_text(APPLE.format(18))
    write_running_pin(pin, config)
    assert motor_pins(config) == pins


@pytest.mark.parametrize(
    "text", ["", "19", "19 /another.toml\n", "7 {}\n", "28 {}\n", "x {}\n", "\0" * 10_000, "\xff {}"]
)
def test_a_bad_file_about_the_running_table_leaves_what_the_config_says(config: Path, running: Path, text: str) -> None:
    config.write_text(APPLE.format(18))
    running.write_bytes(text.replace("{}", str(config)).encode("latin-1"))
    assert motor_pins(config) == [18]


def test_the_usual_pin_is_that_of_our_own_wiring() -> None:
    apple = load_config(Path(__file__).parents[2] / "hardware" / "table.toml").apple
    assert apple
    assert apple.motor == USUAL_MOTOR_PIN
