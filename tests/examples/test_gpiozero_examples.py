"""Every example of gpiozero's documentation runs unchanged on the virtual Pi, in virtual time."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reboard_sim.forms import Form
from reboard_sim.plays.checks import CheckError
from reboard_sim.plays.play_command import PASSED, run_play
from reboard_sim.plays.play_language import Parser
from reboard_sim.script.script_command import script_scene
from reboard_sim.script.script_language import script_parser
from reboard_sim.script.script_table import ScriptTable
from tests.examples import stand_ins
from tests.examples.gpiozero_examples import EXAMPLES

FOLDER = Path(__file__).parents[2] / ".venv" / "gpiozero-source" / "docs" / "examples"
LEVELS = {"0": False, "1": True, "z": None}
MOST_S = 90.0
STEP_S = 0.1
TOLERANCE = 0.011

pytestmark = [
    pytest.mark.skipif(not FOLDER.exists(), reason="make test-gpiozero fetches gpiozero's examples"),
    pytest.mark.filterwarnings("default"),  # a program prints warnings, and no more
]


def _line(user: Any, pin: str) -> Any:
    host, _, number = pin.rpartition("/")
    return (stand_ins.remotes[host] if host else user.pi.pins).line(int(number))


async def _drive(user: Any, pin: str, level: str) -> None:
    _line(user, pin).drive(LEVELS[level], by="the test")
    await user.let_pass(0.05)


async def _until(user: Any, pin: str, duty: str) -> None:
    line, wanted, reached = _line(user, pin), float(duty), asyncio.Event()

    def look(_: float, duty: float) -> None:
        if abs(duty - wanted) < TOLERANCE:
            reached.set()

    line.on_change.append(look)
    look(0.0, line.duty)
    try:
        await asyncio.wait_for(reached.wait(), MOST_S)
    except TimeoutError:
        raise CheckError(f"GPIO{pin} at {duty}", f"{line.duty:g} after {MOST_S:g} s") from None
    finally:
        line.on_change.remove(look)


async def _until_the_end(user: Any) -> None:
    for _ in range(round(MOST_S / STEP_S)):
        if user.pi.program is None:
            return
        await user.let_pass(STEP_S)
    raise CheckError("the end of the program", f"it runs after {MOST_S:g} s")


FORMS = (
    Form("until_the_end", "until ended", "wait until the program has ended", _until_the_end),
    Form("drive_gpio", "drive PIN LEVEL", "drive a pin from outside", _drive),
    Form("until_gpio", "until PIN DUTY", "wait until the pin has this duty cycle", _until),
)


@cache
def language() -> Parser:
    """The language of plays at a program, and that of `EXAMPLES`."""
    usual = script_parser()
    return Parser(
        (*FORMS, *usual.forms),
        usual.choices,
        {**usual.readers, **dict.fromkeys(("PIN", "LEVEL", "DUTY"), str)},
    )


def line_of(step: str) -> str:
    """Return the line of a play for a step of an example."""
    if at_pin := re.fullmatch(r"([\d/]+)([:=])(.+)", step):
        pin, mark, value = at_pin.groups()
        return f"until {pin} {value}" if mark == ":" else f"drive {pin} {value}"
    if step.startswith('"'):
        return f"wait until printed {step}"
    if step.startswith("did "):
        return f'wait until printed "{step}"'
    if step.startswith("+"):
        return f"wait {step[1:]}"
    return f"enter console {step}" if "=" in step else step


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_unchanged(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps, _ = EXAMPLES[name]
    stand_ins.install(monkeypatch)
    scene = script_scene(FOLDER / f"{name}.py", (), None)
    lines = ["wait 0.1", *(line_of(step) for step in steps.split("; "))]
    play = tmp_path / f"{name}.play"
    play.write_text("\n".join(lines), encoding="utf-8")
    ended = run_play(play, language(), lambda _, seed: ScriptTable(scene, seed=seed), seed=1)
    assert ended == PASSED, capsys.readouterr().err


def test_each_example_has_its_steps() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(EXAMPLES)
