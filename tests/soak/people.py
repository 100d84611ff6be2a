"""People at a table, who do anything to it, and on whom everything breaks."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from reboard.devices.keypad import LEGEND
from reboard.editions.edition import editions_in_the_box
from reboard_sim.accessories.accessory import faults
from tests.soak.evening import Evening

IN_MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
KEYS = tuple(key for row in LEGEND for key in row)
SLOTS = st.sampled_from(["left", "right"])
CARDS = st.sampled_from([*"1234567812312", "tag 62E3086CED", "tag 01000734E0", "tag 0500207B32"])
AMOUNTS = st.one_of(
    st.sampled_from(["1", "5", "10", "100", "260", "1.5", "12.75", "500", "99999", "15", "0", "1500"]),
    st.text("0123456789.", max_size=7),
)
QUIET = st.sampled_from(["0.05", "0.4", "3", "10", "25", "59", "61", "240", "900"])
READERS = ("rdm6300", "id12", "keyboard", "bumps", "pn532")
EDITIONS = tuple(edition.name for edition in editions_in_the_box())
PINS = {"left": "[7, 8, 9]", "right": "[4, 10, 11]"}
OWN_EDITION = """
title = "A game of our own, in which one may owe"
short_title = "Our Own"
start = 100
salary = 10
jail_fee = 5
may_owe = true

[money]
units = false
smallest = 1

[block]
coin = 1
laugh = 5
game_over = 10

[players]
fewest = 2
most = 8
"""


class Tally:
    """What all evenings together come to."""

    def __init__(self) -> None:
        self.evenings = 0
        self.seconds = 0.0
        self.acts = 0
        self.transfers = 0
        self.cuts = 0

    def add(self, evening: Evening, seconds: float) -> None:
        """One evening more."""
        self.evenings += 1
        self.seconds += seconds
        self.acts += evening.acts
        self.transfers += evening.books.last
        self.cuts += evening.cuts

    def __iadd__(self, other: Tally) -> Tally:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self

    def __str__(self) -> str:
        hours = self.seconds / 3600
        return (
            f"{hours:.1f} table-hours in {self.evenings} evenings: {self.acts} acts, "
            f"{self.transfers} transfers, {self.cuts} power cuts"
        )


def reader(kind: str, slot: str) -> str:
    """A slot's setting."""
    match kind:
        case "keyboard":
            return f'{{ reader = "keyboard", device = "/dev/input/{slot}" }}'
        case "bumps":
            return f'{{ reader = "bumps", pins = {PINS[slot]} }}'
        case _:
            return f'{{ reader = "{kind}", port = "/dev/{slot}" }}'


class People(RuleBasedStateMachine):
    """Random people with random mishaps."""

    tally = Tally()

    @initialize(
        seed=st.integers(0, 2**32 - 1),
        left=st.sampled_from(READERS),
        right=st.sampled_from(READERS),
        edition=st.sampled_from([*EDITIONS, "own"]),
        known=st.booleans(),
        linked=st.booleans(),
    )
    def sit_down(self, seed: int, left: str, right: str, edition: str, known: bool, linked: bool) -> None:
        """An evening begins."""
        self.folder = Path(tempfile.mkdtemp(dir=IN_MEMORY, prefix="reboard-soak-"))
        self.own = self.folder / "own.toml"
        self.own.write_text(OWN_EDITION)
        config = [(f"bank.{slot}", reader(kind, slot)) for slot, kind in (("left", left), ("right", right))]
        config.append(("edition", f'"{self.own if edition == "own" else edition}"'))
        if not known:
            config.append(("bank.cards", "[]"))
        if linked and edition in ("super-mario", "own"):
            config.append(("block.linked", "true"))
        self.evening = Evening(self.folder, seed=seed, settings=config)
        self.evening.switch_on()

    @rule(slot=SLOTS, card=CARDS)
    def insert(self, slot: str, card: str) -> None:
        """A card goes in."""
        self.evening.do(f"insert {slot} {card}")

    @rule(slot=SLOTS)
    def remove(self, slot: str) -> None:
        """A card is taken out, or tapped once more."""
        self.evening.take_out(slot)

    @rule(key=st.sampled_from(KEYS))
    def key(self, key: str) -> None:
        """A key is tapped."""
        self.evening.tap(key)

    @rule(text=AMOUNTS, key=st.sampled_from("KMM"))
    def type(self, text: str, key: str) -> None:
        """An amount is typed and entered."""
        self.type_in(text, key)

    def type_in(self, text: str, key: str) -> None:
        for each in [*text, key]:
            self.evening.tap(each)

    @rule(slot=SLOTS, card=CARDS, text=AMOUNTS, key=st.sampled_from("KMM"), corrected=st.booleans())
    def turn(self, slot: str, card: str, text: str, key: str, corrected: bool) -> None:
        """Somebody pays or is paid, and takes the card out again."""
        self.evening.do(f"insert {slot} {card}")
        self.type_in(text, key)
        if corrected:
            self.evening.tap("C")
        self.evening.take_out(slot)

    @rule(players=st.lists(st.integers(1, 6), min_size=2, max_size=5), amount=st.sampled_from(["1", "5", "10", "50"]))
    def round(self, players: list[int], amount: str) -> None:
        """A round without trouble: each player passes GO, and pays or is paid."""
        for card in players:
            self.evening.do(f"insert left {card}")
            self.evening.tap("GO")
            self.evening.take_out("left")
            self.evening.do(f"insert right {card}")
            self.type_in(amount, "M")
            self.evening.take_out("right")

    @rule(payer=CARDS, receiver=CARDS, text=AMOUNTS, key=st.sampled_from("KMM"))
    def settle(self, payer: str, receiver: str, text: str, key: str) -> None:
        """Somebody pays somebody else."""
        self.evening.do(f"insert right {payer}", f"insert left {receiver}")
        self.type_in(text, key)
        for slot in ("left", "right"):
            self.evening.take_out(slot)

    @rule(key=st.sampled_from(["C", "GO", ".", "5", "M"]), seconds=st.sampled_from([0.4, 0.7, 2.0, 3.5, 4.2]))
    def hold(self, key: str, seconds: float) -> None:
        """A key is held."""
        evening = self.evening
        if key in (".", "GO") and seconds > 0.9:
            evening.anything(f"hold {key} {seconds:g}", "wait 3")
        else:
            evening.tap(key, held_s=seconds)
        if key == "GO" and seconds > 1:
            self.leave_dialog()

    @rule(keys=st.lists(st.sampled_from(KEYS), min_size=2, max_size=8), seconds=st.sampled_from([0.05, 0.3, 1.7, 4]))
    def lean_on(self, keys: list[str], seconds: float) -> None:
        """Somebody leans on several keys."""
        self.evening.anything(
            *(f"hold {key}" for key in keys), f"wait {seconds:g}", *(f"release {key}" for key in keys)
        )
        self.leave_dialog()

    def leave_dialog(self) -> None:
        """Without a card, C leaves every dialog; one that nobody goes on with is closed after a while."""
        for slot in ("left", "right"):
            self.evening.take_out(slot)
        self.evening.anything("key C", "key C", "key C", rest_s=601 if self.evening.banker.seats else 21)

    @rule(
        entry=st.sampled_from("1234"),
        first=st.one_of(st.none(), CARDS),
        second=st.one_of(st.none(), CARDS),
        keys=st.lists(st.sampled_from([*KEYS, "M", "M", "GO", "GO"]), max_size=8),
    )
    def menu(self, entry: str, first: str | None, second: str | None, keys: list[str]) -> None:
        """Somebody opens the menu, and does this and that in a dialog."""
        for slot in ("left", "right"):
            self.evening.take_out(slot)
        cards = [f"insert {slot} {card}" for slot, card in (("right", first), ("left", second)) if card]
        self.evening.anything("key 1", "key C", "hold GO 1.8", f"key {entry}", *cards, *(f"key {key}" for key in keys))
        self.leave_dialog()

    @rule(seconds=st.sampled_from([0.1, 0.1, 1.0, 6.0]))
    def press_block(self, seconds: float) -> None:
        """The block is pressed."""
        self.evening.do(f"press block {seconds:g}")

    @rule()
    def pull(self) -> None:
        """The lever is pulled back and held."""
        self.evening.pull_lever()

    @rule()
    def release(self) -> None:
        """The lever is let go."""
        self.evening.release_lever()

    @rule(seconds=st.sampled_from(["0.2", "4", "14", "14"]))
    def dance(self, seconds: str) -> None:
        """The worms dance."""
        self.evening.pull_lever()
        self.evening.release_lever()
        self.evening.do(f"wait {seconds}")

    @rule(seconds=QUIET)
    def think(self, seconds: str) -> None:
        """Nobody does anything."""
        self.evening.do(f"wait {seconds}")

    @rule()
    def rest(self) -> None:
        """The cards are taken out, and somebody makes tea."""
        for slot in ("left", "right"):
            self.evening.take_out(slot)
        self.evening.do("wait 1200")

    @rule(fault=st.sampled_from(sorted(faults())))
    def fault(self, fault: str) -> None:
        """Something begins to misbehave."""
        self.evening.do(f"fault {fault}")
        if fault == "stuck lever":
            self.evening.lever.stick(True, self.evening.now)

    @precondition(lambda self: self.evening.table.faults)
    @rule(data=st.data())
    def mend(self, data: st.DataObject) -> None:
        """Something is mended."""
        fault = data.draw(st.sampled_from(sorted(self.evening.table.faults)))
        self.evening.mend(fault)

    @precondition(lambda self: self.evening.table.faults)
    @rule()
    def mend_all(self) -> None:
        """Somebody looks after everything."""
        for fault in sorted(self.evening.table.faults):
            self.evening.mend(fault)
        self.evening.do("wait 35")

    @rule(off_s=st.sampled_from(["0.05", "2", "300"]))
    def cut(self, off_s: str) -> None:
        """The plug is pulled, and put back."""
        self.evening.pull_the_plug()
        self.evening.do(f"wait {off_s}")
        self.evening.switch_on()

    @rule(after=st.floats(0, 2, width=16))
    def cut_soon(self, after: float) -> None:
        """The plug will be pulled in the middle of what comes next."""
        self.evening.cut_in(after)

    @rule(moment=st.sampled_from(["before", "after"]), calls=st.integers(0, 3))
    def cut_at_work(self, moment: str, calls: int) -> None:
        """The plug will be pulled while the disk is at work."""
        self.evening.cut_at("before" if moment == "before" else "after", calls)

    @rule(edition=st.sampled_from([*EDITIONS, "own"]))
    def another_box(self, edition: str) -> None:
        """Somebody changes the config's edition."""
        self.evening.configure_edition(str(self.own) if edition == "own" else edition)

    @rule(which=st.one_of(st.none(), st.integers(0, 40)))
    def undo_from_afar(self, which: int | None) -> None:
        """Somebody takes back the last transfer, or any, or one that there is not."""
        self.evening.undo_through_the_door(None if which is None else 1 + which % (self.evening.books.last + 1))

    @precondition(lambda self: self.evening.to_undo)
    @rule(data=st.data())
    def undo_twice_from_afar(self, data: st.DataObject) -> None:
        """Somebody takes a transfer back, and then once more."""
        transfer = data.draw(st.sampled_from(self.evening.to_undo))
        for _ in range(2):
            self.evening.undo_through_the_door(transfer)

    @rule(game=st.one_of(st.none(), st.integers(1, 5)))
    def new_game_from_afar(self, game: int | None) -> None:
        """Somebody begins a game through the table's door."""
        self.evening.new_game_through_the_door(game)

    @invariant()
    def it_is_as_the_model_has_it(self) -> None:
        """Money, glass, motor and disk."""
        if hasattr(self, "evening"):
            self.evening.check_after_act()

    def teardown(self) -> None:
        """Everything is mended, and must be well."""
        if not hasattr(self, "evening"):
            return
        try:
            if sys.exc_info()[0] is None:
                self.evening.end()
        except BaseException:
            self.tell_play()
            raise
        else:
            if sys.exc_info()[0] is not None:
                self.tell_play()
        finally:
            self.tally.add(self.evening, self.evening.close())
            shutil.rmtree(self.folder, ignore_errors=True)

    def tell_play(self) -> None:
        """Tell what hands did, as a play."""
        note("\n".join(["What hands did:", *self.evening.script, "What was told last:", self.evening.latest()]))


def soak(seed: int, *, evenings: int, steps: int, tally: Tally) -> None:
    """Play so many *evenings* of at most so many *steps* each; the same *seed* gives the same ones."""

    class Seeded(People):
        pass

    Seeded.tally = tally
    run_state_machine_as_test(
        with_seed(seed)(Seeded),
        settings=settings(
            max_examples=evenings,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=set(Phase) - {Phase.explain},
            suppress_health_check=list(HealthCheck),
        ),
    )
