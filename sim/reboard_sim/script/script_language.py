"""The language of plays at a program: its devices, what it prints and reads, and its end."""

from __future__ import annotations

from functools import cache
from typing import Any

from reboard_sim.forms import Form
from reboard_sim.plays.acts import UNTIL_S
from reboard_sim.plays.checks import CheckError
from reboard_sim.plays.play_language import Parser
from reboard_sim.plays.program_language import program_parser

LOOK_EVERY_S = 0.001


async def _wait_until_printed(user: Any, text: str, seconds: float = UNTIL_S) -> None:
    for _ in range(round(seconds / LOOK_EVERY_S)):
        if user.pi.has_printed(text):
            return
        await user.let_pass(LOOK_EVERY_S)
    raise CheckError(f"printed {text!r} within {seconds:g} s", user.pi.latest_line)


def _check_printed(table: Any, text: str) -> tuple[bool, str]:
    return table.pi.has_printed(text), table.pi.latest_line


def _check_program(table: Any, ending: str) -> tuple[bool, str]:
    table.end_was_checked = True
    return table.state == ending, f"program {table.state}"


FORMS = (
    Form(
        "wait_until_printed",
        "wait until printed TEXT [within SECONDS]",
        "wait until the program has printed a line with this text, at most 60 s by default",
        _wait_until_printed,
    ),
    Form(
        "expect_printed",
        "expect [not] printed TEXT",
        "the program has printed a line with this text since it started",
        check=_check_printed,
    ),
    Form(
        "expect_program",
        "expect [not] program running|ended|failed|off",
        "the program runs, has ended, has ended with an error, or has no power",
        check=_check_program,
    ),
)


@cache
def script_parser() -> Parser:
    """Return the parser of plays at a program."""
    of_devices = program_parser()
    choices = {**of_devices.choices, "running|ended|failed|off": "ending"}
    return Parser((*FORMS, *of_devices.forms), choices, of_devices.readers)
