"""Whatever is made of a line of any form, it is an act or a `PlayError` that names the line."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reboard_sim.plays.play_language import FORMS, PlayError, parse_play

GOOD = {
    "NAME": "world",
    "SETTING": "block.quiet",
    "VALUE": "true",
    "TEXT": '"+1 16.5M"',
    "KEY": "GO",
    "AMOUNT": "1.5M",
    "N": "7",
    "COUNT": "2",
    "SECONDS": "0.5",
    "CARD": "tag 62E3086CED",
    "FAULT": "reader left",
    "SOUND": "coin",
    "EVENT": "transfer",
    "ACT": "press block",
}
ODD = ["", "-1", "nan", "1e999", "٣", "left|right", "tag", '"', "'", "#", "\\", "\0", "\u2028", "x" * 600, "9" * 400]


def written(usage: str) -> str:
    """A good line of a form."""
    words = usage.replace("[", "").replace("]", "").split()
    return " ".join(GOOD.get(word, word.split("|")[0]) for word in words)


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    words = written(draw(st.sampled_from(FORMS)).usage).split()
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(words)))
        match draw(st.sampled_from(["drop", "put", "change", "twice"])):
            case "drop":
                words[place : place + 1] = []
            case "put":
                words.insert(place, draw(st.sampled_from([*ODD, *GOOD.values()]) | st.text(max_size=6)))
            case "change":
                words[place : place + 1] = [draw(st.sampled_from(ODD) | st.text(max_size=6))]
            case _:
                words[place:place] = words[place : place + 1]
    return draw(st.sampled_from([" ", "\t", "  "])).join(words)


def test_every_form_can_be_written() -> None:
    assert [line.form for line in parse_play("\n".join(written(form.usage) for form in FORMS))] == list(FORMS)


@settings(max_examples=250, deadline=None, derandomize=True)
@given(st.lists(mutilated(), max_size=4))
def test_a_mutilated_play_is_understood_or_refused_with_its_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    complaint = complained(text)
    if complaint:
        assert str(complaint).startswith(f"evening.play:{complaint.line}: ")
        assert 1 <= complaint.line <= len(text.splitlines())


def complained(text: str) -> PlayError | None:
    try:
        parse_play(text, path="evening.play")
    except PlayError as problem:
        return problem
    return None
