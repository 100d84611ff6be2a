from __future__ import annotations

from pathlib import Path

import pytest

from reboard.config import reading
from reboard.config.reading import LAST_GOOD_NAME
from reboard.service import motor_off as module
from reboard.service.motor_off import USUAL_MOTOR_PIN, motor_pins

STATE = '[state]\ndirectory = "state"\n'
APPLE = "[apple]\nlever = 22\nmotor = {}\n" + STATE


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reading, "DEFAULT_STATE_DIRECTORY", tmp_path / "state")
    monkeypatch.setattr(module, "RUNNING", tmp_path / "motor-pin")
    (tmp_path / "state").mkdir()
    return tmp_path / "table.toml"


@pytest.mark.parametrize(
    ("present", "last_good", "pins"),
    [
        (APPLE.format(18), None, [18]),
        (APPLE.format(18), APPLE.format(19), [18, 19]),
        (APPLE.format(18) + "[windmill]\nmotor = 20\n", None, [18, 20]),
        (APPLE.format(18) + "[wiring]\nmotor = { running_ma = 160 }\n", None, [18]),
        (APPLE.format(18) + '[block]\nbuton = "seventeen"\n', None, [18]),
        ("nonsense", APPLE.format(19), [19]),
        (None, APPLE.format(19), [19]),
        ("nonsense", "rubbish", [USUAL_MOTOR_PIN]),
        (None, None, [USUAL_MOTOR_PIN]),
        (STATE + "[block]\nbutton = 17\n", None, []),
        (STATE + "[apple]\nlever = 22\n", APPLE.format(19), [19]),
        *((APPLE.format(motor), None, []) for motor in ("8", "28", "-1", '"13"', "true", "13.5", "[13]")),
    ],
)
def test_a_motor_is_where_the_config_has_it_or_the_last_good_one_had_it(
    config: Path, present: str | None, last_good: str | None, pins: list[int]
) -> None:
    if present is not None:
        config.write_text(present)
    if last_good is not None:
        (config.parent / "state" / LAST_GOOD_NAME).write_text(last_good)
    assert motor_pins(config) == pins


@pytest.mark.parametrize(
    "text", ["", "19", "19 /another.toml\n", "7 {}\n", "28 {}\n", "x {}\n", "\0" * 10_000, "\xff {}"]
)
def test_a_bad_file_of_the_running_table_does_not_count(config: Path, text: str) -> None:
    config.write_text(APPLE.format(18))
    module.RUNNING.write_bytes(text.replace("{}", str(config)).encode("latin-1"))
    assert motor_pins(config) == [18]
