from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from reboard.devices.readers.presence import Presence, RepeatedTag, Tap
from tests.virtual import now


async def calls_of(presence: Presence, acts: list[tuple[float, object]]) -> list[tuple[float, str]]:
    """Return the calls of a presence if each act (a tag, or a function) is done at its time."""
    calls: list[tuple[float, str]] = []
    presence.start(lambda tag: calls.append((now(), f"+{tag}")), lambda tag: calls.append((now(), f"-{tag}")))
    for at, act in acts:
        await asyncio.sleep(at - now())
        if callable(act):
            act(presence)
        else:
            presence.seen(str(act))
    await asyncio.sleep(100 - now())
    return calls


def act(name: str, *args: object) -> Callable[[Any], object]:
    return lambda presence: getattr(presence, name)(*args)


KEY, LOST, CLOSE, FORGET_A = act("touched"), act("lost"), act("close"), act("forget", "A")


@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        pytest.param([(1, "A")], [(1, "+A"), (1.5, "-A")], id="seen once"),
        pytest.param([(0, "A"), (0.4, "A"), (0.85, "A")], [(0, "+A"), (1.35, "-A")], id="seen again in time"),
        pytest.param([(0, "A"), (0.2, "B")], [(0, "+A"), (0.2, "-A"), (0.2, "+B"), (0.7, "-B")], id="another card"),
        pytest.param([(0, "A"), (1, "A")], [(0, "+A"), (0.5, "-A"), (1, "+A"), (1.5, "-A")], id="back again"),
        pytest.param([(0, "A"), (0.1, KEY), (0.2, LOST), (0.3, FORGET_A)], [(0, "+A"), (0.5, "-A")], id="only time"),
        pytest.param([(0, "A"), (0.1, CLOSE), (0.2, CLOSE)], [(0, "+A")], id="closed"),
    ],
)
async def test_repeated_tags(acts: list[tuple[float, object]], expected: list[tuple[float, str]]) -> None:
    assert await calls_of(RepeatedTag(0.5), acts) == expected


@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        pytest.param([(1, "A")], [(1, "+A"), (11, "-A")], id="10 s after the tap"),
        pytest.param([(1, "A"), (10, KEY), (19, KEY)], [(1, "+A"), (29, "-A")], id="10 s after the last key"),
        pytest.param([(0, KEY), (1, "A"), (20, KEY)], [(1, "+A"), (11, "-A")], id="key without a card"),
        pytest.param([(1, "A"), (9, "A"), (20, "A")], [(1, "+A"), (9, "-A"), (20, "+A"), (30, "-A")], id="each tap"),
        pytest.param([(1, "A"), (5, "B")], [(1, "+A"), (5, "-A"), (5, "+B"), (15, "-B")], id="another card"),
        pytest.param([(1, "A"), (1.999, "A")], [(1, "+A"), (11.999, "-A")], id="one tap read twice"),
        pytest.param([(1, "A"), (2, "A")], [(1, "+A"), (2, "-A")], id="two taps"),
        pytest.param([(0.5 * n, "A") for n in range(101)], [(0, "+A"), (60, "-A")], id="flicker"),
        pytest.param([(1, "A"), (5, "A"), (5.5, "A"), (6.4, "A")], [(1, "+A"), (5, "-A")], id="removing tap twice"),
        pytest.param([(1, "A"), (5, FORGET_A), (6, KEY)], [(1, "+A")], id="forgotten"),
        pytest.param(
            [(1, "A"), (5, FORGET_A), (8, "A")], [(1, "+A"), (8, "+A"), (18, "-A")], id="forgotten and tapped again"
        ),
        pytest.param([(1, "A"), (1.2, FORGET_A), (1.9, "A")], [(1, "+A")], id="forgotten in the middle of its tap"),
        pytest.param([(1, "B"), (3, FORGET_A), (9, "B")], [(1, "+B"), (9, "-B")], id="another one forgotten"),
        pytest.param([(1, "A"), (2, LOST), (3, LOST)], [(1, "+A"), (2, "-A")], id="reader lost"),
        pytest.param([(1, "A"), (3, CLOSE)], [(1, "+A")], id="closed"),
    ],
)
async def test_taps(acts: list[tuple[float, object]], expected: list[tuple[float, str]]) -> None:
    assert await calls_of(Tap(), acts) == expected


async def test_forget_returns_whether_the_card_was_in() -> None:
    tap = Tap()
    tap.seen("A")
    assert [tap.forget("B"), tap.forget("A"), tap.forget("A")] == [False, True, False]
    assert tap.tag is None


async def test_a_timer_that_fires_a_little_early_is_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    call_at = loop.call_at
    moments: list[float] = []

    def call_early(moment: float, *call: Any, **context: Any) -> asyncio.TimerHandle:
        moments.append(moment)
        assert len(moments) < 10
        return call_at(moment - 1e-9, *call, **context)

    monkeypatch.setattr(loop, "call_at", call_early)
    assert await calls_of(RepeatedTag(0.5), [(0, "A"), (0.3, "A")]) == [(0, "+A"), (0.8, "-A")]
