"""An evening: everything that users do at the table, with the effects that the model expects."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from reboard.accessories.banker_unit.database import LedgerFile
from reboard.editions.edition import load_edition
from reboard.errors import Rejection
from tests.soak.ledger_file import read_copy
from tests.soak.money_model import PAID, Move
from tests.soak.unit_model import UNKNOWN, Outcome, Outcomes
from tests.soak.witness import ANYTHING, GAME_STARTED, Witness

TORN: Outcome = ("refused", "torn")
DEAL_CANCELLED: Outcome = ("deal.cancelled",)
LEAVE_DIALOG = ("key C", "key C", "key GO")
"""From a ranking to the final count, and out of it; ``GO`` confirms that amounts are thrown away."""
RECOVERY_S = 75.0
"""Within this time everything recovers when no fault is left."""


class Evening(Witness):
    """A table with its model and its users. Each act returns when the user is done."""

    def __init__(self, folder: Path, *, seed: int, settings: Iterable[tuple[str, str]]) -> None:
        self.payments: list[tuple[int, int, Move]] = []
        """The game, the number and the move of each payment of another accessory."""
        super().__init__(folder, seed=seed, settings=settings)

    def anything(self, *texts: str, rest_s: float = 21.0) -> None:
        """Carry out lines that may do anything the rules allow; all dialogs have closed by the end."""
        self._in_dialog = True
        self._acting = {ANYTHING}
        self.do(*texts, f"wait {rest_s:g}")
        self.look()
        self._in_dialog = False
        self._learn()

    def tap(self, *keys: str, held_s: float = 0.08) -> None:
        """Press keys one by one, and compare their effects with those expected."""
        for key in keys:
            self.wait_for(self._tap(key, held_s))
            self.look()

    async def _tap(self, key: str, held_s: float) -> None:
        self.look()
        if self.table.is_on:
            self._look_whether_open()
        if not self.table.is_on or self._forgot or self._opens or not self.money.current:
            await self._do(f"hold {key} {held_s:g}")
            return
        unit = self.unit
        # a card that was put in may still wait for a slow disk, and has woken the unit all the same
        knows_touch = self._knows_touch and "disk slow" not in self.table.faults
        woken = unit.is_asleep(self.now) if knows_touch else bool(self.table.snapshot()["asleep"])
        unsure = self._knows_touch and abs(self.now - unit.touched_at - 60) < 1
        unsure = unsure or self.now < unit.unsure_until or unit.is_between(self.now) or unit.offer is UNKNOWN
        self._knows_touch = True
        unit.let_pass(self.now)
        expected: set[Outcomes] = set()

        def expect() -> None:
            expected.update(self._expected(key, held_s, woken=woken))
            self._acting = {ANYTHING} if unsure else {outcome for one in expected for outcome in one}

        expect()
        was_refused, unit.refused = unit.refused, False
        pressed_at = unit.touched_at = self.now
        before = unit.offer
        await self._do(f"hold {key} {held_s:g}", "wait 20" if "disk slow" in self.table.faults else "wait 0.15")
        outcomes, cards_moved = self._news(expect)
        if cards_moved:
            expect()  # why a card was rejected is known by now
            # a key counts as held while nothing else is touched, and the news leave out what a card broke
            expected.update({(), *(one[:1] for one in expected)})
            expected.update({tuple(one for one in each if one != TORN) for each in tuple(expected)})
            expected.add((("refused", "not booked"),))
        if not self.table.is_on:
            return
        if woken:
            unit.wake(key, pressed_at)
        elif not cards_moved:
            unit.offer = before
            unit.press(key, held_s, pressed_at, was_refused=was_refused)
        if not unsure and outcomes not in expected:
            by_disk = {("refused", "disk"), ("refused", "too fast"), TORN} if not self.is_calm else set()
            foreign = set(outcomes) - {outcome for one in expected for outcome in one} - by_disk
            if foreign or self.is_calm:
                raise AssertionError(f"{key} did {outcomes}; expected one of {expected}")
        if cards_moved or unsure or was_refused is None or not self.is_calm or GAME_STARTED in outcomes:
            self._learn()
        elif "disk slow" not in self.table.faults:
            self._check_entry()

    def _check_entry(self) -> None:
        """The display shows the amount and the offer of the model."""
        snapshot = self.table.snapshot()
        assert snapshot["typed"] == self.unit.shown, f"{snapshot['typed']!r} is typed, not {self.unit.shown!r}"
        is_offered = snapshot["dialog"] == "offer"
        assert is_offered == bool(self.unit.offer), f"the dialog is {snapshot['dialog']}, and not {self.unit.offer}"

    def _expected(self, key: str, held_s: float, *, woken: bool) -> set[Outcomes]:
        if woken and key != "DEAL":
            return {(TORN,)} if key in "0123456789." else {()}
        was_offer = self.unit.offer
        first = self.unit.expects(key, held_s)
        if key != "C" or held_s < 3 or was_offer:
            return first
        if self.unit.cards:
            return {(*outcomes, ("refused", "cards in")) for outcomes in first}
        stays = () if self.unit.deal_since is None else (DEAL_CANCELLED,)
        return {(*outcomes, GAME_STARTED, *(stays if DEAL_CANCELLED not in outcomes else ())) for outcomes in first}

    def pull_the_plug(self) -> None:
        if self.table.is_on:
            self._blow()
        self.await_power_off()

    def await_power_off(self) -> None:
        """If the plug is being pulled, wait until the table is off, and compare what the file has kept."""
        self.fuse.disarm()
        if not self._cutting:
            return
        cutting, self._cutting = self._cutting, None
        self.wait_for(cutting)
        self.look()
        if "disk damaged" in self.table.faults:
            self._forgot = self.was_damaged = True
        if not self._forgot and self.ledger.exists():
            self._reconcile(read_copy(self.ledger))
        assert self._forgot or self.ledger.exists() or not self.money.games, "the ledger is gone"
        self.unit.restarted(self.now)
        self._acting = set()

    def switch_on(self) -> None:
        self.await_power_off()
        if self.table.is_on:
            return
        self.script.append("power on")
        configured = load_edition(self.table.config.edition).name
        current = self.money.current
        before = self.money.games.get(current)
        continues = before is not None and configured in (before.edition.name, self._named_before)
        self._acting = {GAME_STARTED}
        self._opens = True
        self.unit.restarted(self.now)
        self.lever.power(True, self.now)
        self.wait_for(self.table.power_on())
        self.look()
        if self.is_playing and self.is_calm:
            assert continues is (current == self.money.current), (
                f"game {current} should continue: {continues}; the current game is {self.money.current}"
            )
            self._look_whether_open()
        self._acting = set()

    def configure_edition(self, edition: str) -> None:
        """Change the config's edition; a table that is on is switched off and on again."""
        if self.section("block").linked and "block" not in load_edition(edition).outcomes:
            return
        was_on = self.table.is_on
        self.pull_the_plug()
        self.do(f"config edition '\"{edition}\"'")
        if was_on:
            self.switch_on()

    def check_after_act(self) -> None:
        """Check the table between two acts. If the plug was pulled meanwhile, switch it on again."""
        self.look()
        if self._cutting:
            self.switch_on()
        if self.table.is_on and "FINAL COUNT" in self.table.snapshot()["display"]:  # the game clock has opened it
            self.anything(*LEAVE_DIALOG)
        self._acting = set()
        self.check()

    def request_undo(self, transfer: int | None) -> None:
        """Undo a transfer, or the last one."""
        self.look()
        if not self.is_asked:
            return
        game = self.money.game
        number = max(game.can_be_undone, default=0) if transfer is None else transfer
        can_be_undone = number in game.can_be_undone
        moves = tuple(map(game.opposite, game.act_of(number))) if can_be_undone else ()
        self._request("undo", moves, game.refusals_of(moves) if moves else {"nothing to undo"}, {"transfer": number})

    def request_new_game(self, after: int | None) -> None:
        """Begin a game, or only if *after* is the current one."""
        self.look()
        if self.is_asked:
            outcomes = (GAME_STARTED,) if after in (None, self.money.current) else ()
            self._request("new_game", outcomes, set(), {"game": after} if after else {})

    def request_payment(self, from_: int, to: int, amount: int, *, again: bool) -> None:
        """Pay *amount* as another accessory does, or repeat the last payment *again*."""
        self.look()
        if not self.is_asked:
            return
        move, known = Move(from_, to, amount, PAID), False
        if again and self.payments:
            game, number, move = self.payments[-1]
            known = self.money.games[game].moves.get(number) == move
        else:
            self.payments.append((self.money.current, 0, move))
        why = set() if known else self.money.game.refusals_to_pay(move)
        if self.table.snapshot()["ended"] and not known:
            why |= {"game over"}
        args = {"payment": f"payment {len(self.payments)}", "reason": PAID, "from": move.from_, "to": move.to}
        self._request("pay", () if known else (move,), why, args | {"amount": move.amount})
        if not why and not known:
            self.payments[-1] = (self.money.current, self.money.last, move)

    def _request(self, do: str, outcomes: Outcomes, why: set[str], args: Mapping[str, Any]) -> None:
        """Ask the table to *do* something: it refuses for a reason in *why*, or without one reports *outcomes*."""
        self.script.append(f"# over the control socket: {do} {args}")
        wanted = () if why else outcomes
        self._acting = set(wanted)
        table = self.table.table
        assert table

        async def ask() -> None:
            request = asyncio.ensure_future(table.request(do, **args))
            # a disk that was slow may still be at work on what began then
            await asyncio.wait({request}, timeout=30.0)
            await asyncio.sleep(0.1)
            if not self.is_playing:
                await asyncio.gather(request, return_exceptions=True)
                return
            assert request.done(), f"{do} {args} has no answer"
            refused = request.exception()
            is_right = refused.why in why if isinstance(refused, Rejection) else refused is None and not why
            assert is_right, f"{do} {args} was refused with {refused!r}; expected one of {why}"

        self.wait_for(ask())
        news, _ = self._news()
        if self.is_playing:
            did = tuple(one for one in news if one != DEAL_CANCELLED)
            assert did == wanted, f"{do} {args} did {did}, expected {wanted}"

    def end(self) -> None:
        """Mend everything: each accessory works, and the ledger is without fault."""
        for cut in self._cuts_to_come:
            cut.cancel()
        self.await_power_off()
        self.mend()
        self.release_everything()
        self.switch_on()
        self.do(f"wait {RECOVERY_S:g}")
        self.check()
        assert self.table.table
        assert not self._forgot, "the ledger was not mended"
        self.anything(*LEAVE_DIALOG)
        self.unit.why.clear()
        for slot, card in (("right", 2), ("left", 1)):
            for _ in range(2):  # to a reader that speaks once, the card may have been in
                if slot not in self.unit.slots:
                    self.do(f"insert {slot} {card}", "wait 1")
                    self.look()
            # a rejected card that was only tapped is out again at once
            assert slot in self.unit.slots or slot in self.unit.why, f"the {slot} slot is dead"
        before = self.money.last
        self.tap("GO", "7")
        assert self.unit.typed == "7", "the keypad is dead"
        self.do("wait 5", "press block", "wait 0.1")
        events = [event["event"] for _, event in self.table.log.since(self._seen)]
        assert "block.outcome" in events, f"the block is dead: {events}"
        self.pull_lever()
        self.release_lever()
        self.do("wait 1")
        assert self.table.pi["apple.motor"].is_on, "the apple is dead"
        # the table sees that calendar and disk are right again when money moves
        lasting = {"clock", "ledger"} if before == self.money.last else set()
        faults = {part: cause for part, cause in self.table.table.faults.items() if part not in lasting}
        assert not faults, f"faults that do not end: {faults}"
        self.check()
        self.pull_the_plug()
        with closing(LedgerFile(self.ledger)) as ledger:
            problems = ledger.verify()
            assert self.was_damaged or not problems, f"reboard ledger verify: {problems}"
