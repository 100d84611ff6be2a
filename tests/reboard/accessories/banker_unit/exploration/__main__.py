"""The exploration, as deep as it gets: ``make explore``. A broken rule makes it end with 1."""

from __future__ import annotations

import argparse

from tests.reboard.accessories.banker_unit.exploration import phones
from tests.reboard.accessories.banker_unit.exploration.explore import EDITIONS, Exploration, as_play, explore

DEEPEST_OF_PHONES = 3
"""The largest depth of the exploration of phones, which takes four minutes."""


def _print_found(result: Exploration) -> None:
    for name, path in result.found.items():
        print(f"\n# {name}\n{as_play(result.edition, path)}\n", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--depth", type=int, default=6, help="the number of acts after each setup (6)")
    parser.add_argument("--seconds", type=float, default=1800, help="the longest time for each edition (1800)")
    args = parser.parse_args()
    is_wrong = False
    for edition in EDITIONS:
        result = explore(edition, depth=args.depth, seconds=args.seconds, say=lambda line: print(line, flush=True))
        print(result, flush=True)
        _print_found(result)
        is_wrong = is_wrong or bool(result.found)
    for name in phones.SETUPS:
        states, found = phones.explore(name, min(args.depth, DEEPEST_OF_PHONES))
        print(f"phones, {name}: {states:,} states, {found or 'no broken rule'}", flush=True)
        is_wrong = is_wrong or bool(found)
    return int(is_wrong)


if __name__ == "__main__":
    raise SystemExit(main())
