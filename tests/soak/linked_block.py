"""What the block brings to the bank in linked play, told before its outcome or after."""

from __future__ import annotations

from tests.soak.banker import Banker, Outcome
from tests.soak.books import Move


class LinkedBlock:
    """One press at a time: what is to come of it, and what came."""

    def __init__(self, banker: Banker) -> None:
        self._banker = banker
        self._pressed = False
        self._brought: Outcome | None = None
        self.due: set[Outcome] = set()
        """One of this is to come of what the block brought."""

    def restarted(self) -> None:
        """It was off."""
        self.due, self._pressed = set(), False

    def press(self) -> None:
        """It was pressed."""
        self._pressed, self._brought = True, None

    def takes(self, rejection: Outcome) -> bool:
        """Whether a *refusal* is of what the block brought, and not of a key."""
        return self._pressed or rejection in self.due

    def came(self, outcome: Outcome, *, excused: bool) -> None:
        """The bank booked or refused something of the block's; whatever it is if it is *excused*."""
        if self.due or not self._pressed:
            assert outcome in self.due or excused, f"the block should bring one of {self.due}, and {outcome} came of it"
            self.due = set()
        else:
            self._brought = outcome

    def outcome(self, outcome: str, coins: int, *, excused: bool) -> None:
        """Its outcome was told."""
        self._pressed = False
        if excused:
            return
        brought = self._brought
        due = self._banker.linked(outcome, coins, booked=isinstance(brought, Move))
        assert brought is None or brought in due, f"the block brought {outcome} {coins}, and {brought} came of it"
        self.due = set() if brought else due
