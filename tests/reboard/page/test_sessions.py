from __future__ import annotations

from reboard.page.sessions import LONGEST_S, MOST, Sessions


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_session_is_known_by_its_token_until_it_ends() -> None:
    sessions = Sessions(Clock())
    mine, yours = sessions.begin(), sessions.begin()
    assert sessions.has(mine)
    sessions.end(mine)
    assert not sessions.has(mine)
    assert sessions.has(yours)


def test_no_token_is_like_another_and_none_can_be_guessed() -> None:
    sessions = Sessions(Clock())
    tokens = {sessions.begin() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(len(token) * 6 >= 256 for token in tokens)


def test_what_was_never_a_token_is_none() -> None:
    sessions = Sessions(Clock())
    sessions.begin()
    assert not sessions.has("")
    sessions.end("")


def test_a_session_ends_after_twelve_hours() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    token = sessions.begin()
    clock.now = LONGEST_S - 1
    assert sessions.has(token)
    clock.now = LONGEST_S
    assert not sessions.has(token)


def test_there_are_so_many_sessions_and_the_oldest_makes_room() -> None:
    sessions = Sessions(Clock())
    tokens = [sessions.begin() for _ in range(MOST + 1)]
    assert [sessions.has(token) for token in tokens] == [False] + [True] * MOST
