"""Some evenings at which people do anything, and everything breaks; ``make soak`` plays them all night."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.soak.people import Tally, soak

SEED = 20_260_101


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """What the table complains of is heard by the evening alone."""
    root = logging.getLogger()
    handlers, root.handlers = root.handlers, []
    yield
    root.handlers = handlers


def test_nobody_can_lose_money_by_anything_they_do() -> None:
    tally = Tally()
    print(f"seed {SEED}")
    soak(SEED, evenings=12, steps=30, tally=tally)
    print(tally)
    assert tally.transfers > 30
    assert tally.cuts > 15
