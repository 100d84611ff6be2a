"""What a play's lines mean, and what is said of those that mean nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.play_language import PlayError, forms, parse_line, parse_play


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("config block.quiet true", "config", {"setting": "block.quiet", "value": "true"}),
        ("insert left 1", "insert", {"slot": "left", "card": DECK[0]}),
        ("insert right tag 62e3086ced", "insert", {"slot": "right", "card": "62E3086CED"}),
        ("hold C 3", "hold_key", {"key": "C", "seconds": 3.0}),
        ("hold C", "hold_key", {"key": "C"}),
        ("press block 2.5", "press_block", {"seconds": 2.5}),
        ("wait until deal.ended", "wait_until", {"event": "deal.ended"}),
        ("wait until deal.ended within 51", "wait_until", {"event": "deal.ended", "seconds": 51.0}),
        ("fault reader left", "fault", {"fault": "reader left"}),
        ('expect not display "DEAL"', "expect_display", {"negated": "not", "text": "DEAL"}),
        ("expect not lamp off", "expect_thing", {"negated": "not", "thing": "lamp", "state": "off"}),
        ("expect heard coin 3 times", "expect_heard", {"sound": "coin", "count": 3}),
        ("meanwhile config bank.cards '[]'", "meanwhile", {"act": parse_line("config bank.cards '[]'")}),
        ("  press   block   # with a comment", "press_block", {}),
    ],
)
def test_a_line_is_understood(text: str, name: str, values: dict[str, object]) -> None:
    line = parse_line(text)
    assert line is not None
    assert (line.form.name, dict(line.values)) == (name, values)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("presss block", "'presss' is not an act or a check; did you mean 'press'?"),
        ("dance", "'dance' is not an act or a check; choose one of "),
        ("press blok", "found 'blok' instead of block; expected: press block [SECONDS]"),
        ("press block now", "'now' is not a number of seconds; expected: press block [SECONDS]"),
        ("press block 1 2", "'2' does not belong here; expected: press block [SECONDS]"),
        ("press block -1", "-1 s is not in the range from 0 to 86400"),
        ("insert left", "CARD is missing; expected: insert left|right CARD"),
        ("insert middle 1", "'middle' instead of left or right"),
        ("insert left 9", "'9' is not a card: use 1 to 8 of the deck"),
        ("insert left tag 12", "'tag 12' is not a card"),
        ("type 1,5M", "'1,5M' is not an amount"),
        ("key F", "there is no key 'F'"),
        ("wait nan", "nan s is not in the range"),
        ("wait until deal.end", "there is no event 'deal.end': did you mean 'deal.ended'?"),
        ("fault reader", "there is no fault 'reader': did you mean 'reader left'?"),
        ("expect heard coins", "there is no sound 'coins': did you mean 'coin'?"),
        ("expect heard coin 3", "times is missing"),
        ("expect motor", "on|off is missing"),
        ("expect", "is missing; expected: expect"),
        ("meanwhile", "ACT is missing; expected: meanwhile ACT"),
        ("meanwhile dance", "'dance' is not an act"),
        ('request quiet {"on": true}', "single quotes"),
        ("meanwhile wait 5", "'wait 5' cannot run meanwhile"),
        ("meanwhile expect motor on", "cannot run meanwhile"),
        ("meanwhile meanwhile key 1", "cannot run meanwhile"),
        ("seed x", "'x' is not a whole number"),
        ('expect display "DEAL', "a quotation mark is not closed"),
    ],
)
def test_an_invalid_line_is_rejected_with_a_reason(text: str, problem: str) -> None:
    with pytest.raises(PlayError) as caught:
        parse_play(f"press block\n\n{text}", path="evening.play")
    assert str(caught.value).startswith("evening.play:3: ")
    assert problem in str(caught.value)
    assert caught.value.line == 3


@pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\u2028"])
def test_a_line_is_one_line_also_within_quotation_marks(end: str) -> None:
    with pytest.raises(PlayError, match="more than one line"):
        parse_line(f"config bank.names 'A{end}B'")


def test_a_play_has_its_bounds() -> None:
    with pytest.raises(PlayError, match="at most 10000 lines"):
        parse_play("wait 1\n" * 10_001)
    with pytest.raises(PlayError, match="at most 500 characters"):
        parse_line("type " + "1" * 500)


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
    "PAYER": "bank",
    "PAYEE": "2",
    "FAULT": "reader left",
    "SOUND": "coin",
    "EVENT": "transfer",
    "ACT": "press block",
    "REQUEST": "undo",
}
ODD = ["", "-1", "nan", "1e999", "٣", "left|right", "tag", '"', "'", "#", "\\", "\0", "\u2028", "x" * 600, "9" * 400]


def written(usage: str) -> str:
    """Return a valid line of a form."""
    words = usage.replace("[", "").replace("]", "").split()
    return " ".join(GOOD.get(word, word.split("|")[0]) for word in words)


ANY_WORD = st.lists(st.sampled_from([*ODD, *GOOD.values()]) | st.text(max_size=6), max_size=1)


@st.composite
def spoiled(draw: st.DrawFn) -> str:
    words = written(draw(st.sampled_from(forms())).usage).split()
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(words)))
        replaced = draw(st.integers(0, 1))
        words[place : place + replaced] = draw(st.just([]) | ANY_WORD)
    return draw(st.sampled_from([" ", "\t", "  "])).join(words)


def test_every_form_can_be_written() -> None:
    assert [line.form for line in parse_play("\n".join(written(form.usage) for form in forms()))] == list(forms())


def rejection(text: str) -> PlayError | None:
    try:
        parse_play(text, path="evening.play")
    except PlayError as problem:
        return problem
    return None


@settings(max_examples=100, derandomize=True)
@given(st.lists(spoiled(), max_size=4))
def test_a_spoiled_play_is_understood_or_rejected_with_its_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    if problem := rejection(text):
        assert str(problem).startswith(f"evening.play:{problem.line}: ")
        assert 1 <= problem.line <= len(text.splitlines())
