"""A table that is compared with the model: its events, its file, its display and its motor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from reboard.editions.edition import Edition, edition_names, load_edition, split_name
from reboard_sim.devices.readers.virtual_reader import virtual_reader
from tests.soak.ledger_file import LedgerContent, read_in_place
from tests.soak.money_model import BANK, MoneyModel, Move, shown
from tests.soak.plugged_table import PluggedTable
from tests.soak.unit_model import HEAL_S, NEVER, UNKNOWN, Outcome, UnitModel

CONFIRMING = ("received", "paid", "salary", "undone")
"""The sounds that confirm a transfer."""
BLOCK = ("coins", "laugh", "game_over")
"""The reasons of the linked block."""
ACCESSORIES = ("block", "apple", "bank")
SHORTEST_DEAL_S, LONGEST_DEAL_S = 13.0, 50.05
HARMLESS = re.compile(
    r"bounce$|(reader|noise|flicker) |(chatter|stuck|spike|hum) |(garbled|reset|blank) |display$|sound$|clock$"
)
"""Faults under which the money works as ever."""
ANYTHING: Outcome = ("anything",)
GAME_STARTED: Outcome = ("game.started",)


class Witness(PluggedTable):
    """A table with its model. Every difference is an ``AssertionError``."""

    def __init__(self, folder: Path, *, seed: int, settings: Iterable[tuple[str, str]]) -> None:
        self.money = MoneyModel()
        self.unit = UnitModel(self.money)
        self.was_damaged = False
        self._seen = 0
        self._intervals_seen = 0
        self._unconfirmed = self._act = 0
        self._moved_at = self._let_go_at = -1.0
        """When money moved last, and when the unit could let go of a card that was only tapped."""
        self._in_dialog = False
        self._acting: set[Outcome] = set()
        """What the present act may do."""
        self._named_before: str | None = None
        self._adopted: set[int] = set()
        self._adopted_games: set[int] = set()
        self._knows_touch = True
        self._opens = False
        """Whether the game may not be open yet: a failing disk can prevent it."""
        self._forgot = False
        """Whether the file was damaged, so that the model counts no more."""
        super().__init__(folder, seed=seed, settings=settings)

    @property
    def has_healthy_disk(self) -> bool:
        """Whether no fault reaches the money."""
        return all(HARMLESS.match(fault) for fault in self.table.faults)

    @property
    def is_calm(self) -> bool:
        """Whether each key does exactly what the design says."""
        return not self._forgot and self.has_healthy_disk

    @property
    def is_asked(self) -> bool:
        """Whether a game is open and each request has one right answer."""
        return self.is_playing and self.is_calm and bool(self.money.current) and not self._opens

    def look(self) -> None:
        """Compare all new events with the model."""
        outcomes, _ = self._news()
        moved = [outcome for outcome in outcomes if isinstance(outcome, Move) or outcome == GAME_STARTED]
        foreseen = self._acting | ({ANYTHING} if self._forgot else set()) | ({GAME_STARTED} if self._opens else set())
        assert ANYTHING in foreseen or foreseen.issuperset(moved), f"{moved} of itself; expected one of {self._acting}"
        assert not self.tracebacks.found, "\n".join(self.tracebacks.found)

    def check(self) -> None:
        """Compare the table's present state with the model."""
        self.look()
        self._check_motor()
        if not self.is_playing:
            return
        self._learn_mended_ledger()
        self._look_whether_open()
        self._check_display()
        if "disk failing" in self.table.faults and not self._forgot:
            self._adopt(read_in_place(self.ledger, self.money.last))
        if self.is_calm and self.money.current and not self._opens:
            assert not self.unit.due, f"one of {self.unit.due} should have come of what the block brought"
            read_in_place(self.ledger, self.money.last).compare(self.money)
            cards = {card["number"]: card["balance"] for card in self.table.snapshot()["cards"]}
            accounts = {card: balance for card, balance in self.money.game.accounts.items() if card != BANK}
            assert cards == accounts, f"the snapshot has {cards}, the model {accounts}"

    def _blow(self) -> None:
        if self.is_playing:
            self._check_display()
        super()._blow()

    def _news(self, cards_moved: Callable[[], object] = lambda: None) -> tuple[tuple[Outcome, ...], bool]:
        """Return the outcomes of all new events, and whether cards came or went. Call *cards_moved* at each card."""
        outcomes: list[Outcome] = []
        moved = False
        turned_away = ""
        for place, event in list(self.table.log.since(self._seen)):
            self._seen = place + 1
            name = event["event"]
            outcome = self._take_in(event)
            if name in ("card.inserted", "card.removed"):
                moved = True
                cards_moved()
            if name == "refused" and turned_away:
                self.unit.why[turned_away] = str(event["why"])
            if name == "refused" and (turned_away or (moved and event["why"] in ("torn", "not booked"))):
                outcome = ()
            turned_away = str(event["slot"]) if name == "card.inserted" and event["number"] is None else ""
            if outcome:
                outcomes.append(outcome)
        return tuple(outcomes), moved

    def _take_in(self, event: Mapping[str, Any]) -> Outcome:
        at = event["t"]
        if event["event"] == "refused":
            self.unit.refused = event["why"] not in ("dialog", "answer")
        match event["event"]:
            case "transfer" | "game.started" | "game.resumed" | "sound" if self._forgot:
                pass
            case "transfer" if event["id"] not in self._adopted:
                move = Move(*(event[name] for name in ("from", "to", "amount", "reason", "undoes")))
                comes_back = self._comes_back(move)
                is_of_act = at == self._moved_at
                self._act = self._act if is_of_act else event["id"]
                act = self._act if move.reason.startswith("each") else None
                self.money.book(event["id"], event["game"], move, act)
                self.unit.booked(event["id"], move, at)
                self._moved_at = self._let_go_at = at
                if move.reason in BLOCK:
                    self.unit.block_came(move, excused=self._is_excused)
                elif move.reason != "start" and not (comes_back and move not in self._acting):
                    self._unconfirmed += not is_of_act
                    return move
            case "sound" if event["name"] in CONFIRMING and not self._in_dialog:
                self._unconfirmed -= 1
                assert self._unconfirmed >= 0, f"{event['name']} was heard, and nothing was booked"
            case "refused" if self.unit.is_of_block(("refused", event["why"])):
                self.unit.block_came(("refused", event["why"]), excused=self._is_excused)
            case "refused":
                return ("refused", event["why"])
            case "block.pressed" if self.section("block").linked:
                self.unit.press_block()
            case "block.outcome" if self.section("block").linked:
                if self.unit.cards:
                    self.unit.touched_at = max(self.unit.touched_at, at)
                excused = self._is_excused or not self.money.current
                self.unit.block_outcome(event["outcome"], event["coins"], excused=excused)
            case "game.started" if event["game"] not in self._adopted_games:
                self._begin_game(event["game"], event["edition"])
                return GAME_STARTED
            case "game.resumed":
                assert event["game"] in self.money.games
                self.money.current = event["game"]
                self.unit.game_changed()
                return ("game.resumed",)
            case "game.clock":
                self._knows_touch = False  # it wakes the unit when the time is nearly up
            case "deal.started":
                self.unit.deal_since = at
                return ("deal.started",)
            case "deal.cancelled" | "deal.ended":
                since, self.unit.deal_since = self.unit.deal_since, None
                assert since is not None
                if event["event"] == "deal.cancelled":
                    return ("deal.cancelled",)
                self.unit.touched_at = max(self.unit.touched_at, at)
                assert SHORTEST_DEAL_S <= at - since <= LONGEST_DEAL_S, f"a deal of {at - since} s"
            case "card.inserted":
                number = event["number"]
                if number is not None and not self._forgot:
                    most = self.money.game.edition.players.most
                    assert 1 <= number <= most, f"a card got number {number} of {most}"
                self.unit.inserted(event["slot"], number, at)
                if number is None:
                    self._let_go_at = at
            case "card.removed":
                if self.unit.falls_asleep(at):
                    self._knows_touch = False
                reader = virtual_reader(getattr(self.section("bank"), event["slot"]).reader)
                taps = bool(reader and reader.reports_once)
                self.unit.removed(event["slot"], at, is_done=taps and at == self._let_go_at)
            case "fault" if event["part"] in ACCESSORIES:
                assert not self.is_calm, f"the {event['part']} stopped: {event['cause']}"
                self.unit.restarted(at)
                self._opens = True
        return ()

    def _begin_game(self, number: int, edition: str) -> None:
        self.money.begin(number, self._edition(edition))
        self.unit.game_changed()

    def _edition(self, name: str) -> Edition:
        """Return the edition of a game; the config's, if a damaged page made the name unknown."""
        return load_edition(name if split_name(name)[0] in edition_names() else self.table.config.edition)

    @property
    def _is_excused(self) -> bool:
        """Whether the bank may book or refuse the block's outcome, or not."""
        return not self.is_calm or self._in_dialog or self.unit.offer is UNKNOWN or self.now < self.unit.unsure_until

    def _look_whether_open(self) -> None:
        snapshot = self.table.snapshot()
        # a unit that is about to restart still shows the old game, and the user reads a notice first
        notices = {"CHECK ALL MONEY", "SAVED GAME LOST"} & set(snapshot["display"])
        if self._opens and snapshot["game"] is not None and "bank" not in snapshot["faults"] and not notices:
            self._opens = False
            self._named_before = load_edition(self.table.config.edition).name

    def _check_display(self) -> None:
        """No wrong balance is shown."""
        if not self.table.is_on or not self.money.current or self._forgot or self._seen != self.table.log.end:
            return
        snapshot, accounts = self.table.snapshot(), self.money.game.accounts
        # a failing disk may have kept what the unit could not confirm: until the unit restarts it shows the old balance
        if "display" in self.table.faults or (self._adopted and "bank" in snapshot["faults"]):
            return
        for text in self.table.pi["bank.display"].lines():
            text = text.removesuffix(snapshot.get("typed", ""))  # a unit that restarts has no entry
            found = re.match(r"[+-]([1-8]) (-?[0-9.]+[KM]?)(?=\s|$)", text)
            if found and (card := int(found[1])) in accounts:
                balance = shown(accounts[card], self.money.game.edition)
                assert found[2] == balance, f"the display says {text!r}, and card {card} has {balance}"

    def _check_motor(self) -> None:
        intervals = list(self.table.pi["apple.motor"].on_intervals)
        self.lever.check(intervals[max(0, self._intervals_seen - 1) :], self.now)
        self._intervals_seen = len(intervals)
        if self.is_playing and self.lever.must_run(self.now):
            assert self.table.pi["apple.motor"].is_on, "the motor should run"

    def _reconcile(self, file: LedgerContent) -> None:
        """After a cut the file has all that was reported, and at most one thing that was not, of the present act."""
        file.keeps_all_reported(self.money)
        games, moves = file.new_games(self.money), file.new_moves(self.money)
        acts = {file.acts.get(number, number) for number, *_ in moves}
        assert len(games) + (len(acts) if not games else 0) <= 1, f"not reported, more than one: {games} {moves}"
        may = self._acting
        if games:
            assert may & {GAME_STARTED, ANYTHING}, f"game {games} began of itself"
            self._begin_game(games[0], file.editions[games[0]])
        for number, of, move in moves:
            by_a_card = move.reason == "start" or self._comes_back(move)
            by_block = move.reason in BLOCK and (self.unit.is_of_block(move) or self._is_excused)
            assert by_a_card or by_block or may & {move, ANYTHING}, f"{move} was booked; expected one of {may}"
            self.money.book(number, of, move, file.acts.get(number))
        if ANYTHING in may:
            self.money.current = file.current
            file.teach_retired(self.money)
        file.compare(self.money)

    def _comes_back(self, move: Move) -> bool:
        """Whether a card that had left gets its money again, when it is put in."""
        return move.undoes is not None and self.money.game.moves[move.undoes].reason == "left"

    def _adopt(self, file: LedgerContent) -> None:
        """Accept what a failing disk has kept although the unit refused it; the table may report it later."""
        for number in file.new_games(self.money):
            self._begin_game(number, file.editions[number])
            self._adopted_games.add(number)
        for number, game, move in file.new_moves(self.money):
            self.money.games[game].book(number, move, file.acts.get(number))
            self.money.last = number
            self._adopted.add(number)
        self.money.current = file.current
        file.teach_retired(self.money)

    def _learn_mended_ledger(self) -> None:
        """Once the table has mended a damaged file, the file counts."""
        snapshot = self.table.snapshot()
        if self._forgot and self.has_healthy_disk and snapshot["game"] is not None and "bank" not in snapshot["faults"]:
            read_in_place(self.ledger, 0).teach_all(self.money, self._edition)
            self._forgot = False
            self.unit.fresh.clear()
            self._learn()

    def _learn(self) -> None:
        """Ask the table for its state, after acts whose course is not certain."""
        if not self.is_playing or not self.money.current:
            return
        snapshot, unit = self.table.snapshot(), self.unit
        typed = snapshot.get("typed", "")
        unit.typed, unit.broken = typed.removeprefix("?"), typed.startswith("?")
        unit.entry_until = self.now + HEAL_S if unit.broken else NEVER
        unit.offer = UNKNOWN if snapshot.get("dialog") else None
        if typed.startswith("?") or typed == ".":
            unit.unsure_until = self.now + HEAL_S + 1
        unit.refused = None
        self._knows_touch = False
        self._unconfirmed = 0
        if self.is_calm:
            read_in_place(self.ledger, self.money.last).teach_retired(self.money)
