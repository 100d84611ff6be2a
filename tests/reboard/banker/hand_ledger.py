"""A ledger that is written by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reboard.banker.ledger import Ledger, Transfer
from reboard.refusal import Refusal

START = 1500


def pay(ledger: Ledger, game: int, from_: int, to: int, amount: int, press: str = "") -> Transfer:
    press = press or f"press-{len(ledger.transfers(game, 10_000))}"
    return ledger.pay(game, from_, to, amount, reason="test", press=press, at=2.0)


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refusal:
        call()
    return refusal.value.why
