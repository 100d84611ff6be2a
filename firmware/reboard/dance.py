"""A dance: what a motor does, level by level, and for how long."""

from __future__ import annotations

from dataclasses import dataclass

USUAL_S = 13.0
"""What an owner timed on one old unit of Wiggly Worms; the rule book names no length."""

LONGEST_S = 130.0
"""No motor dances longer in one piece."""

SHORTEST_STEP_S = 0.02


@dataclass(frozen=True, slots=True)
class Step:
    """A *level* from 0 to 1 (the part of full power), held for *seconds*, its ramp included; at least 0.02."""

    level: float
    seconds: float

    def __post_init__(self) -> None:
        if not 0 <= self.level <= 1:
            raise ValueError(f"a motor's level is {self.level}, it must be from 0 to 1")
        if not SHORTEST_STEP_S <= self.seconds <= LONGEST_S:
            raise ValueError(f"a step of {self.seconds} s: it must be from {SHORTEST_STEP_S} to {LONGEST_S:g} s")


Pattern = tuple[Step, ...]
"""Steps, repeated for as long as the dance lasts."""
