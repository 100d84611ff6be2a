"""Accessories for scripts: gpiozero's manner, without gpiozero's hold on the game."""

from __future__ import annotations

import inspect
import operator
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated

import pytest

import reboard
from reboard import BankerUnit, QuestionBlock, SpeedDie, WormApple
from reboard.accessories.installed import accessories
from reboard.errors import ConfigError, DeviceError, ReboardError, RequestError
from reboard.events import EmittedEvent
from reboard.kit import BUTTON, Event, FittedDevice, Game, GameAccessory, Record, Request, Section, pin
from reboard.script.callbacks import MOST_WAITING, Callbacks, When
from reboard_sim.devices.readers.virtual_reader import DECK
from tests.plugged_in import installed
from tests.reboard.script.conftest import SharedThread
from tests.waiting import PATIENCE_S

LEFT, RIGHT = "/dev/reboard-left", "/dev/reboard-right"


def called() -> tuple[Callable[[], None], threading.Event]:
    happened = threading.Event()
    return happened.set, happened


def balances(unit: BankerUnit) -> list[int]:
    return [card["balance"] for card in unit.cards]


def test_wait_for_outcome_returns_it_or_none(stage: SharedThread) -> None:
    with QuestionBlock(17, odds={"coins": [0, 1], "laugh": 0, "power_up": 0, "game_over": 0}) as block:
        assert block.wait_for_outcome(timeout=0.01) is None
        stage.hand(lambda pi: pi["block.button"].press(), after_s=5)
        outcome = block.wait_for_outcome(timeout=PATIENCE_S)
        assert outcome == {"t": outcome["t"], "event": "block.outcome", "outcome": "coins", "coins": 2}
        assert block.last == {"outcome": "coins", "coins": 2}


def test_a_die_without_a_matrix_names_the_argument() -> None:
    with pytest.raises(ConfigError, match=r"^SpeedDie: .*: set matrix, with modules = 3, or"):
        SpeedDie(17)


def test_a_wrong_key_of_the_odds_is_the_scripts_mistake() -> None:
    with pytest.raises(ConfigError, match=r'^QuestionBlock: \[block.odds\] has no key "1": its keys are coins'):
        QuestionBlock(17, odds={1: 2})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: QuestionBlock(17, lam=27), "QuestionBlock: .*'lam'; did you mean \"lamp\""),
        (
            lambda: QuestionBlock(17, 27, 0.5),
            r"QuestionBlock: too many .*write QuestionBlock\(button, lamp=None, \*",
        ),
        (lambda: QuestionBlock(), "QuestionBlock: missing .*'button'"),
    ],
)
def test_wrong_arguments_are_rejected_with_the_right_ones(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        wrong()


def test_a_request_is_a_method_whose_arguments_are_checked(stage: SharedThread) -> None:
    with QuestionBlock(17) as block:
        block.quiet(on=True)
        assert block.is_quiet
        with pytest.raises(RequestError, match='"on" must be true or false'):
            block.quiet(on="yes")
        with pytest.raises(TypeError, match='did you mean "on"'):
            block.quiet(onn=True)


def test_a_wait_ends_when_another_thread_closes_the_accessory(stage: SharedThread) -> None:
    with WormApple(22, 13), QuestionBlock(17) as block, ThreadPoolExecutor() as threads:
        waiting = threads.submit(block.wait_for_outcome)
        assert block.wait_for_pressed(timeout=0.1) is None
        block.close()
        with pytest.raises(DeviceError, match="is closed"):
            waiting.result(PATIENCE_S)


def test_the_speed_die_rolls_for_a_script(stage: SharedThread) -> None:
    with SpeedDie(17, {"modules": 3}) as die:
        stage.hand(lambda pi: pi["block.button"].press())
        rolled = die.wait_for_rolled(timeout=PATIENCE_S)
        assert die.dice.split() == [*map(str, rolled["white"])], "the white dice alone, because the button is held"


class Rung(Event, name="bell.rung"):
    """The bell rings."""

    count: int


class Ring(Request, do="bell_ring"):
    """Ring the bell."""

    times: int = 1


class BellConfig(Record):
    button: Annotated[int, pin]


class Bell(GameAccessory[BellConfig]):
    name, title, section = "bell", "Door bell", Section(BellConfig)
    fitted = (FittedDevice("bell.button", "bell's button", BUTTON, is_required=True),)

    async def play(self, game: Game[BellConfig]) -> None:
        game.state["count"] = 0
        while True:
            await game.devices.button.pressed()
            await self.answer(game, Ring())

    async def answer(self, game: Game[BellConfig], request: Request) -> object:
        assert isinstance(request, Ring)
        game.state["count"] += request.times
        game.emit(Rung(game.state["count"]))
        return game.state["count"]


def test_a_plug_in_has_a_class_from_its_title(stage: SharedThread) -> None:
    with installed(*accessories().values(), Bell()):
        assert "DoorBell" in dir(reboard)
        with reboard.DoorBell(button=17) as bell:
            heard, has_heard = called()
            bell.when_rung = heard
            stage.hand(lambda pi: pi["block.button"].press())
            assert has_heard.wait(PATIENCE_S)
            assert bell.ring(times=2) == 3
            assert bell.state == {"count": 3}
        with pytest.raises(AttributeError, match=r"only .*, DoorBell"):
            reboard.Doorbell  # noqa: B018
        with pytest.raises(ImportError, match=r"only .*, DoorBell"):
            exec("from reboard import Doorbell")
        assert not hasattr(reboard, "Doorbell")


def test_editors_can_show_the_names_and_their_meaning() -> None:
    assert [*inspect.signature(WormApple).parameters][:3] == ["lever", "motor", "seconds"]
    assert {"when_stopped", "wait_for_stopped", "is_running", "volume", "close"} <= {*dir(WormApple)}
    assert "- *seconds*: how long the worms dance" in str(WormApple.__doc__)
    for name in ("", ".when_wound", ".wait_for_wound", ".is_running", ".volume"):
        assert inspect.getdoc(operator.attrgetter(f"WormApple{name}")(reboard))
    end_game = operator.attrgetter("BankerUnit.end_game")(reboard)
    assert str(inspect.signature(end_game)) == "(self, game, worths=None)"


def test_a_slow_callback_does_not_keep_the_motor_running(stage: SharedThread) -> None:
    release = threading.Event()
    with WormApple(22, 13, seconds=5) as apple:
        apple.when_started = lambda: release.wait(PATIENCE_S)
        stage.hand(lambda pi: pi["apple.lever"].press())
        stage.hand(lambda pi: pi["apple.lever"].release(), after_s=1)
        assert apple.wait_for_stopped(timeout=PATIENCE_S)
        assert not apple.is_running
        assert not stage.pi["apple.motor"].is_on
        release.set()


def test_two_accessories_share_the_pi_and_its_sound(stage: SharedThread) -> None:
    with WormApple(22, 13, seconds=5) as apple:
        with QuestionBlock(17) as block:
            assert stage.boards == 1
            with pytest.raises(DeviceError, match="GPIO17"):
                QuestionBlock(17)
            with pytest.raises(DeviceError, match="GPIO22"):
                QuestionBlock(22)
            block.when_outcome, drawn = called()
            stage.hand(lambda pi: pi["block.button"].press())
            assert drawn.wait(PATIENCE_S)
            stage.until_heard(since=0)
        alone_since = stage.now()
        apple.when_stopped, stopped = called()
        stage.hand(lambda pi: pi["apple.lever"].press())
        stage.hand(lambda pi: pi["apple.lever"].release(), after_s=1)
        assert stopped.wait(PATIENCE_S)
        stage.until_heard(alone_since)
    with QuestionBlock(17):
        assert stage.boards == 2


def test_a_closed_accessory_rejects_requests(stage: SharedThread) -> None:
    with WormApple(22, 13), BankerUnit() as unit:
        unit.close()
        with pytest.raises(DeviceError):
            unit.new_game()


def test_the_banker_unit_knows_its_balances_and_takes_back_a_transfer(stage: SharedThread) -> None:
    keypad = {"rows": [23, 24, 25, 12], "columns": [5, 6, 16, 26]}
    with BankerUnit(LEFT, RIGHT, keypad=keypad, display=0x27) as unit:
        joined, has_joined = called()
        unit.when_card_inserted = joined
        stage.hand(lambda pi: pi["bank.left"].put(DECK[0]))
        assert has_joined.wait(PATIENCE_S)
        unit.when_transfer, paid = called()
        stage.hand(lambda pi: pi["bank.keypad"].press("GO"))
        stage.hand(lambda pi: pi["bank.keypad"].release("GO"), after_s=0.1)
        assert paid.wait(PATIENCE_S)
        assert balances(unit) == [17_000_000]
        unit.undo(transfer=unit.last_transfer["id"])
        assert balances(unit) == [15_000_000]
        assert "game=1, ended=None" in repr(unit)


def test_a_banker_unit_without_its_ledger_has_a_fault(stage: SharedThread, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file where the ledger's directory would be")
    with BankerUnit(state=tmp_path / "kept") as unit:
        assert "ledger" in unit.faults
        with pytest.raises(ReboardError, match="not running"):
            unit.new_game()


def test_a_ledger_with_a_directory_is_kept(stage: SharedThread, tmp_path: Path) -> None:
    for _ in range(2):
        with BankerUnit(LEFT, state=tmp_path / "kept") as unit:
            unit.when_card_inserted, inserted = called()
            stage.hand(lambda pi: pi["bank.left"].put(DECK[0]))
            assert inserted.wait(PATIENCE_S)
            assert balances(unit) == [15_000_000]
    assert (tmp_path / "kept" / "ledger.db").exists()


STAGE = """
import asyncio, atexit, sys, threading, time
from pathlib import Path
from random import Random

stage = {}
atexit.register(lambda: print(AT_THE_END))  # before reboard registers anything, and so after all of it

from reboard import BankerUnit, WormApple
from reboard.script import shared_board as script_stage
from reboard_sim.scene import Scene
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi

def board():
    loop = asyncio.get_running_loop()
    config = Scene.load(None, Path(sys.argv[1])).config()
    pi = VirtualPi(config, loop.time, rng=Random(1), sound_card=VirtualSoundCard())
    pi.power_on()
    stage.update(pi=pi, loop=loop)
    return pi

script_stage.make_board = board

def wait_until(it_is_so):
    end = time.monotonic() + 60
    while not it_is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
"""

IN_MID_DANCE = """
apple = WormApple(22, 13)
started = threading.Event()
apple.when_started = started.set
apple.when_wound = lambda: stage["loop"].call_soon_threadsafe(stage["pi"]["apple.lever"].release)
stage["loop"].call_soon_threadsafe(stage["pi"]["apple.lever"].press)
assert started.wait(60)
wait_until(lambda: stage["pi"]["apple.motor"].is_on)
"""

WITH_A_DISPLAY = """
unit = BankerUnit(display={"driver": "hd44780-i2c", "address": 0x27}, state=Path(sys.argv[1], "kept"))
wait_until(lambda: stage["pi"]["bank.display"].is_on)
"""


def at_the_end(expression: str, script: str, tmp_path: Path, *, may_fail: bool = False) -> str:
    """What *expression* is when a *script* that plays on a virtual Pi has ended, without a word on its way out."""
    command = [sys.executable, "-c", STAGE.replace("AT_THE_END", expression) + script, str(tmp_path)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert "RuntimeError" not in process.stderr, process.stderr
    assert "Future" not in process.stderr, process.stderr
    assert may_fail or "Traceback" not in process.stderr, process.stderr
    return process.stdout.strip()


@pytest.mark.parametrize("ending", ["", "raise ValueError('the script has a mistake')"])
def test_a_script_that_ends_stops_the_motor(tmp_path: Path, ending: str) -> None:
    motor = at_the_end("stage['pi']['apple.motor'].level", IN_MID_DANCE + ending, tmp_path, may_fail=bool(ending))
    assert motor == "0.0"


@pytest.mark.parametrize(("state", "ending"), [("", "unit.close()"), ("state='/proc/nope'", "")])
def test_a_script_may_end_while_its_banker_unit_starts(tmp_path: Path, state: str, ending: str) -> None:
    assert at_the_end("'over'", f"unit = BankerUnit({state})\n{ending}", tmp_path) == "over"


def test_a_script_that_ends_closes_display_and_ledger(tmp_path: Path) -> None:
    assert at_the_end("stage['pi']['bank.display'].is_lit", WITH_A_DISPLAY, tmp_path) == "False"
    kept = [file.name for file in (tmp_path / "kept").iterdir()]
    assert "ledger.db" in kept
    assert "ledger.db-wal" not in kept


PRESSED = """
block = QuestionBlock(17, lamp=27)
press = lambda: stage["loop"].call_soon_threadsafe(stage["pi"]["block.button"].press)
"""


def script(code: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run the *code* of a script with a question block."""
    stage = STAGE.replace("AT_THE_END", "'over'").replace("import BankerUnit,", "import BankerUnit, QuestionBlock,")
    # Python 3.12 warns of a fork beside threads
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-c",
        f"{stage}\nimport os, signal, multiprocessing, subprocess\n{PRESSED}{code}",
    ]
    return subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)


@pytest.mark.parametrize("waits", ["signal.pause()", "while True: block.wait_for_outcome()"])
def test_sys_exit_in_a_callback_ends_the_script_cleanly(waits: str, tmp_path: Path) -> None:
    code = f"block.when_pressed = lambda: sys.exit(3)\npress()\n{waits}\nprint('not here')"
    ended = script(code, tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "over\n", "")


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "ValueError('claws')"])
def test_a_callback_that_fails_is_reported_and_the_next_one_is_called(raised: str, tmp_path: Path) -> None:
    code = f"""
done = threading.Event()
def fail(): raise {raised}
block.when_pressed, block.when_outcome = fail, done.set
press()
print(done.wait(60))
"""
    ended = script(code, tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "True\nover\n")
    assert raised.partition("(")[0] in ended.stderr


@pytest.mark.parametrize("child", ["os._exit(0)", "block.close()\n    sys.exit()", "pass\n    raise SystemExit"])
def test_a_child_process_ends_at_once_and_leaves_the_accessory_to_its_parent(child: str, tmp_path: Path) -> None:
    code = f"""
unit = BankerUnit()
ledger = unit._table.config.state.directory
pid = os.fork()
if pid == 0:
    try:
        block.last
    except Exception as error:
        print(error, flush=True)
    {child}
os.waitpid(pid, 0)
print(Path(ledger, "ledger.db").exists(), block.last, unit.cards)
outcome = threading.Event()
block.when_outcome = outcome.set
press()
print(outcome.wait(60))
"""
    ended = script(code, tmp_path)
    assert ended.stderr == ""
    lines = [line for line in ended.stdout.splitlines() if line != "over"]
    assert lines == [
        "this QuestionBlock belongs to the process that created it: use it there",
        "True None []",
        "True",
    ]


def test_a_child_process_that_is_ended_while_it_begins_ends(tmp_path: Path) -> None:
    code = """
import gc
gc.freeze = lambda: os.kill(os.getpid(), signal.SIGTERM)  # reboard calls it in the child, in the middle of the fork
pid = os.fork()
if pid == 0:
    os._exit(5)
print(os.waitpid(pid, 0)[1] == signal.SIGTERM)
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(600)
"""
    ended = script(code, tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + signal.SIGTERM, "True\nover\n", "")


def test_the_kernel_ends_a_child_process_because_python_may_miss_a_signal(tmp_path: Path) -> None:
    code = """
if not (pid := os.fork()):
    print(signal.getsignal(signal.SIGTERM).name, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
signal.signal(signal.SIGTERM, sys.exit)
if not (pid := os.fork()):
    print(signal.getsignal(signal.SIGTERM) is sys.exit, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
"""
    ended = script(code, tmp_path)
    assert (ended.stdout, ended.stderr) == ("SIG_DFL\nTrue\nover\n", "")


def test_other_processes_start_and_end_beside_an_accessory(tmp_path: Path) -> None:
    code = """
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(abs, [-1, 2]))
print(subprocess.run(["true"]).returncode)
block.when_pressed = lambda: print(subprocess.run(["true"]).returncode) or done.set()
done = threading.Event()
press()
print(done.wait(60))
"""
    ended = script(code, tmp_path)
    assert (ended.stdout, ended.stderr) == ("[1, 2]\n0\n0\nTrue\nover\n", "")


def test_a_signal_in_the_middle_of_a_fork_ends_the_child(tmp_path: Path) -> None:
    code = """
for _ in range(20):
    pid = os.fork()
    if not pid:
        time.sleep(1)
        os._exit(3)
    os.kill(pid, signal.SIGTERM)
    assert os.waitpid(pid, 0)[1] == signal.SIGTERM
"""
    ended = script(code, tmp_path)
    assert (ended.stdout, ended.stderr) == ("over\n", "")


def test_a_child_process_of_a_callback_ends_with_it(tmp_path: Path) -> None:
    code = """
def fork():
    if pid := os.fork():
        print(os.waitpid(pid, 0)[1])
        done.set()
block.when_pressed = fork
done = threading.Event()
press()
print(done.wait(30))
"""
    ended = script(code, tmp_path)
    assert (ended.stdout, ended.stderr) == ("0\nTrue\nover\n", "")


def test_a_callback_that_hangs_does_not_keep_the_script_from_ending(tmp_path: Path) -> None:
    code = """
block.when_pressed = lambda: (begun.set(), time.sleep(600))
begun = threading.Event()
press()
begun.wait(60)
"""
    ended = script(code, tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "over\n", "")


def test_a_misspelt_attribute_is_an_error_as_in_gpiozero(stage: SharedThread) -> None:
    class Mine(QuestionBlock):
        def __init__(self) -> None:
            super().__init__(17)
            self.score = 0

    with Mine() as block:
        block.score = 1
        for name, hint in (("when_presed", "when_pressed"), ("when_held", "when_outcome"), ("scor", "score")):
            with pytest.raises(AttributeError, match=f"'Mine' object has no attribute '{name}'.*{hint}"):
                setattr(block, name, None)
        with pytest.raises(AttributeError):
            block.last = None
        with pytest.warns(UserWarning, match="= pressed") as warned:
            block.when_pressed = None
        assert warned[0].filename == __file__


OUTCOME = EmittedEvent("block.outcome", 1.0, {"outcome": "coins", "coins": 3})
FIELDS = OUTCOME.as_json()

pytestmark = pytest.mark.realtime


class Block:
    when_outcome = When("block.outcome")

    def __init__(self, callbacks: Callbacks) -> None:
        self.callbacks = callbacks


@pytest.fixture
def block() -> Iterator[Block]:
    with closing(Callbacks()) as callbacks:
        yield Block(callbacks)


def happens(block: Block) -> None:
    """Something happens, and all that is called for it has been."""
    done = threading.Event()
    block.callbacks.hear(OUTCOME)
    block.callbacks.set("deal.ended", done.set)
    block.callbacks.hear(EmittedEvent("deal.ended", 2.0, {}))
    assert done.wait(PATIENCE_S)


def test_a_callback_gets_the_fields_if_it_has_a_parameter(block: Block) -> None:
    received: list[object] = []
    add = received.append
    callbacks: list[Callable[..., object]] = [
        lambda: add("none"),
        lambda i=7: add(i),
        lambda *everything: add(everything),
        partial(add, "bound"),
        lambda fields: add(fields),
        lambda fields, more=5: add((fields, more)),
        partial(lambda before, fields: add((fields, before)), "before"),
    ]
    for callback in callbacks:
        block.when_outcome = callback
        assert block.when_outcome is callback
        happens(block)
    assert received == ["none", 7, (), "bound", FIELDS, (FIELDS, 5), (FIELDS, "before")]


async def never_awaited() -> None: ...


async def never_looped_over() -> AsyncIterator[None]:
    yield


class NeverAwaited:
    async def __call__(self) -> None: ...


RUN_NEVER = [never_awaited, lambda: (yield), never_looped_over, NeverAwaited()]


@pytest.mark.parametrize("wrong", [lambda one, two: None, lambda *, named: None, "print", 3, *RUN_NEVER])
def test_a_wrong_callback_is_rejected_when_assigned(block: Block, wrong: Callable[..., object]) -> None:
    with pytest.raises(TypeError):
        block.when_outcome = wrong
    assert block.when_outcome is None


def test_waiting_callbacks_are_limited(block: Block, caplog: pytest.LogCaptureFixture) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(PATIENCE_S)

    block.when_outcome = slow
    block.callbacks.hear(OUTCOME)
    assert begun.wait(PATIENCE_S)
    for _ in range(MOST_WAITING + 1):
        block.callbacks.hear(OUTCOME)
    assert caplog.text.count("block.outcome") == 1
    block.callbacks.close()
    go_on.set()
