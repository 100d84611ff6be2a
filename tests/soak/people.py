"""Random users at a table where everything breaks."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib import resources
from pathlib import Path

import hypothesis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from reboard.devices.keypad import LEGEND
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.editions.edition import editions_in_the_box
from reboard_sim.accessories.installed import faults
from reboard_sim.devices.readers.virtual_reader import meanings
from reboard_sim.scene import temporary_state
from tests.soak.evening import LEAVE_DIALOG, Evening
from tests.soak.plugged_table import SLOTS

SEED = st.integers(0, 2**32 - 1)
KEYS = tuple(key for row in LEGEND for key in row)
KEY = st.sampled_from(KEYS)
ENTER = st.sampled_from("KMM")
SLOT = st.sampled_from(SLOTS)
CARD = st.sampled_from([*"1234567812312", "tag 62E3086CED", "tag 01000734E0", "tag 0500207B32"])
AMOUNT = st.one_of(
    st.sampled_from(["1", "5", "10", "100", "260", "1.5", "12.75", "500", "99999", "15", "0", "1500"]),
    st.text("0123456789.", max_size=7),
)
READER = st.sampled_from([*READER_KINDS])
EDITION = st.sampled_from([*(edition.name for edition in editions_in_the_box()), "own"])
NOT_IN_THE_MODEL = rf"die\.|(spike|hum) apple|({'|'.join(dict(meanings()))}) "
"""Faults of the speed die, those that end a turn of the apple early or hide the lever's release, and those of some
readers only."""

Tally = Counter[str]
"""The sums of all evenings."""


def summary(tally: Tally) -> str:
    return (
        f"{tally['seconds'] / 3600:.1f} table-hours in {tally['evenings']} evenings: {tally['acts']} acts, "
        f"{tally['transfers']} transfers, {tally['cuts']} power cuts"
    )


class People(RuleBasedStateMachine):
    """Random users and random faults."""

    tally = Tally()

    @initialize(seed=SEED, left=READER, right=READER, edition=EDITION, known=st.booleans(), linked=st.booleans())
    def sit_down(self, seed: int, left: str, right: str, edition: str, known: bool, linked: bool) -> None:
        hypothesis.assume({left, right} != {"rc522", "bumps"})  # both use the pins of the SPI bus
        self.folder = temporary_state()
        folder = Path(self.folder.name)
        super_mario = resources.files("reboard.editions").joinpath("super-mario.toml").read_text("utf-8")
        (folder / "own.toml").write_text(f"may_owe = true\n{super_mario}")
        self.editions = {"own": f"{folder}/own.toml"}
        config = [
            (f"bank.{slot}", READER_KINDS[kind].example(slot)) for slot, kind in (("left", left), ("right", right))
        ]
        config.append(("edition", f'"{self.editions.get(edition, edition)}"'))
        if not known:
            config.append(("bank.cards", "[]"))
        if linked and edition in ("super-mario", "own"):
            config.append(("block.linked", "true"))
        self.evening = Evening(folder, seed=seed, settings=config)
        self.evening.switch_on()

    @rule(slot=SLOT, card=CARD)
    def insert(self, slot: str, card: str) -> None:
        self.evening.do(f"insert {slot} {card}")

    @rule(slot=SLOT)
    def remove(self, slot: str) -> None:
        self.evening.take_out(slot)

    @rule(key=KEY)
    def key(self, key: str) -> None:
        self.evening.tap(key)

    @rule(text=AMOUNT, key=ENTER)
    def type(self, text: str, key: str) -> None:
        self.evening.tap(*text, key)

    @rule(slot=SLOT, card=CARD, text=AMOUNT, key=ENTER, corrected=st.booleans())
    def turn(self, slot: str, card: str, text: str, key: str, corrected: bool) -> None:
        self.evening.do(f"insert {slot} {card}")
        self.evening.tap(*text, key)
        if corrected:
            self.evening.tap("C", "GO")
        self.evening.take_out(slot)

    @rule(players=st.lists(st.integers(1, 6), min_size=2, max_size=5), amount=st.sampled_from(["1", "5", "10", "50"]))
    def round(self, players: list[int], amount: str) -> None:
        """Each player passes GO, and pays."""
        for card in players:
            self.evening.do(f"insert left {card}")
            self.evening.tap("GO")
            self.evening.take_out("left")
            self.evening.do(f"insert right {card}")
            self.evening.tap(*amount, "M")
            self.evening.take_out("right")

    @rule(payer=CARD, receiver=CARD, text=AMOUNT, key=ENTER)
    def settle(self, payer: str, receiver: str, text: str, key: str) -> None:
        self.evening.do(f"insert right {payer}", f"insert left {receiver}")
        self.evening.tap(*text, key)
        self.evening.take_out(*SLOTS)

    @rule(key=st.sampled_from(["C", "GO", ".", "5", "M"]), seconds=st.sampled_from([0.4, 0.7, 2.0, 3.5, 4.2]))
    def hold(self, key: str, seconds: float) -> None:
        if key in (".", "GO") and seconds > 0.9:
            self.evening.anything(f"hold {key} {seconds:g}", "wait 3")
        else:
            self.evening.tap(key, held_s=seconds)
        if key == "GO" and seconds > 1:
            self.leave_dialog()

    @rule(keys=st.lists(KEY, min_size=2, max_size=8), seconds=st.sampled_from([0.05, 0.3, 1.7, 4]))
    def lean_on(self, keys: list[str], seconds: float) -> None:
        hold, release = ([f"{act} {key}" for key in keys] for act in ("hold", "release"))
        self.evening.anything(*hold, f"wait {seconds:g}", *release)
        self.leave_dialog()

    def leave_dialog(self) -> None:
        """Without a card, C and GO leave every dialog; a dialog that is left open closes after a while."""
        self.evening.take_out(*SLOTS)
        self.evening.anything(*LEAVE_DIALOG, rest_s=601 if self.evening.unit.slots else 21)

    @rule(
        entry=st.sampled_from("12345678"),
        first=st.one_of(st.none(), CARD),
        second=st.one_of(st.none(), CARD),
        keys=st.lists(st.sampled_from([*KEYS, "M", "M", "GO", "GO"]), max_size=8),
    )
    def menu(self, entry: str, first: str | None, second: str | None, keys: list[str]) -> None:
        """Open the menu, and use a dialog at random."""
        self.evening.take_out(*SLOTS)
        acts = [f"key {key}" for key in ("GO", *keys)]
        cards = [f"insert {slot} {card}" for slot, card in (("right", first), ("left", second)) if card]
        self.evening.anything("key 1", "key C", "hold GO 1.8", f"key {entry}", *cards, *acts)
        self.leave_dialog()

    @rule(seconds=st.sampled_from([0.1, 0.1, 1.0, 6.0]))
    def press_block(self, seconds: float) -> None:
        self.evening.do(f"press block {seconds:g}")

    @rule()
    def pull(self) -> None:
        self.evening.pull_lever()

    @rule()
    def release(self) -> None:
        self.evening.release_lever()

    @rule(seconds=st.sampled_from(["0.2", "4", "14", "14"]))
    def dance(self, seconds: str) -> None:
        self.evening.pull_lever()
        self.evening.release_lever()
        self.evening.do(f"wait {seconds}")

    @rule(seconds=st.sampled_from(["0.05", "0.4", "3", "10", "25", "59", "61", "240", "900"]))
    def think(self, seconds: str) -> None:
        self.evening.do(f"wait {seconds}")

    @rule()
    def rest(self) -> None:
        self.evening.take_out(*SLOTS)
        self.evening.do("wait 1200")

    @rule(fault=st.sampled_from([fault for fault in sorted(faults()) if not re.search(NOT_IN_THE_MODEL, fault)]))
    def fault(self, fault: str) -> None:
        self.evening.fault(fault)

    @precondition(lambda self: self.evening.table.faults)
    @rule(data=st.data())
    def mend(self, data: st.DataObject) -> None:
        self.evening.mend(data.draw(st.sampled_from(sorted(self.evening.table.faults))))

    @precondition(lambda self: self.evening.table.faults)
    @rule()
    def mend_all(self) -> None:
        self.evening.mend()
        self.evening.do("wait 35")

    @rule(off_s=st.sampled_from(["0.05", "2", "300"]))
    def cut(self, off_s: str) -> None:
        self.evening.pull_the_plug()
        self.evening.do(f"wait {off_s}")
        self.evening.switch_on()

    @rule(after=st.floats(0, 2, width=16))
    def cut_soon(self, after: float) -> None:
        self.evening.cut_in(after)

    @rule(moment=st.sampled_from(["before", "after"]), calls=st.integers(0, 3))
    def cut_at_work(self, moment: str, calls: int) -> None:
        self.evening.cut_at(moment, calls)

    @rule(edition=EDITION)
    def another_box(self, edition: str) -> None:
        self.evening.configure_edition(self.editions.get(edition, edition))

    @rule(which=st.one_of(st.none(), st.integers(0, 40)), times=st.sampled_from([1, 1, 2]))
    def undo_from_afar(self, which: int | None, times: int) -> None:
        """Undo the last transfer, or any, or one that does not exist; or the same one twice."""
        transfer = None if which is None else 1 + which % (self.evening.money.last + 1)
        for _ in range(times):
            self.evening.request_undo(transfer)

    @rule(
        accounts=st.permutations([0, 0, 1, 2, 3, 9]),
        amount=st.sampled_from([1, 5, 10_000, 1_000_000, 50_000_000]),
        times=st.sampled_from([1, 1, 2]),
    )
    def pay_from_afar(self, accounts: list[int], amount: int, times: int) -> None:
        """Let another accessory pay; or twice the same."""
        from_, to = list(dict.fromkeys(accounts))[:2]
        for time in range(times):
            self.evening.request_payment(from_, to, amount, again=time > 0)

    @rule(game=st.one_of(st.none(), st.integers(1, 5)))
    def new_game_from_afar(self, game: int | None) -> None:
        self.evening.request_new_game(game)

    @invariant()
    def equals_the_model(self) -> None:
        if hasattr(self, "evening"):
            self.evening.check_after_act()

    def teardown(self) -> None:
        if not hasattr(self, "evening"):
            return
        evening = self.evening
        try:
            if is_well := sys.exc_info()[0] is None:
                is_well = False
                evening.end()
                is_well = True
        finally:
            if not is_well:
                hypothesis.note("\n".join(["The play:", *evening.script, "The latest events:", evening.latest()]))
            transfers, seconds = evening.money.last, int(evening.close())
            self.tally.update(evenings=1, seconds=seconds, acts=evening.acts, transfers=transfers, cuts=evening.cuts)
            self.folder.cleanup()


def soak(seed: int, *, evenings: int, steps: int, tally: Tally) -> None:
    """Play this many *evenings* of at most *steps* acts; the same *seed* gives the same evenings."""
    People.tally = tally
    phases, checks = set(hypothesis.Phase) - {hypothesis.Phase.explain}, list(hypothesis.HealthCheck)
    everything = hypothesis.settings(deadline=None, database=None, phases=phases, suppress_health_check=checks)
    settings = hypothesis.settings(everything, max_examples=evenings, stateful_step_count=steps)
    hypothesis.stateful.run_state_machine_as_test(hypothesis.seed(seed)(People), settings=settings)
