"""Evenings for as long as ``SOAK_MINUTES`` says (480: a night), on every core: ``make soak``.

It prints the first seed, which ``SOAK_SEED`` can set, and the seed of each round that fails, with the shortest evening
that shows the failure. The exit status is then 1.
"""

from __future__ import annotations

import logging
import os
import random
import sys
import time
import traceback
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count, islice

from tests.soak.people import Tally, soak, summary

CORES = os.cpu_count() or 1


def play(seed: int) -> tuple[int, Tally, str]:
    """Play the ten evenings of one seed; return what was done, and the failure."""
    logging.getLogger("reboard").propagate = True
    logging.getLogger().addHandler(logging.NullHandler())
    tally = Tally()
    try:
        soak(seed, evenings=10, steps=60, tally=tally)
    except BaseException:
        return seed, tally, traceback.format_exc()
    return seed, tally, ""


def main() -> int:
    minutes = float(os.environ.get("SOAK_MINUTES", "480"))
    first = int(os.environ.get("SOAK_SEED") or random.SystemRandom().randrange(10**9))
    print(f"seed {first}, for {minutes:g} minutes on {CORES} cores", flush=True)
    began = time.monotonic()
    end = began + minutes * 60
    seeds = count(first)
    total, failures = Tally(), 0
    under_way: set[Future[tuple[int, Tally, str]]] = set()
    with ProcessPoolExecutor(max_tasks_per_child=20) as pool:
        while under_way or time.monotonic() < end:
            if time.monotonic() < end:
                under_way |= {pool.submit(play, seed) for seed in islice(seeds, CORES - len(under_way))}
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for seed, tally, failure in (future.result() for future in done):
                total.update(tally)
                if failure:
                    failures += 1
                    print(f"seed {seed} fails:\n{failure}", flush=True)
    an_hour = total["seconds"] / (time.monotonic() - began)
    print(f"{summary(total)}; {an_hour:.0f} table-hours an hour, {failures} rounds failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
