"""An evening at a virtual table, watched by somebody who knows the rules.

What hands do is a line of a play, so that what went wrong can be played again. After each, all that the table told is
held against the model, and so are its file, its glass and its motor.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import Ledger
from reboard.config import Id12Config, KeyboardConfig
from reboard.edition import Edition, edition_names, load_edition
from reboard.errors import ReboardError
from reboard.refusal import Refusal
from reboard_sim.event_log import Told
from reboard_sim.hands import Hands
from reboard_sim.play_language import Line, parse_line
from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop
from tests.soak.apple import Lever
from tests.soak.banker import Banker, Outcome
from tests.soak.books import BANK, Books, Game, Move, move_of, shown
from tests.soak.disk import OnDisk, read_copy, read_in_place
from tests.soak.plug import Fuse, Moment, bookkeeper_with

T = TypeVar("T")

CONFIRMING = {"received": "a transfer", "paid": "a transfer", "salary": "a transfer", "undone": "a transfer"}
TELLING = ("transfer", "refused", "game.started", "game.resumed", "deal.started", "deal.cancelled")
ACCESSORIES = ("block", "apple", "bank")
SHORTEST_DEAL_S, LONGEST_DEAL_S = 13.0, 50.05
HARMLESS = re.compile(r"bounce$|(reader|noise|flicker) |(chatter|stuck) |display$|sound$|clock$")
"""Faults under which the books work as ever."""
RECOVERY_S = 75.0
"""In so long everything is well again when nothing misbehaves any more."""
ANYTHING: Outcome = ("anything",)


@cache
def line(text: str) -> Line:
    """A line of a play."""
    parsed = parse_line(text)
    assert parsed
    return parsed


class Complaints(logging.Handler):
    """Keeps what is logged with a trace: a defect of ours."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it, if it has a trace."""
        if record.exc_info:
            self.heard.append(self.format(record))


class Evening:
    """A table with its model. What it does returns when the hands are done; what is wrong is an ``AssertionError``."""

    def __init__(self, folder: Path, *, seed: int, settings: Iterable[tuple[str, str]]) -> None:
        self.loop = VirtualTimeLoop()
        self.loop.set_exception_handler(self._complain)
        self.script: list[str] = [f"seed {seed}", *(f"config {key} '{value}'" for key, value in settings)]
        self.complaints = Complaints()
        logging.getLogger().addHandler(self.complaints)
        self.books = Books()
        self.ledger = folder / LEDGER_FILE
        self.fuse = Fuse(self.loop, self._blow)
        self._patched = patch("reboard.table.Bookkeeper", bookkeeper_with(self.fuse))
        self._patched.start()
        scene = Scene.load(None, folder)
        for key, value in settings:
            scene = scene.with_setting(key, value)
        self.cuts = 0
        self._cuts_to_come: list[asyncio.TimerHandle] = []
        self.acts = 0
        self._cutting: asyncio.Task[None] | None = None
        self._seen = 0
        self._intervals_seen = 0
        self._unconfirmed = 0
        self._in_dialog = False
        self._acting: set[Outcome] = set()
        self._named_before: str | None = None
        self._brought: Outcome | None = None
        """What was booked of what the block brought, when it was told before that."""
        self._pressed = False
        self._due: set[Outcome] = set()
        """One of this is to come of what the block brought."""
        self._adopted: set[int] = set()
        self._knows_touch = True
        self._opens = False
        """Whether the till may not be open yet: a disk that fails can keep it shut."""
        self._forgot = False
        """Whether the file was damaged, and what the model has counts no more."""
        self.was_damaged = False
        self.wait_for(self._begin(scene, seed))

    async def _begin(self, scene: Scene, seed: int) -> None:
        self.table = VirtualTable(scene, seed=seed)
        self.hands = Hands(self.table)
        self.banker = Banker(self.books)
        assert self.table.config.apple
        self.lever = Lever(self.table.config.apple.seconds)

    def wait_for(self, what: Awaitable[T]) -> T:
        """Let the table's time go on until it is done."""
        return self.loop.run_until_complete(what)

    @property
    def now(self) -> float:
        """The table's time."""
        return self.loop.time()

    @property
    def is_on(self) -> bool:
        """Whether the table has power."""
        return self.table.is_on

    @property
    def is_calm(self) -> bool:
        """Whether nothing misbehaves that reaches the books: each key then does exactly what the design says."""
        return not self._forgot and all(HARMLESS.match(fault) for fault in self.table.faults)

    @property
    def sees_cards(self) -> bool:
        """Whether cards are recognised as they should be."""
        return not any(fault.split()[0] in ("reader", "noise", "flicker", "bounce") for fault in self.table.faults)

    # What hands do.

    def do(self, *texts: str) -> None:
        """Carry out lines of a play, with no idea of what will come of them."""
        self.wait_for(self._do(*texts))

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
        if not self.is_on or self._forgot or self._opens or not self.books.on:
            await self._do(f"hold {key} {held_s:g}")
            return
        banker = self.banker
        woken = banker.sleeps(self.now) if self._knows_touch else bool(self.table.snapshot()["asleep"])
        unsure = self._knows_touch and abs(self.now - banker.touched_at - 60) < 1
        self._knows_touch = True
        expected: set[tuple[Outcome, ...]] = set()

        def expect() -> None:
            expected.update(_as_told(one) for one in ([()] if woken else self._expected(key, held_s)))

        expect()
        banker.touched_at = self.now
        self._acting = {outcome for one in expected for outcome in one}
        await self._do(f"hold {key} {held_s:g}", "wait 20" if "disk slow" in self.table.faults else "wait 0.15")
        told, cards_moved = self._news(expect)
        if cards_moved and key in ("GO", "C"):
            expected.update({(), *(one[:1] for one in expected)})  # a key counts as held while nothing else is touched
        if not self.is_on:
            return
        if not woken:
            banker.press(key)
        if not unsure and told not in expected:
            by_disk = {("refused", "disk"), ("refused", "too fast")} if not self.is_calm else set()
            foreign = set(told) - {outcome for one in expected for outcome in one} - by_disk
            unforeseen = foreign or self.is_calm
            assert not unforeseen, f"{key} did {told}; expected one of {expected}"
        if cards_moved or unsure or not self.is_calm or "game.started" in str(told):
            self._learn()

    def _expected(self, key: str, held_s: float) -> set[tuple[Outcome, ...]]:
        first = self.banker.expects(key)
        if self.banker.cards or key not in ("C", "GO"):
            return {(outcome,) for outcome in first}
        if key == "GO":
            return {()} if held_s >= 1.5 else {(("refused", "no card"),)}
        if held_s < 3:
            return {(outcome,) for outcome in first}
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
            self._due, self._pressed = set(), False

    def cut_in(self, seconds: float) -> None:
        """Pull the plug in so many *seconds*, whatever is going on then."""
        self.script.append(f"# in {seconds:g} s the plug is pulled")
        self._cuts_to_come.append(self.loop.call_later(seconds, self._blow))

    def cut_at(self, moment: Moment, calls: int) -> None:
        """Pull the plug while the disk is at work."""
        self.script.append(f"# the plug is pulled {moment} the disk has done call {calls + 1} from here")
        self.fuse.arm(moment, calls)

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

    def mend(self, fault: str) -> None:
        """Something misbehaves no more."""
        self.do(f"mend {fault}")
        if fault == "stuck lever":
            self.lever.stick(False, self.now)

    def configure_edition(self, edition: str) -> None:
        """Change the config's edition; a table that is on is switched off and on again."""
        if self.is_linked and load_edition(edition).block is None:
            return
        was_on = self.is_on
        self.pull_the_plug()
        self.do(f"config edition '\"{edition}\"'")
        if was_on:
            self.switch_on()

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
            await asyncio.wait({request}, timeout=1.0)
            await asyncio.sleep(0.1)
            if self._cutting or not self.is_on:
                await asyncio.gather(request, return_exceptions=True)
                return
            refused = request.exception()
            if why:
                assert isinstance(refused, Refusal), f"{do} {args} did {request}; it should be refused: {why}"
                assert refused.why in why, f"{do} {args} was refused because of {refused.why}, expected {why}"
            else:
                assert refused is None, f"{do} {args} was refused: {refused}"

        self.wait_for(ask())
        told, _ = self._news(lambda: None)
        if self.is_on and not self._cutting:
            main = tuple(one for one in told if one != ("deal.cancelled",))
            wanted = (outcome,) if outcome and not why else ()
            assert main == wanted, f"{do} {args} told {main}, expected {wanted} since {before}"

    def _blow(self) -> None:
        """The plug is pulled: the Pi is dead before anything else happens."""
        if not self.is_on or self._cutting:
            return
        self.cuts += 1
        self.script.append("power off")
        self._look_at_glass()
        self.lever.power(False, self.now)
        self._cutting = self.loop.create_task(self.table.power_off())
        self.loop.call_soon(self.fuse.let_go)

    # What eyes see.

    def look(self) -> None:
        """All that was told since is as the model has it."""
        told, _ = self._news(lambda: None)
        moved = [outcome for outcome in told if isinstance(outcome, Move) or outcome[0] == "game.started"]
        foreseen = (
            self._acting | ({ANYTHING} if self._forgot else set()) | ({("game.started",)} if self._opens else set())
        )
        assert ANYTHING in foreseen or foreseen.issuperset(moved), f"{moved} of itself; expected one of {self._acting}"
        assert not self.complaints.heard, "\n".join(self.complaints.heard)

    def check_after_act(self) -> None:
        """What is the case between two acts; a plug that was pulled meanwhile is put back."""
        self.look()
        if self._cutting:
            self.await_darkness()
            self.switch_on()
        self._acting = set()
        self.check()

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
            assert not self._due, f"one of {self._due} should have come of what the block brought"
            self._compare(read_in_place(self.ledger, self.books.last))
            cards = {card["number"]: card["balance"] for card in self.table.snapshot()["cards"]}
            accounts = {card: balance for card, balance in self.books.game.accounts.items() if card != BANK}
            assert cards == accounts, f"the table says {cards}, the model {accounts}"

    def _look_whether_open(self) -> None:
        snapshot = self.table.snapshot()
        # a unit that is about to begin anew still shows what it had
        if self._opens and snapshot["game"] is not None and "bank" not in snapshot["faults"]:
            self._opens = False
            self._named_before = load_edition(self.table.config.edition).name

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
            if name == "refused" and was_refused_card:
                outcome = ()
            was_refused_card = name == "card.inserted" and told["number"] is None
            if outcome:
                outcomes.append(outcome)
        return tuple(outcomes), moved

    def _take_in(self, name: str, told: Told) -> Outcome:
        at = float(str(told["t"]))
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
                    self._book_for_block(move)
                    return ()
                return () if move.reason == "start" else move
            case "sound" if told["name"] in CONFIRMING and not self._in_dialog:
                self._unconfirmed -= 1
                assert self._unconfirmed >= 0, f"{told['name']} was heard, and nothing was booked"
            case "refused" if self._pressed or ("refused", told["why"]) in self._due:
                self._book_for_block(("refused", told["why"]))
            case "refused":
                return ("refused", told["why"])
            case "block.pressed" if self.is_linked:
                self._pressed, self._brought = True, None
            case "block.outcome" if self.is_linked:
                self._pressed = False
                if self.banker.cards:
                    self.banker.touched_at = max(self.banker.touched_at, at)
                if self.is_calm and self.books.on and not self._in_dialog:
                    self._expect_of_block(str(told["outcome"]), _whole(told["coins"]))
            case "game.started":
                self._begun(_whole(told["game"]), str(told["edition"]))
                return ("game.started",)
            case "game.resumed":
                assert told["game"] in self.books.games
                self.books.on = _whole(told["game"])
                self.banker.another_game()
                return ("game.resumed",)
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
        return load_edition(name if name in edition_names() else self.table.config.edition)

    def _book_for_block(self, outcome: Outcome) -> None:
        if self._due or not self._pressed:
            right = outcome in self._due or not self.is_calm or self._in_dialog
            assert right, f"the block should bring one of {self._due}, and {outcome} came of it"
            self._due = set()
        else:
            self._brought = outcome

    def _expect_of_block(self, outcome: str, coins: int) -> None:
        brought = self._brought
        due = self.banker.linked(outcome, coins, booked=isinstance(brought, Move))
        assert brought is None or brought in due, f"the block brought {outcome} {coins}, and {brought} came of it"
        self._due = set() if brought else due

    @property
    def is_linked(self) -> bool:
        """Whether the bank books what the block brings."""
        block = self.table.config.block
        return block is not None and block.linked

    def _check_number(self, slot: str, number: int | None) -> None:
        if self._forgot:
            return
        most = self.books.game.edition.players.most
        assert number is None or 1 <= number <= most, f"a card got number {number} of {most}"

    def _look_at_glass(self) -> None:
        """No balance is shown that is not so."""
        if self.is_on and self.books.on and not self._forgot:
            for text in self.table.pi.lcd.lines() if "display" not in self.table.faults else ():
                found = re.match(r"[+-]([1-8]) (-?[0-9.]+[KM]?)(?=\s|$)", text)
                if found and self._rests and int(found[1]) in self.books.game.accounts:
                    balance = shown(self.books.game.accounts[int(found[1])], self.books.game.edition)
                    assert found[2] == balance, f"the display says {text!r}, and card {found[1]} has {balance}"

    @property
    def _rests(self) -> bool:
        """Whether all that was told has been taken in."""
        return self._seen == self.table.log.end

    def _check_motor(self) -> None:
        intervals = list(self.table.pi.motor.on_intervals)
        self.lever.check(intervals[max(0, self._intervals_seen - 1) :], self.now)
        self._intervals_seen = len(intervals)
        if self.is_on and not self._cutting and self.lever.must_run(self.now):
            assert self.table.pi.motor.is_on, "the worms should dance"

    # What lies on the disk.

    def _compare(self, disk: OnDisk) -> None:
        for number, game in self.books.games.items():
            accounts = {card: balance for (of, card), (balance, _) in disk.accounts.items() if of == number}
            assert accounts == game.accounts, f"game {number} on disk: {accounts}, in the model {game.accounts}"
            assert sum(accounts.values()) == 0
            retired = {card for (of, card), (_, gone) in disk.accounts.items() if of == number and gone}
            assert retired == game.retired, f"retired in game {number} on disk: {retired}, in the model {game.retired}"
        assert disk.on == self.books.on, f"game {disk.on} is on on disk, {self.books.on} in the model"
        news = [move for move in disk.moves if move[0] > self.books.last]
        assert not news, f"on disk, and not told: {news}"

    def _reconcile(self, disk: OnDisk | None) -> None:
        """After a cut: what was told is there, and at most one thing that was not, which a hand had begun."""
        if disk is None:
            assert not self.books.games, "the ledger is gone"
            return
        on_disk = {number: (game, move) for number, game, move in disk.moves}
        for number, game in self.books.games.items():
            for transfer, move in game.moves.items():
                assert on_disk.get(transfer) == (number, move), (
                    f"transfer {transfer} was told as {move}; on disk it is {on_disk.get(transfer)}"
                )
        begun = sorted(disk.editions.keys() - self.books.games.keys())
        moves = [move for move in disk.moves if move[0] > self.books.last]
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
            self._learn_retired(disk)
        self._compare(disk)

    def _adopt(self, disk: OnDisk) -> None:
        """A disk that fails may have kept what was refused; it counts, and may be told later."""
        for number in sorted(disk.editions.keys() - self.books.games.keys()):
            self._begun(number, disk.editions[number])
        for number, game, move in disk.moves:
            if number > self.books.last:
                self.books.games[game].book(number, move)
                self.books.last = number
                self._adopted.add(number)
        self.books.on = disk.on
        self._learn_retired(disk)

    def _remember(self) -> None:
        """When a damaged file was mended by the table, what it says is what counts."""
        if not self._forgot or not all(HARMLESS.match(fault) for fault in self.table.faults):
            return
        assert self.table.table
        if "ledger" in self.table.table.faults or self.table.snapshot()["game"] is None:
            return
        disk = read_in_place(self.ledger, 0)
        self.books.games = {number: Game(self._edition(edition)) for number, edition in disk.editions.items()}
        for (of, card), (balance, _) in disk.accounts.items():
            self.books.games[of].accounts[card] = balance
        for number, of, move in disk.moves:
            self.books.games[of].moves[number] = move
        self.books.on, self.books.last = disk.on, max((number for number, _, _ in disk.moves), default=0)
        self._forgot = False
        self.banker.fresh.clear()
        self._learn()

    # What has to be asked, because no event tells it.

    def _learn(self) -> None:
        """Ask the table what it knows, after acts whose course nobody can foresee."""
        if not self.is_on or self._cutting or not self.books.on:
            return
        snapshot = self.table.snapshot()
        self.banker.typed = str(snapshot["typed"])
        self._knows_touch = False
        self._unconfirmed = 0
        if self.is_calm:
            self._learn_retired(read_in_place(self.ledger, self.books.last))

    def _learn_retired(self, disk: OnDisk) -> None:
        for number, game in self.books.games.items():
            game.retired = {card for (of, card), (_, gone) in disk.accounts.items() if of == number and gone}

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
        assert self.table.pi.motor.is_on, "the apple is dead"
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

    def let_go_of_everything(self) -> None:
        """No hand is at the table any more."""
        for key in self.table.pi.keypad.held:
            self.do(f"release {key}")
        self.table.pi.button.open()
        self.release_lever()
        for slot in self.table.pi.slots:
            self.take_out(slot)

    def take_out(self, slot: str) -> None:
        """Take a card out; readers that speak once want to hear it once more."""
        bank = self.table.config.bank
        assert bank
        there = self.table.pi.reader(slot).card
        if isinstance(bank.left if slot == "left" else bank.right, Id12Config | KeyboardConfig) and there:
            self.do("wait 1")
            self.table.pi.reader(slot).put(there)
        self.do(f"remove {slot}")

    def release_lever(self) -> None:
        """Let it go."""
        self.script.append("release lever")
        self.table.pi.lever.open()
        self.lever.hold(False, self.now)

    def pull_lever(self) -> None:
        """Pull it back and hold it."""
        self.script.append("pull lever")
        self.table.pi.lever.close()
        self.lever.hold(True, self.now)
        self.do("wait 0.15")

    def verify(self) -> list[str]:
        """What `reboard ledger verify` finds."""
        ledger = Ledger(self.ledger)
        try:
            return ledger.verify()
        finally:
            ledger.close()

    def close(self) -> float:
        """Put everything away; returns for how many seconds the evening lasted at the table."""
        self.fuse.disarm()
        if self._cutting:
            self.wait_for(self._cutting)
        with suppress(ReboardError):
            self.wait_for(self.table.close())
        self._patched.stop()
        logging.getLogger().removeHandler(self.complaints)
        seconds = self.now
        self.loop.close()
        return seconds

    async def _do(self, *texts: str) -> None:
        for text in texts:
            self.script.append(text)
            self.acts += 1
            with suppress(NoSuchCardError):
                await self.hands.do(line(text))

    def latest(self) -> str:
        """The latest of what was told."""
        told = [one for _, one in self.table.log.since(self.table.log.end - 60)]
        return "\n".join(str(one) for one in told if one["event"] not in ("motor", "lamp", "deal.tick"))

    def _complain(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.complaints.heard.append(repr(context))


def _as_told(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    return tuple(outcome for outcome in outcomes if outcome)


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
