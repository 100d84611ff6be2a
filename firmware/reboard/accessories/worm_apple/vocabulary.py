"""What the worm apple says."""

from __future__ import annotations

from typing import Annotated

from reboard.vocabulary.declared import Event, State
from reboard.vocabulary.limits import LOCAL, Sensor


class Wound(Event, name="apple.wound", is_shared=True):
    """The lever is all the way back."""


class Started(Event, name="apple.started", is_shared=True):
    """The worms move."""

    seconds: Annotated[float, "for this time"]


class Stopped(Event, name="apple.stopped", is_shared=True):
    """Time is up, or the lever was pulled again."""


class Apple(State):
    """The worm apple."""

    running: Annotated[
        bool, Sensor("worms", "Worms", device_class="running", icon="mdi:food-apple"), "whether the worms dance"
    ]
    wound: bool
    seconds: Annotated[float, "the length of a turn"]
    started_at: Annotated[
        float | None, LOCAL, "the start of the turn, in the seconds of t; left of it are seconds - (t - started_at)"
    ]


class Snapshot(State):
    """The part of the worm apple."""

    apple: Apple | None
