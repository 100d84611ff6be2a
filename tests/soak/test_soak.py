"""A few evenings of the soak; ``make soak`` plays them all night."""

from __future__ import annotations

import logging

from tests.soak.people import Tally, soak, summary

SEED = 20_260_101


def test_nobody_can_lose_money_by_anything_they_do() -> None:
    logging.getLogger().handlers.clear()  # each evening records what it logs; pytest need not
    tally = Tally()
    print(f"seed {SEED}")
    soak(SEED, evenings=4, steps=20, tally=tally)
    print(summary(tally))
    assert tally["transfers"] > 15
    assert tally["cuts"] > 5
