"""What a play's lines mean, and what is said of those that mean nothing."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.play_language import FORMS, PlayError, parse_line, parse_play


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("edition world", "edition", {"name": "world"}),
        ("seed 7", "seed", {"n": 7}),
        ("config block.quiet true", "config", {"setting": "block.quiet", "value": "true"}),
        ("without bank.display", "without", {"setting": "bank.display"}),
        ("insert left 1", "insert", {"slot": "left", "card": DECK[0]}),
        ("insert right tag 62e3086ced", "insert", {"slot": "right", "card": "62E3086CED"}),
        ("remove right", "remove", {"slot": "right"}),
        ("type 1.5M", "type_amount", {"amount": "1.5M"}),
        ("key GO", "key", {"key": "GO"}),
        ("hold C 3", "hold_key", {"key": "C", "seconds": 3.0}),
        ("hold C", "hold_key", {"key": "C"}),
        ("release C", "release_key", {"key": "C"}),
        ("press block", "press_block", {}),
        ("press block 2.5", "press_block", {"seconds": 2.5}),
        ("hold block", "hold_block", {}),
        ("release block", "release_block", {}),
        ("pull lever", "pull_lever", {}),
        ("release lever", "release_lever", {}),
        ("wait 0.5", "wait", {"seconds": 0.5}),
        ("wait until deal.ended", "wait_until", {"event": "deal.ended"}),
        ("wait until deal.ended within 51", "wait_until", {"event": "deal.ended", "seconds": 51.0}),
        ("fault reader left", "fault", {"fault": "reader left"}),
        ("mend sound", "mend", {"fault": "sound"}),
        ("power off", "power", {"power": "off"}),
        ('expect display "+1 16.5M"', "expect_display", {"text": "+1 16.5M"}),
        ('expect not display "DEAL"', "expect_display", {"negated": "not", "text": "DEAL"}),
        ("expect balance 2 15M", "expect_balance", {"card": DECK[1], "amount": "15M"}),
        ("expect motor on", "expect_state", {"thing": "motor", "state": "on"}),
        ("expect not lamp off", "expect_state", {"negated": "not", "thing": "lamp", "state": "off"}),
        ("expect heard coin", "expect_heard", {"sound": "coin"}),
        ("expect heard coin 3 times", "expect_heard", {"sound": "coin", "count": 3}),
        ("expect event transfer", "expect_event", {"event": "transfer"}),
        ("meanwhile press block 2", "meanwhile", {"act": parse_line("press block 2")}),
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
        ("presss block", "'presss' is not an act; did you mean 'press'?"),
        ("dance", "'dance' is not an act; choose one of "),
        ("press blok", "'blok' in place of block; expected: press block [SECONDS]"),
        ("press block now", "'now' is not a number of seconds; expected: press block [SECONDS]"),
        ("press block 1 2", "'2' is one word too many; expected: press block [SECONDS]"),
        ("press block -1", "-1 s is not in the range from 0 to 86400"),
        ("insert left", "CARD is missing; expected: insert left|right CARD"),
        ("insert middle 1", "'middle' in place of left or right"),
        ("insert left 9", "'9' is not a card: the deck has 1 to 8"),
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


WORDS = sorted({word for form in FORMS for word in form.usage.replace("[", " ").replace("]", " ").split()})


@given(st.lists(st.sampled_from([*WORDS, "1", "C", "tag", "left", "not", '"', "#"]), max_size=8))
def test_whatever_words_stand_in_a_line_it_is_an_act_or_a_play_error(words: list[str]) -> None:
    with suppress(PlayError):
        parse_line(" ".join(words))
