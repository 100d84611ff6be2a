"""An evening: everything that people do at the table, each with what it should bring about."""

from __future__ import annotations

import asyncio

from reboard.editions.edition import load_edition
from reboard.errors import Rejection
from tests.soak.banker import NOTHING, Outcome
from tests.soak.disk import read_copy
from tests.soak.witness import ANYTHING, Witness

TORN: Outcome = ("refused", "torn")
RECOVERY_S = 75.0
"""In so long everything is well again when nothing misbehaves any more."""


class Evening(Witness):
    """A table with its model and its people. What they do returns when the hands are done."""

    def anything(self, *texts: str, rest_s: float = 21.0) -> None:
        """Carry out lines that may do anything the rules allow; dialogs have closed by the end."""
        self._in_dialog = True
        self._acting = {ANYTHING}
        self.wait_for(self._do(*texts, f"wait {rest_s:g}"))
        self.look()
        self._in_dialog = False
        self._learn()

    def tap(self, key: str, *, held_s: float = 0.08) -> None:
        """Press a key, and see that it does what it should."""
        self.wait_for(self._tap(key, held_s))
        self.look()

    async def _tap(self, key: str, held_s: float) -> None:
        self.look()
        if self.is_on:
            self._look_whether_open()
        if not self.is_on or self._forgot or self._opens or not self.books.on:
            await self._do(f"hold {key} {held_s:g}")
            return
        banker = self.banker
        # a card that was put in may still wait for a slow disk, and has woken the unit all the same
        knows_touch = self._knows_touch and "disk slow" not in self.table.faults
        woken = banker.sleeps(self.now) if knows_touch else bool(self.table.snapshot()["asleep"])
        unsure = self._knows_touch and abs(self.now - banker.touched_at - 60) < 1
        if abs(self.now - banker.rests_from()) < 0.3:
            banker.unsure_until = self.now + 4
        unsure = unsure or self.now < banker.unsure_until
        self._knows_touch = True
        expected: set[tuple[Outcome, ...]] = set()

        def expect() -> None:
            expected.update(_as_told(one) for one in self._expected(key, held_s, woken=woken))
            self._acting = {outcome for one in expected for outcome in one}

        expect()
        was_refused, banker.refused = banker.refused, False
        pressed_at = banker.touched_at = self.now
        await self._do(f"hold {key} {held_s:g}", "wait 20" if "disk slow" in self.table.faults else "wait 0.15")
        told, cards_moved = self._news(expect)
        if cards_moved and key in ("GO", "C"):
            expected.update({(), *(one[:1] for one in expected)})  # a key counts as held while nothing else is touched
        if cards_moved:  # what a card that left took along is dropped from the news
            expected.update({tuple(one for one in outcomes if one != TORN) for outcomes in tuple(expected)})
        if not self.is_on:
            return
        amount_at_stake = bool(banker.torn or banker.typed or key in "0123456789.K")
        if cards_moved and (woken or amount_at_stake):  # the card may have come before the key or after it
            banker.unsure_until = self.now + 4
        if woken and not cards_moved:
            banker.wake(key, pressed_at)
        elif not woken:
            banker.press(key, pressed_at, was_refused=was_refused)
        if not unsure and told not in expected:
            by_disk = {("refused", "disk"), ("refused", "too fast"), TORN} if not self.is_calm else set()
            foreign = set(told) - {outcome for one in expected for outcome in one} - by_disk
            unforeseen = foreign or self.is_calm
            assert not unforeseen, f"{key} did {told}; expected one of {expected}"
        if cards_moved or unsure or was_refused is None or not self.is_calm or "game.started" in str(told):
            self._learn()

    def _expected(self, key: str, held_s: float, *, woken: bool) -> set[tuple[Outcome, ...]]:
        if woken and key != "DEAL":
            return {(TORN,)} if key in "0123456789." else {()}
        first = self.banker.expects(key, self.now)
        if key != "C" or held_s < 3:
            return {(outcome,) for outcome in first}
        if self.banker.cards:
            at_once = {NOTHING, ("deal.cancelled",)} & first
            return {(outcome, ("refused", "cards in")) for outcome in at_once or {NOTHING}}
        stays = self.banker.deal_since is not None and first != {("deal.cancelled",)}
        started = [("game.started",), ("deal.cancelled",)] if stays else [("game.started",)]
        return {(outcome, *started) for outcome in first}

    # What becomes of the power.

    def pull_the_plug(self) -> None:
        """Pull the plug, now."""
        if self.is_on:
            self._blow()
        self.await_darkness()

    def await_darkness(self) -> None:
        """The table is off, if somebody has pulled the plug; see what is left."""
        self.fuse.disarm()
        if self._cutting:
            cutting, self._cutting = self._cutting, None
            self.wait_for(cutting)
            self.look()
            if "disk damaged" in self.table.faults:
                self._forgot = self.was_damaged = True
            if not self._forgot:
                self._reconcile(read_copy(self.ledger) if self.ledger.exists() else None)
            self.banker.restarted(self.now)
            self._acting = set()
            self.block.restarted()

    def switch_on(self) -> None:
        """Put the plug in."""
        self.await_darkness()
        if self.is_on:
            return
        self.script.append("power on")
        configured = load_edition(self.table.config.edition).name
        before = self.books.games.get(self.books.on)
        goes_on = before is not None and (configured in (before.edition.name, self._named_before))
        self._acting = {("game.started",)}
        self._opens = True
        self.banker.restarted(self.now)
        self.lever.power(True, self.now)
        self.wait_for(self.table.power_on())
        on = self.books.on
        self.look()
        if self.is_on and self.is_calm and not self._cutting:
            assert goes_on is (on == self.books.on), f"game {on} should go on: {goes_on}; {self.books.on} is on"
            self._look_whether_open()
        self._acting = set()

    def configure_edition(self, edition: str) -> None:
        """Change the config's edition; a table that is on is switched off and on again."""
        if self.is_linked and load_edition(edition).block is None:
            return
        was_on = self.is_on
        self.pull_the_plug()
        self.do(f"config edition '\"{edition}\"'")
        if was_on:
            self.switch_on()

    def check_after_act(self) -> None:
        """What is the case between two acts; a plug that was pulled meanwhile is put back."""
        self.look()
        if self._cutting:
            self.await_darkness()
            self.switch_on()
        if self.is_on and "FINAL COUNT" in self.table.snapshot()["display"]:  # the game clock has opened it
            self.anything("key C", "key C", "key C")
        self._acting = set()
        self.check()

    # What is asked through the door.

    @property
    def to_undo(self) -> list[int]:
        """The transfers of the game that is on that can be taken back, or could once."""
        moves = self.books.game.moves if self.books.on else {}
        return [number for number, move in moves.items() if move.reason not in ("start", "undo")]

    def undo_through_the_door(self, transfer: int | None) -> None:
        """Take a transfer back, the last one or one by its number."""
        self.look()
        if not self.is_on or not self.is_calm or self._cutting or not self.books.on or self._opens:
            return
        game = self.books.game
        number = game.last_to_undo() if transfer is None else transfer
        move = game.opposite(number) if number in game.moves else None
        able = move and number not in game.undone and game.moves[number or 0].reason not in ("start", "undo")
        why = game.refusals(move) if move and able else {"nothing to undo"}
        self._request("undo", why, move, **({} if transfer is None else {"transfer": transfer}))

    def new_game_through_the_door(self, after: int | None) -> None:
        """Begin a game, or only if that game is on."""
        self.look()
        if not self.is_on or not self.is_calm or self._cutting or not self.books.on or self._opens:
            return
        begins = after in (None, self.books.on)
        outcome: Outcome = ("game.started",) if begins else ()
        self._request("new_game", set(), outcome, **({} if after is None else {"game": after}))

    def _request(self, do: str, why: set[str], outcome: Outcome | None, **args: int) -> None:
        self.script.append(f"# through the door: {do} {args}")
        self._acting = {outcome} if outcome and not why else set()
        assert self.table.table
        before = self._seen

        async def ask() -> None:
            assert self.table.table
            request = asyncio.ensure_future(self.table.table.request(do, **args))
            # a disk that is slow no more may still be at what it began when it was
            await asyncio.wait({request}, timeout=30.0)
            await asyncio.sleep(0.1)
            if self._cutting or not self.is_on:
                await asyncio.gather(request, return_exceptions=True)
                return
            assert request.done(), f"{do} {args} has no answer"
            refused = request.exception()
            if why:
                assert isinstance(refused, Rejection), f"{do} {args} did {request}; it should be refused: {why}"
                assert refused.why in why, f"{do} {args} was refused because of {refused.why}, expected {why}"
            else:
                assert refused is None, f"{do} {args} was refused: {refused}"

        self.wait_for(ask())
        told, _ = self._news(lambda: None)
        if self.is_on and not self._cutting:
            main = tuple(one for one in told if one != ("deal.cancelled",))
            wanted = (outcome,) if outcome and not why else ()
            assert main == wanted, f"{do} {args} told {main}, expected {wanted} since {before}"

    # The end.

    def end(self) -> None:
        """Mend everything: each accessory lives, and the ledger is without fault."""
        for cut in self._cuts_to_come:
            cut.cancel()
        self.await_darkness()
        for fault in sorted(self.table.faults):
            self.mend(fault)
        self.let_go_of_everything()
        self.switch_on()
        self.do(f"wait {RECOVERY_S:g}")
        self.check()
        assert self.table.table
        assert not self._forgot, "the ledger was not mended"
        self.anything("key C", "key C", "key C")
        for slot, card in (("right", 2), ("left", 1)):
            self.do(f"insert {slot} {card}", "wait 1")
            self.look()
            if slot not in self.banker.seats:  # to a reader that speaks once, it had been in
                self.do(f"insert {slot} {card}", "wait 1")
                self.look()
            assert slot in self.banker.seats, f"the {slot} slot is dead"
        before = self.books.last
        self.tap("GO")
        self.tap("7")
        assert self.banker.typed == "7", "the keypad is dead"
        self.do("wait 5", "press block", "wait 0.1")
        self._told("block.outcome")
        self.pull_lever()
        self.release_lever()
        self.do("wait 1")
        assert self.table.pi["apple.motor"].is_on, "the apple is dead"
        faults = self.table.table.faults
        if before == self.books.last:  # that the calendar is right again, and the disk, is seen when money moves
            faults.pop("clock", None)
            faults.pop("ledger", None)
        assert not faults, f"for ever at fault: {faults}"
        self.check()
        self.pull_the_plug()
        problems = self.verify()
        assert self.was_damaged or not problems, f"reboard ledger verify: {problems}"

    def _told(self, event: str) -> None:
        names = [told["event"] for _, told in self.table.log.since(self._seen)]
        assert event in names, f"no {event}, only {names}"


def _as_told(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    return tuple(outcome for outcome in outcomes if outcome)
