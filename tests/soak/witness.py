"""Somebody at the table who knows the rules, watches, and compares.

After each thing that hands do, all that the table told is held against the model, and so are its file, its glass and
its motor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reboard.editions.edition import Edition, edition_names, load_edition, split_name
from reboard_sim.recording import LoggedEvent
from tests.soak.audit import compare, copy_from, keeps_all_that_was_told, learn_retired, untold_games, untold_moves
from tests.soak.banker import Banker, Outcome
from tests.soak.books import BANK, Books, Move, move_of, shown
from tests.soak.disk import OnDisk, read_in_place
from tests.soak.linked_block import LinkedBlock
from tests.soak.plugged_table import PluggedTable

CONFIRMING = ("received", "paid", "salary", "undone")
"""The sounds that confirm a transfer."""
ACCESSORIES = ("block", "apple", "bank")
SHORTEST_DEAL_S, LONGEST_DEAL_S = 13.0, 50.05
HARMLESS = re.compile(r"bounce$|(reader|noise|flicker) |(chatter|stuck) |display$|sound$|clock$")
"""Faults under which the books work as ever."""
ANYTHING: Outcome = ("anything",)


class Witness(PluggedTable):
    """A table with its model. What is wrong is an ``AssertionError``."""

    def __init__(self, folder: Path, *, seed: int, settings: Iterable[tuple[str, str]]) -> None:
        self.books = Books()
        self.banker = Banker(self.books)
        self.block = LinkedBlock(self.banker)
        self.was_damaged = False
        self._seen = 0
        self._intervals_seen = 0
        self._unconfirmed = 0
        self._in_dialog = False
        self._acting: set[Outcome] = set()
        self._named_before: str | None = None
        self._adopted: set[int] = set()
        self._adopted_games: set[int] = set()
        self._knows_touch = True
        self._opens = False
        """Whether the till may not be open yet: a disk that fails can keep it shut."""
        self._forgot = False
        """Whether the file was damaged, and what the model has counts no more."""
        super().__init__(folder, seed=seed, settings=settings)

    @property
    def is_calm(self) -> bool:
        """Whether nothing misbehaves that reaches the books: each key then does exactly what the design says."""
        return not self._forgot and all(HARMLESS.match(fault) for fault in self.table.faults)

    @property
    def is_linked(self) -> bool:
        """Whether the bank books what the block brings."""
        block = self.table.config.section("block")
        return block is not None and block.linked

    def look(self) -> None:
        """All that was told since is as the model has it."""
        told, _ = self._news(lambda: None)
        moved = [outcome for outcome in told if isinstance(outcome, Move) or outcome[0] == "game.started"]
        foreseen = (
            self._acting | ({ANYTHING} if self._forgot else set()) | ({("game.started",)} if self._opens else set())
        )
        assert ANYTHING in foreseen or foreseen.issuperset(moved), f"{moved} of itself; expected one of {self._acting}"
        assert not self.complaints.heard, "\n".join(self.complaints.heard)

    def check(self) -> None:
        """The table as it stands now."""
        self.look()
        self._check_motor()
        if not self.is_on or self._cutting:
            return
        self._remember()
        self._look_whether_open()
        self._look_at_glass()
        if "disk failing" in self.table.faults and not self._forgot:
            self._adopt(read_in_place(self.ledger, self.books.last))
        if self.is_calm and self.books.on and not self._opens:
            assert not self.block.due, f"one of {self.block.due} should have come of what the block brought"
            compare(self.books, read_in_place(self.ledger, self.books.last))
            cards = {card["number"]: card["balance"] for card in self.table.snapshot()["cards"]}
            accounts = {card: balance for card, balance in self.books.game.accounts.items() if card != BANK}
            assert cards == accounts, f"the table says {cards}, the model {accounts}"

    def _blow(self) -> None:
        if self.is_on and not self._cutting:
            self._look_at_glass()
        super()._blow()

    # What is told.

    def _news(self, cards_moved: Any) -> tuple[tuple[Outcome, ...], bool]:
        """Take in what was told: what came of keys, and whether cards came or went."""
        outcomes: list[Outcome] = []
        moved = False
        was_refused_card = False
        for place, told in list(self.table.log.since(self._seen)):
            self._seen = place + 1
            name = str(told["event"])
            outcome = self._take_in(name, told)
            if name in ("card.inserted", "card.removed"):
                moved = True
                cards_moved()
            if name == "refused" and (was_refused_card or (moved and told["why"] == "torn")):
                outcome = ()
            was_refused_card = name == "card.inserted" and told["number"] is None
            if outcome:
                outcomes.append(outcome)
        return tuple(outcomes), moved

    def _take_in(self, name: str, told: LoggedEvent) -> Outcome:
        at = float(str(told["t"]))
        if name == "refused":
            self.banker.refused = True
        match name:
            case "transfer" | "game.started" | "game.resumed" | "sound" if self._forgot:
                return ()
            case "transfer" if told["id"] in self._adopted:
                return ()
            case "transfer":
                move = move_of(told)
                self.books.book(_whole(told["id"]), _whole(told["game"]), move)
                self.banker.booked(_whole(told["id"]), move, at)
                self._unconfirmed += move.reason != "start"
                if move.reason in ("coins", "laugh", "game_over"):
                    self._unconfirmed -= 1
                    self.block.came(move, excused=self._is_excused)
                    return ()
                return () if move.reason == "start" else move
            case "sound" if told["name"] in CONFIRMING and not self._in_dialog:
                self._unconfirmed -= 1
                assert self._unconfirmed >= 0, f"{told['name']} was heard, and nothing was booked"
            case "refused" if self.block.takes(("refused", told["why"])):
                self.block.came(("refused", told["why"]), excused=self._is_excused)
            case "refused":
                return ("refused", told["why"])
            case "block.pressed" if self.is_linked:
                self.block.press()
            case "block.outcome" if self.is_linked:
                if self.banker.cards:
                    self.banker.touched_at = max(self.banker.touched_at, at)
                excused = self._is_excused or not self.books.on
                self.block.outcome(str(told["outcome"]), _whole(told["coins"]), excused=excused)
            case "game.started" if told["game"] in self._adopted_games:
                return ()
            case "game.started":
                self._begun(_whole(told["game"]), str(told["edition"]))
                return ("game.started",)
            case "game.resumed":
                assert told["game"] in self.books.games
                self.books.on = _whole(told["game"])
                self.banker.another_game()
                return ("game.resumed",)
            case "game.clock":
                self._knows_touch = False  # it wakes the unit when the time is nearly up
            case "deal.started":
                self.banker.deal_since = at
                return ("deal.started",)
            case "deal.cancelled" | "deal.ended":
                since, self.banker.deal_since = self.banker.deal_since, None
                assert since is not None
                if name == "deal.ended":
                    assert SHORTEST_DEAL_S <= at - since <= LONGEST_DEAL_S, f"a deal of {at - since} s"
                    return ()
                return ("deal.cancelled",)
            case "card.inserted":
                number = told["number"]
                assert number is None or isinstance(number, int)
                self._check_number(str(told["slot"]), number)
                self.banker.inserted(str(told["slot"]), number, at)
            case "card.removed":
                if self.banker.falls_asleep(at):
                    self._knows_touch = False
                self.banker.removed(str(told["slot"]), at)
            case "fault" if told["part"] in ACCESSORIES:
                assert not self.is_calm, f"the {told['part']} stopped: {told['cause']}"
                self.banker.restarted(at)
                self._opens = True
        return ()

    def _begun(self, number: int, edition: str) -> None:
        self.books.begin(number, self._edition(edition))
        self.banker.another_game()

    def _edition(self, name: str) -> Edition:
        """The edition called so; of one that is not in the box, on a damaged page, the config's."""
        return load_edition(name if split_name(name)[0] in edition_names() else self.table.config.edition)

    def _check_number(self, slot: str, number: int | None) -> None:
        if self._forgot:
            return
        most = self.books.game.edition.players.most
        assert number is None or 1 <= number <= most, f"a card got number {number} of {most}"

    @property
    def _is_excused(self) -> bool:
        """Whether the block's share may come or not come."""
        return not self.is_calm or self._in_dialog

    # What eyes see.

    def _look_whether_open(self) -> None:
        snapshot = self.table.snapshot()
        # a unit that is about to begin anew still shows what it had, and a notice is to be read first
        waits = (
            snapshot["game"] is None
            or "bank" in snapshot["faults"]
            or {"LEDGER MENDED", "NEW LEDGER"} & set(snapshot["display"])
        )
        if self._opens and not waits:
            self._opens = False
            self._named_before = load_edition(self.table.config.edition).name

    def _look_at_glass(self) -> None:
        """No balance is shown that is not so."""
        # a failing disk may have kept what the unit could not confirm: until the unit runs again it shows what it had
        is_stale = bool(self._adopted) and self.is_on and "bank" in self.table.snapshot()["faults"]
        if self.is_on and self.books.on and not self._forgot and not is_stale:
            typed = str(self.table.snapshot()["typed"])
            for text in self.table.pi["bank.display"].lcd.lines() if "display" not in self.table.faults else ():
                text = text.removesuffix(typed)
                found = re.match(r"[+-]([1-8]) (-?[0-9.]+[KM]?)(?=\s|$)", text)
                if found and self._rests and int(found[1]) in self.books.game.accounts:
                    balance = shown(self.books.game.accounts[int(found[1])], self.books.game.edition)
                    assert found[2] == balance, f"the display says {text!r}, and card {found[1]} has {balance}"

    @property
    def _rests(self) -> bool:
        """Whether all that was told has been taken in."""
        return self._seen == self.table.log.end

    def _check_motor(self) -> None:
        intervals = list(self.table.pi["apple.motor"].on_intervals)
        self.lever.check(intervals[max(0, self._intervals_seen - 1) :], self.now)
        self._intervals_seen = len(intervals)
        if self.is_on and not self._cutting and self.lever.must_run(self.now):
            assert self.table.pi["apple.motor"].is_on, "the worms should dance"

    # What lies on the disk.

    def _reconcile(self, disk: OnDisk | None) -> None:
        """After a cut: what was told is there, and at most one thing that was not, which a hand had begun."""
        if disk is None:
            assert not self.books.games, "the ledger is gone"
            return
        keeps_all_that_was_told(self.books, disk)
        begun, moves = untold_games(self.books, disk), untold_moves(self.books, disk)
        assert len(begun) + (len(moves) if not begun else 0) <= 1, f"more than one thing was not told: {begun} {moves}"
        may = self._acting
        if begun:
            assert may & {("game.started",), ANYTHING}, f"game {begun} began of itself"
            self._begun(begun[0], disk.editions[begun[0]])
        for number, of, move in moves:
            assert move.reason == "start" or may & {move, ANYTHING}, f"{move} was booked; expected one of {may}"
            self.books.book(number, of, move)
        if ANYTHING in may:
            self.books.on = disk.on
            learn_retired(self.books, disk)
        compare(self.books, disk)

    def _adopt(self, disk: OnDisk) -> None:
        """A disk that fails may have kept what was refused; it counts, and may be told later."""
        for number in untold_games(self.books, disk):
            self._begun(number, disk.editions[number])
            self._adopted_games.add(number)
        for number, game, move in untold_moves(self.books, disk):
            self.books.games[game].book(number, move)
            self.books.last = number
            self._adopted.add(number)
        self.books.on = disk.on
        learn_retired(self.books, disk)

    def _remember(self) -> None:
        """When a damaged file was mended by the table, what it says is what counts."""
        if not self._forgot or not all(HARMLESS.match(fault) for fault in self.table.faults):
            return
        assert self.table.table
        snapshot = self.table.snapshot()
        if snapshot["game"] is None or "bank" in snapshot["faults"]:
            return
        copy_from(read_in_place(self.ledger, 0), self.books, self._edition)
        self._forgot = False
        self.banker.fresh.clear()
        self._learn()

    def _learn(self) -> None:
        """Ask the table what it knows, after acts whose course nobody can foresee."""
        if not self.is_on or self._cutting or not self.books.on:
            return
        snapshot = self.table.snapshot()
        self.banker.typed = str(snapshot["typed"])
        self.banker.refused = None
        self._knows_touch = False
        self._unconfirmed = 0
        if self.is_calm:
            learn_retired(self.books, read_in_place(self.ledger, self.books.last))


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
