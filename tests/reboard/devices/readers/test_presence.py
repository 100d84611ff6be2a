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


DONE, LOST, CLOSE = act("done"), act("lost"), act("close")
USED, UNUSED, FORGET_A = act("in_use", True), act("in_use", False), act("forget", "A")


@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        pytest.param([(1, "A")], [(1, "+A"), (1.5, "-A")], id="seen once"),
        pytest.param([(0, "A"), (0.4, "A"), (0.85, "A")], [(0, "+A"), (1.35, "-A")], id="seen again in time"),
        pytest.param([(0, "A"), (0.2, "B")], [(0, "+A"), (0.2, "-A"), (0.2, "+B"), (0.7, "-B")], id="another card"),
        pytest.param([(0, "A"), (1, "A")], [(0, "+A"), (0.5, "-A"), (1, "+A"), (1.5, "-A")], id="back again"),
        pytest.param([(0, "A"), (0.1, DONE), (0.2, LOST), (0.3, FORGET_A)], [(0, "+A"), (0.5, "-A")], id="only time"),
        pytest.param([(0, "A"), (0.1, CLOSE), (0.2, CLOSE)], [(0, "+A")], id="closed"),
    ],
)
async def test_repeated_tags(acts: list[tuple[float, object]], expected: list[tuple[float, str]]) -> None:
    assert await calls_of(RepeatedTag(0.5), acts) == expected


@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        pytest.param([(1, "A"), (9, "A"), (20, "A")], [(1, "+A"), (9, "-A"), (20, "+A")], id="each tap"),
        pytest.param([(1, "A"), (1.1, "B")], [(1, "+A"), (1.1, "-A"), (1.1, "+B")], id="another card"),
        pytest.param([(1, "A"), (1.999, "A")], [(1, "+A")], id="one tap read twice"),
        pytest.param([(1, "A"), (2, "A")], [(1, "+A"), (2, "-A")], id="two taps"),
        pytest.param([(0.9 * n, "A") for n in range(50)], [(0, "+A")], id="flicker"),
        pytest.param([(1, "A"), (5, "A"), (5.5, "A"), (6.4, "A")], [(1, "+A"), (5, "-A")], id="removing tap twice"),
        pytest.param([(1, "A"), (10, DONE), (14, DONE)], [(1, "+A"), (19, "-A")], id="5 s after the last payment"),
        pytest.param([(1, "A"), (2, DONE), (3, "B")], [(1, "+A"), (3, "-A"), (3, "+B")], id="payment of another card"),
        pytest.param(
            [(1, "A"), (2, DONE), (3, "A"), (5, "A"), (6, UNUSED)],
            [(1, "+A"), (3, "-A"), (5, "+A")],
            id="payment before the card came back",
        ),
        pytest.param([(1, DONE), (2, "A")], [(2, "+A")], id="payment without a card"),
        pytest.param([(1, "A"), (2, DONE), (4, USED), (90, UNUSED)], [(1, "+A"), (95, "-A")], id="in use after"),
        pytest.param([(1, "A"), (2, USED), (3, DONE), (50, UNUSED)], [(1, "+A"), (55, "-A")], id="in use before"),
        pytest.param([(1, "A"), (2, DONE), (6, UNUSED), (9, UNUSED)], [(1, "+A"), (14, "-A")], id="used again"),
        pytest.param([(1, "A"), (2, USED), (3, UNUSED)], [(1, "+A")], id="no payment"),
        pytest.param([(1, "A"), (2, DONE), (5, FORGET_A), (8, "A")], [(1, "+A"), (8, "+A")], id="forgotten"),
        pytest.param([(1, "B"), (3, FORGET_A), (9, "B")], [(1, "+B"), (9, "-B")], id="another one forgotten"),
        pytest.param([(1, "A"), (2, LOST), (3, LOST)], [(1, "+A"), (2, "-A")], id="reader lost"),
        pytest.param([(1, "A"), (2, DONE), (3, CLOSE)], [(1, "+A")], id="closed"),
    ],
)
async def test_taps(acts: list[tuple[float, object]], expected: list[tuple[float, str]]) -> None:
    assert await calls_of(Tap(), acts) == expected


async def test_forget_returns_whether_the_card_was_in() -> None:
    tap = Tap()
    tap.seen("A")
    assert [tap.forget("B"), tap.forget("A"), tap.forget("A")] == [False, True, False]
    assert tap.tag is None
