from __future__ import annotations

import pytest

from reboard.finding import note
from tests.reboard.doctor.made_up import MadeUpMachine, examined


def test_a_clock_that_stands_in_the_past_is_wrong(pi: MadeUpMachine) -> None:
    found = examined(pi, hands=lambda virtual: virtual.misbehave("clock", True))["time.set"]
    assert found.what == "The clock says 05 January 2025, which is long past: games get wrong dates."
    assert "sudo timedatectl set-time" in found.do


@pytest.mark.parametrize(
    ("facts", "what"),
    [
        ("NTP=no\nNTPSynchronized=no", "Nobody sets the clock."),
        (
            "NTP=yes\nNTPSynchronized=no",
            "The clock was not set by the network yet; it says 05 January 2026, 08:00 UTC.",
        ),
    ],
)
def test_a_clock_that_nobody_sets_is_worth_a_note(pi: MadeUpMachine, facts: str, what: str) -> None:
    pi.commands["timedatectl show"] = facts
    found = examined(pi)["time.set"]
    assert found == note("time.set", what, found.do)


def test_where_nobody_knows_of_the_network_the_time_is_told(pi: MadeUpMachine) -> None:
    del pi.commands["timedatectl show"]
    assert examined(pi)["time.set"].what == "The clock says 05 January 2026, 08:00 UTC."
