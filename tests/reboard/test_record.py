from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, field
from functools import cached_property
from unittest.mock import ANY

import pytest

from reboard.record import Record, replace


class Spot(Record):
    x: int
    y: int = 0
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    seen_at: float = field(default=0.0, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x is negative")

    @cached_property
    def sum(self) -> int:
        return self.x + self.y


class Named(Spot, kw_only=True):
    name: str


def test_a_record_is_a_frozen_dataclass() -> None:
    spot = Spot(1, notes={"a": "b"})
    assert repr(spot) == "Spot(x=1, y=0, notes={'a': 'b'})"
    assert spot == Spot(1, 0, {"a": "b"}, seen_at=5.0)
    assert spot != Spot(2, notes={"a": "b"})
    assert spot != Named(1, 0, {"a": "b"}, name="n")
    assert spot == ANY
    assert hash(spot) == hash(Spot(1))
    assert Spot(1).notes is not Spot(1).notes
    match spot:
        case Spot(x, y):
            assert (x, y) == (1, 0)
    with pytest.raises(FrozenInstanceError, match=r"Spot.x cannot change: use `replace`"):
        spot.x = 2  # type: ignore[misc]
    with pytest.raises(ValueError, match="x is negative"):
        Spot(-1)


@pytest.mark.parametrize("copy", [replace, dataclasses.replace])
def test_a_copy_has_the_changes_and_is_checked(copy: Callable[..., Spot]) -> None:
    assert copy(Named(1, name="n"), y=3) == Named(x=1, y=3, name="n")
    with pytest.raises(ValueError, match="x is negative"):
        copy(Spot(1), x=-1)
    with pytest.raises(TypeError, match="argument 'z'"):
        copy(Spot(1), z=1)


def test_what_a_cached_property_keeps_is_no_field() -> None:
    spot = Spot(1)
    assert spot.sum == 1
    assert spot == Spot(1)
    assert Spot(1) == spot
    assert replace(spot, y=2).sum == 3
    with pytest.raises(TypeError, match="argument 'z'"):
        replace(spot, z=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Named(1), "Named takes x, y, notes, seen_at, name, each once: see the argument 'name'"),  # type: ignore[call-arg]
        (lambda: Spot(1, z=1), "see the argument 'z'"),  # type: ignore[call-arg]
        (lambda: Spot(1, x=1), "Spot takes x, y, notes, seen_at, each once$"),  # type: ignore[misc]
        (lambda: Spot(1, 2, {}, 4.0, 5), "each once$"),  # type: ignore[call-arg]
        (lambda: Named(1, 2, {}, 4.0, "n"), "see the argument 'name'"),  # type: ignore[call-arg]
    ],
)
def test_each_field_is_given_once(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()
