"""Evenings for as long as `SOAK_MINUTES` says (480: a night), on every core: ``make soak``.

The first seed is printed, and each round's as it fails; ``SOAK_SEED`` begins with that one. What fails is told as the
shortest evening found that shows it, and makes it end with 1.

Not in ``__main__``: a fresh process of the pool could not import its rounds from there.
"""

from __future__ import annotations

import logging
import os
import random
import time
import traceback
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count, islice

from tests.soak.people import Tally, soak

EVENINGS = 10
"""So many a round: each round has a seed of its own."""
STEPS = 60
MINUTE_S = 60.0


def play(seed: int) -> tuple[int, Tally, str]:
    """One round; returns what was done, and what was wrong."""
    logging.getLogger("reboard").propagate = True
    logging.getLogger().addHandler(logging.NullHandler())
    tally = Tally()
    try:
        soak(seed, evenings=EVENINGS, steps=STEPS, tally=tally)
    except BaseException:
        return seed, tally, traceback.format_exc()
    return seed, tally, ""


def main() -> int:
    """Play until the time is over."""
    minutes = float(os.environ.get("SOAK_MINUTES", "480"))
    first = int(os.environ.get("SOAK_SEED") or random.SystemRandom().randrange(10**9))
    print(f"seed {first}, for {minutes:g} minutes on {os.cpu_count()} cores", flush=True)
    began = time.monotonic()
    seeds = count(first)
    total, failures = Tally(), 0
    with ProcessPoolExecutor(max_tasks_per_child=20) as pool:
        under_way: set[Future[tuple[int, Tally, str]]] = set()
        while under_way or time.monotonic() < began + minutes * MINUTE_S:
            if time.monotonic() < began + minutes * MINUTE_S:
                missing = (os.cpu_count() or 1) - len(under_way)
                under_way |= {pool.submit(play, seed) for seed in islice(seeds, missing)}
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for seed, tally, problem in (round_.result() for round_ in done):
                total += tally
                failures += bool(problem)
                if problem:
                    print(f"seed {seed} fails:\n{problem}", flush=True)
    hours = (time.monotonic() - began) / 3600
    print(f"{total}; {total.seconds / 3600 / hours:.0f} table-hours an hour, {failures} rounds failed")
    return 1 if failures else 0
