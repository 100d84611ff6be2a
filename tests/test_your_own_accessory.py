"""An accessory outside the tree, as the document builds it, and what a faulty one does to the others."""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources
from pathlib import Path
from textwrap import indent
from types import ModuleType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import httpx
import pytest

from reboard import kit
from reboard.accessories.accessory import RunningAccessory
from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.installed import accessories
from reboard.accessories.question_block.accessory import QUESTION_BLOCK
from reboard.cli import main
from reboard.config.reading import KeyPath, Reading
from reboard.control.client import ControlClient
from reboard.kit import (
    ENCODER,
    KEYPAD,
    LAMP,
    Between,
    EncoderConfig,
    FittedDevice,
    Game,
    GameAccessory,
    KeypadConfig,
    Labels,
    OutcomeKind,
    Record,
    Request,
    Section,
    Vocabulary,
    Whole,
    flag,
    pin,
)
from reboard.service import table_loop
from reboard_sim.bench.servers import TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.plays.play_command import play_file
from reboard_sim.scene import Scene
from tests.plugged_in import (
    DOCUMENT,
    FILES,
    Dragon,
    LairConfig,
    documented_code,
    installed,
    installed_beside_ours,
    scoring_buzzer,
)
from tests.reboard.doctor.made_up import good_pi_4
from tests.reboard.setup.acts import LINES, press
from tests.reboard.setup.person import set_up_at
from tests.reboard_sim.bench.conftest import served
from tests.waiting import PATIENCE_S

MOST_LINES = 60


@pytest.fixture
def buzzer(tmp_path: Path) -> Iterator[Path]:
    with scoring_buzzer(tmp_path) as package:
        yield package


@pytest.fixture
def served_buzzer(buzzer: Path, tmp_path: Path) -> Iterator[tuple[TableThread, str]]:
    scene = Scene.load(buzzer / "table.toml", tmp_path)
    with closing(TableThread(scene, seed=1, socket=tmp_path / "socket")) as table, served(table) as url:
        yield table, url


def test_the_buzzer_is_short_and_plays(buzzer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for code in documented_code().values() for line in code.splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES
    play = buzzer / FILES["play"]
    assert play_file(play, config=buzzer / "table.toml") == 0, capsys.readouterr().err
    play.write_text("press buzzer.left\nexpect state buzzer.left 2\n")
    assert play_file(play, config=buzzer / "table.toml") == 1
    assert "buzzer.left 1" in capsys.readouterr().err


BANK = """
[bank]
left = { reader = "rdm6300", port = "/dev/reboard-left" }
"""

PAID = """
insert left 1
remove left
press buzzer.left
wait 1
press buzzer.left
wait 4
expect state buzzer.unpaid null
expect balance 1 17M
expect state last_transfer.reason "Scoring buzzer"
expect heard received
press buzzer.right
wait 1
press buzzer.right
wait 4
expect state buzzer.unpaid "this card is not in the game: let it join first"
expect balance 1 17M
"""


def test_the_bank_pays_the_winner_at_the_buzzer(buzzer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, play, config = (buzzer / FILES[language] for language in ("python", "play", "toml"))
    paying = DOCUMENT.read_text("utf-8").partition("## Money\n")[2].partition("```python\n")[2].partition("```")[0]
    has_won = "            if has_won:\n"
    written = code.read_text().replace(has_won, has_won + indent(paying, " " * 16))
    code.write_text(f"from uuid import uuid4\nfrom reboard.kit import Pay, ReboardError\n{written}")
    config.write_text(config.read_text() + BANK)
    play.write_text(PAID)
    assert play_file(play, config=config) == 0, capsys.readouterr().err


def test_a_stuck_button_of_the_buzzer_can_be_played(buzzer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play = buzzer / FILES["play"]
    play.write_text("fault stuck buzzer.left\npress buzzer.left\nexpect state buzzer.left 0\nexpect buzzer.lamp off\n")
    assert play_file(play, config=buzzer / "table.toml") == 0, capsys.readouterr().err


def test_a_new_package_passes_its_own_tests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "turn-timer"
    assert main(["new-accessory", "turn_timer", str(written)]) == 0
    with installed_beside_ours(written):
        assert play_file(written / "tests" / "turn_timer.play", config=written / "table.toml") == 0, (
            capsys.readouterr().err
        )
        assert main(["check", "--electrical", "-c", str(written / "table.toml")]) == 0
    assert "xample" not in "".join(
        path.name + path.read_text() for path in written.rglob("*.*") if path.is_file() and path.suffix != ".pyc"
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Quiz-Buzzer", "quiz_buzzer"),
        ("2fast", "fast"),
        ("class", "class"),
        ("wiring", "wiring"),
        ("block", "block"),
        ("bank", "bank"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(
    name: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["new-accessory", name, str(tmp_path / "new")])
    assert refused.value.code == 2
    assert hint in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text("mine")
    assert main(["new-accessory", "buzzer", str(tmp_path)]) == 1
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_the_commands_know_the_buzzer(buzzer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = buzzer / "table.toml"
    assert main(["check", "--electrical", "-c", str(config)]) == 0
    assert "left buzzer     on GPIO5" in capsys.readouterr().out
    assert main(["wiring", "-c", str(config), "--svg", str(tmp_path / "wiring.svg")]) == 0
    assert "GPIO26" in (tmp_path / "wiring.svg").read_text()
    capsys.readouterr()
    assert main(["wiring", "-c", str(config)]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("Scoring buzzer")
    assert "GPIO5" in listed
    config.write_text(documented_code()["toml"].replace("right = 6", "right = 5"))
    assert main(["check", "-c", str(config)]) == 2
    assert f"{config}:3: buzzer.right" in capsys.readouterr().err


async def test_setup_asks_for_the_pins_of_the_buzzer(buzzer: Path, tmp_path: Path) -> None:
    async with set_up_at(good_pi_4(tmp_path), documented_code()["toml"]) as person:
        await person.answers(
            LINES, "n", "Which edition", "", "Is there a question block?", "n", "Is there a worm apple?", "n"
        )
        await person.answers("Is there a banker unit", "n", "Is there a speed die", "n")
        await person.answers("Is there a scoring buzzer?", "y")
        await person.answers("Which pin is the left buzzer on?", "")
        await person.sees("Press the left one now.")
        await press(person.pi["buzzer.left"])
        await person.answers("Which pin is the right buzzer on?", "")
        await person.sees("Press the right one now.")
        await press(person.pi["buzzer.right"])
        await person.answers("Is there a buzzer's lamp?", "n", "Is there a speaker?", "n")
        await person.answers("May phones", "n", "Publish the table", "n", "Write", "y")
    assert person.config.section("buzzer").right == 6
    assert person.config.section("buzzer").lamp is None


@pytest.mark.realtime
def test_the_page_and_the_control_socket_have_the_buzzer(
    served_buzzer: tuple[TableThread, str], tmp_path: Path
) -> None:
    _, url = served_buzzer
    with closing(TablePage(tmp_path / "socket", port=0)) as page:
        httpx.post(f"{url}api/bench/do", json={"lines": ["press buzzer.left"]})
        answer = httpx.get(f"{page.link.url}api/table").json()
        described = {each["name"]: each for each in httpx.get(f"{page.link.url}api/panels").json()}
    assert answer["buzzer"] == {"left": 1, "right": 0}
    assert described["buzzer"]["title"] == "Scoring buzzer"
    scored = asyncio.run(event_of(tmp_path / "socket", "buzzer.scored"))
    assert (scored["side"], scored["points"]) == ("left", 1)


async def event_of(socket: Path, name: str) -> dict[str, Any]:
    """An event of the table at *socket* that has happened already."""
    async with await ControlClient.connect(socket, timeout_s=PATIENCE_S) as client:
        return await anext(event async for event in await client.events(recent=50) if event["event"] == name)


def named_in(hint: Any) -> Iterator[str]:
    """Yield the names of our classes in a type hint."""
    if isinstance(hint, type) and hint.__module__.startswith("reboard"):
        yield hint.__name__
    for part in hint if isinstance(hint, list) else (get_origin(hint), *get_args(hint)):
        if part is not None:
            yield from named_in(part)


INTERFACES = [kit.Accessory, kit.DeviceKind, kit.FittedDevice, kit.GameAccessory, kit.Request, kit.TableContext]


@pytest.mark.parametrize("interface", INTERFACES)
def test_the_kit_has_every_class_that_an_author_needs(interface: type) -> None:
    members = [interface, *(each for name, each in inspect.getmembers(interface) if not name.startswith("_"))]
    functions = [each.fget if isinstance(each, property) else each for each in members]
    hints = [get_type_hints(each).values() for each in functions if inspect.isfunction(each) or isinstance(each, type)]
    assert {name for each in hints for hint in each for name in named_in(hint)} <= {*kit.__all__}


@dataclass(frozen=True, slots=True)
class HoardConfig:
    """``[dragon]``, whose outcomes the bank can book."""

    linked: Annotated[bool, flag] = False


class Roar(Request, do="roar"):
    """Book hoards."""

    times: Annotated[int, Between(0, 9)]


class Outcomes(Labels):
    """The outcomes of the dragon."""

    HOARDS = OutcomeKind("hoards")


class HoardingDragon(GameAccessory[HoardConfig]):
    name = "dragon"
    title = "Dragon"
    section = Section(HoardConfig)

    async def play(self, game: Game[HoardConfig]) -> None:
        await asyncio.get_running_loop().create_future()

    async def answer(self, game: Game[HoardConfig], request: Request) -> None:
        assert isinstance(request, Roar)
        await game.book("hoards", request.times)


BANK = '[bank]\nleft = { reader = "rdm6300", port = "/dev/serial0" }\n'
ROAR = """
insert left 1
request roar '{"times": 3}'
expect balance 1 AMOUNT
"""


@pytest.mark.parametrize(("linked", "balance"), [("true", 1350), ("false", 1500)])
def test_the_bank_books_the_outcomes_of_a_linked_accessory(
    linked: str, balance: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, edition, play = tmp_path / "table.toml", tmp_path / "lair.toml", tmp_path / "roar.play"
    nintendo = resources.files("reboard.editions").joinpath("nintendo.toml").read_text("utf-8")
    edition.write_text(f"{nintendo}\n[outcomes.dragon]\nhoards = -50\n")
    play.write_text(ROAR.replace("AMOUNT", str(balance)))
    config.write_text(f'edition = "lair.toml"\n{BANK}[dragon]\nlinked = {linked}\n')
    with installed(BANKER_UNIT, HoardingDragon()):
        assert play_file(play, config=config) == 0, capsys.readouterr().err


@pytest.mark.parametrize(("bank", "edition"), [("", "lair.toml"), (BANK, "world")])
def test_a_linked_accessory_needs_a_bank_and_amounts(
    bank: str, edition: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nintendo = resources.files("reboard.editions").joinpath("nintendo.toml").read_text("utf-8")
    (tmp_path / "lair.toml").write_text(f"{nintendo}\n[outcomes.dragon]\nhoards = -50\n")
    config = tmp_path / "table.toml"
    config.write_text(f'edition = "{edition}"\n[dragon]\nlinked = true\n{bank}')
    with installed(BANKER_UNIT, HoardingDragon()):
        assert main(["check", "-c", str(config)]) == 2
    assert f"{config}:3: dragon.linked" in capsys.readouterr().err


UNINSTALLED = "[block]\nbutton = 17\n[hot_seat]\nled = { red = 5, green = 6, blue = 26 }\n[wiring.ring]\nohm = 3\n"


def test_a_plug_in_that_is_no_longer_installed_spoils_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, play = tmp_path / "table.toml", tmp_path / "beside.play"
    config.write_text(UNINSTALLED)
    play.write_text("press block\nexpect event block.outcome\nexpect state faults.hot_seat null\n")
    with installed(QUESTION_BLOCK):
        assert play_file(play, config=config) == 1
        assert "beside.play:3" in (said := capsys.readouterr().err), said
        assert "remove [hot_seat]" in said
        assert main(["check", "--electrical", "-c", str(config)]) == 1
        assert "[hot_seat]" in capsys.readouterr().out.partition("WRONG")[2]
        assert main(["wiring", "-c", str(config)]) == 0


@pytest.mark.parametrize("line", ["press dragon.eye", "turn dragon.knob 2", "expect not event dragon.roared"])
@pytest.mark.parametrize("loading", [{}, {"dragon": lambda: 1 / 0}], ids=["missing", "broken"])
def test_a_play_names_the_accessory_that_it_lacks(
    loading: Mapping[str, Callable[[], object]], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play = tmp_path / "dragon.play"
    play.write_text(line)
    with installed(QUESTION_BLOCK, **loading):
        assert play_file(play) == 2
    assert "dragon.play:1: no accessory dragon is installed" in capsys.readouterr().err


@pytest.mark.parametrize("section", ["[blok]", "[speakr]", "[wirin.lamp]", "hot_seat = 3", '["hot seat"]'])
def test_a_mistyped_section_is_no_plug_in(section: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "table.toml"
    config.write_text(f"{section}\n[apple]\nlever = 27\nmotor = 22\n")
    assert main(["check", "-c", str(config)]) == 2
    assert f"{config}:1: the file has no key" in capsys.readouterr().err


class HastyDragon(HoardingDragon):
    async def play(self, game: Game[HoardConfig]) -> None:
        return


def test_a_game_that_returns_is_named_as_the_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, play = tmp_path / "table.toml", tmp_path / "sleep.play"
    config.write_text("[dragon]\n")
    play.write_text("expect state faults.dragon null\n")
    with installed(dragon=HastyDragon):
        assert play_file(play, config=config) == 1
    assert f"play() returned ({__name__})" in capsys.readouterr().err


class BadDragon(Dragon):
    """A plug-in that fails in one place."""

    def __init__(self, place: str, error: BaseException) -> None:
        self.place, self.error = place, error
        if place == "section":
            self.section = self.fails  # type: ignore[assignment]

    def fails(self, reading: Reading, path: KeyPath, value: object, /) -> Any:
        raise self.error

    def at(self, place: str) -> None:
        if self.place == place:
            raise self.error

    def describe(self, config: LairConfig) -> Iterator[tuple[str, str]]:
        self.at("describe")
        return iter(())

    def validate(self, *_: object) -> None:
        self.at("validate")

    @asynccontextmanager
    async def open(self, *_: Any) -> AsyncIterator[RunningAccessory]:
        self.at("open")
        yield self

    async def run(self, started: Callable[[], None]) -> None:
        self.at("run")
        await super().run(started)

    def snapshot(self) -> Any:
        self.at("snapshot")
        return super().snapshot()

    def show_fault(self, part: str | None) -> None:
        if part == "speaker":
            self.at("show_fault")


class Impostor(Dragon):
    """A plug-in that takes a name that something else has."""

    def __init__(self, **changes: Any) -> None:
        vars(self).update(changes)


@dataclass(frozen=True, slots=True)
class KnobConfig:
    knob: Annotated[int | None, pin] = None


KNOBS = Section(KnobConfig)
KNOB: Any = FittedDevice("dragon.knob", "knob", ENCODER, usual=EncoderConfig(5, 6))


def declaring(code: str) -> Vocabulary:
    """The vocabulary of a module with *code*."""
    module = ModuleType(f"vocabulary_{zlib.crc32(code.encode())}")
    sys.modules[module.__name__] = module
    exec(f"from __future__ import annotations\nfrom reboard.kit import *\nfrom typing import *\n{code}", vars(module))
    return Vocabulary(module.__name__)


def check_names(
    folder: Path, capsys: pytest.CaptureFixture[str], changes: Mapping[str, Any], *names: str, settings: str = ""
) -> None:
    """Check that `reboard check` names what is wrong with the dragon that has *changes*, and that the block plays."""
    config = folder / "table.toml"
    config.write_text(f"[block]\nbutton = 17\n[dragon]\n{settings}")
    with installed(QUESTION_BLOCK, dragon=lambda: Impostor(**changes)):
        assert main(["check", "-c", str(config)]) == 1
        said = " ".join(capsys.readouterr().out.partition("WRONG")[2].split())
        assert [name for name in names if name not in said] == [], said
        assert accessories()["block"] is QUESTION_BLOCK


class UndrawnKnob(type(ENCODER)):  # type: ignore[misc]
    def wiring(self, *_: Any) -> Any:
        raise KeyError("claws")


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "speaker"},
        {"name": "Dragon's lair"},
        {"name": "block"},
        {"vocabulary": declaring("class Hush(Request, do='quiet'): pass")},
        {"vocabulary": declaring("class Pressed(Event, name='block.pressed'): pass")},
        {"vocabulary": declaring("ABSENT = {'block': None}")},
        {"vocabulary": declaring("ABSENT = {'title': None}")},
        {"vocabulary": {}},
        {"fitted": (FittedDevice("dragon.eye", "eye", LAMP),)},
    ],
    ids=", ".join,
)
def test_a_plug_in_cannot_take_the_place_of_something_else(
    changes: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_names(tmp_path, capsys, changes, "dragon")


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"name": "block"}, [QUESTION_BLOCK.__module__, "'block'"]),
        ({"vocabulary": declaring("class Loud(Request, do='volume'): pass")}, ["every table", "'volume'"]),
        ({"vocabulary": declaring("class Roar(Request, do='roar'):\n  times: complex")}, ["argument", "complex"]),
        ({"vocabulary": declaring("class Roar(Request, do='roar'):\n  times: Whoel")}, ["Whoel"]),
        ({"vocabulary": declaring("class Roar(Request, do='roar'):\n  words: list")}, ["argument", "list"]),
        ({"vocabulary": declaring("class Roar(Request, do='roar'):\n  n: Annotated[int, Between(9, 1)]")}, ["9 is"]),
        (
            {"vocabulary": declaring("class Roared(Event, name='roared'):\n  h: Annotated[list[str], Between(0, 3)]")},
            ["'h' of Roared: Between is a limit for int or float, but not for list"],
        ),
        (
            {"vocabulary": declaring("class A(Event, name='roared'): pass\nclass B(Event, name='roared'): pass")},
            ["two classes declare the event 'roared'"],
        ),
        ({"vocabulary": "dragon.roared"}, ["Vocabulary(__name__)"]),
        ({"section": LairConfig}, ["Section(LairConfig)"]),
        ({"title": None}, ["title"]),
        ({"fitted": KNOB}, ["fitted", "comma"]),
        ({"fitted": (replace(KNOB, usual=5),), "section": KNOBS}, ["dragon.knob", "encoder"]),
        ({"fitted": (replace(KNOB, kind=UndrawnKnob()),), "section": KNOBS}, ["dragon", "claws"]),
        ({"fitted": (replace(KNOB, kind=LAMP),), "section": KNOBS}, ["dragon.knob", "lamp"]),
    ],
    ids=", ".join,
)
def test_a_wrong_part_of_a_plug_in_is_named(
    changes: dict[str, Any], names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_names(tmp_path, capsys, changes, *names)


def test_a_reader_that_does_not_fit_the_device_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_names(tmp_path, capsys, {"fitted": (KNOB,), "section": KNOBS}, "dragon.knob", "encoder", settings="knob = 5")


class BadKnob(type(ENCODER)):  # type: ignore[misc]
    async def try_out(self, *_: Any) -> Any:
        raise KeyError("claws")


@pytest.mark.parametrize(
    ("kind", "answers", "why"), [(BadKnob(), (), "claws"), (ENCODER, ("contact A", "s"), "needs the knob")]
)
async def test_setup_continues_without_an_accessory_whose_device_is_skipped(
    kind: Any, answers: Sequence[str], why: str, tmp_path: Path
) -> None:
    knob = replace(KNOB, kind=kind, is_required=True)
    with installed(QUESTION_BLOCK, Impostor(fitted=(knob,), section=KNOBS)):
        async with set_up_at(good_pi_4(tmp_path), "[block]\nbutton = 17\n") as person:
            await person.answers(LINES, "n", "Which edition", "", "Is there a question block?", "y", "Which pin", "17")
            await person.answers("Press Enter", "", "anyway?", "y", "a lamp?", "n", "Is there a dragon?", "y", *answers)
            await person.sees(why)
            await person.sees("left out")
            await person.answers("Is there a speaker?", "n", "May phones", "n", "Publish", "n", "Write", "y")
        assert [*person.config.sections] == ["block"]


async def test_a_reader_that_does_not_fit_spoils_no_step_of_setup(tmp_path: Path) -> None:
    with installed(QUESTION_BLOCK, Impostor(fitted=(KNOB,), section=KNOBS)):
        before = "[block]\nbutton = 17\n[dragon]\nknob = 5\n"
        async with set_up_at(good_pi_4(tmp_path), "[block]\nbutton = 17\n", before=before) as person:
            await person.answers(LINES, "n", "Which edition", "", "Is there a question block?", "y", "Which pin", "17")
            await person.sees("Press the button now.")
            await press(person.pi["block.button"])
            await person.answers("a lamp?", "q")


@dataclass(frozen=True, slots=True)
class EggConfig:
    hatched: int = 3


@dataclass(frozen=True, slots=True)
class ClassConfig:
    hatched: Annotated[int, Whole] = 3


@pytest.mark.parametrize("config_class", [EggConfig, ClassConfig])
def test_a_setting_without_a_reader_is_named_with_its_line(
    config_class: type, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "table.toml"
    config.write_text("[block]\nbutton = 17\n[dragon]\nhatched = 4\n")
    with installed(QUESTION_BLOCK, dragon=lambda: Impostor(section=Section(config_class))):
        assert main(["check", "-c", str(config)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert f"{config_class.__name__}.hatched" in said
    assert "Annotated[int, Whole(1, 99)]" in said
    assert f"{Path(__file__).name}, line " in said


def test_what_fails_in_a_library_is_placed_in_the_plug_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "table.toml"
    config.write_text("[block]\nbutton = 17\n[dragon]\n")
    with installed(QUESTION_BLOCK, dragon=lambda: httpx.URL(3)):  # type: ignore[arg-type]
        assert main(["check", "-c", str(config)]) == 1
    assert f"({Path(__file__).name}, line " in " ".join(capsys.readouterr().out.split())


class Sleeper(GameAccessory[LairConfig]):
    """A game that blocks the event loop until *wake* is set."""

    name = "sleeper"
    title = "Sleeper"
    vocabulary = Vocabulary()
    section = Section(LairConfig)

    def __init__(self, wake: threading.Event) -> None:
        self.wake = wake

    async def play(self, game: Game[LairConfig]) -> None:
        self.wake.wait(PATIENCE_S)
        await asyncio.get_running_loop().create_future()


@pytest.mark.realtime
def test_the_bench_names_a_game_that_blocks_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_loop, "BLOCKED_S", 0.05)
    (config := tmp_path / "table.toml").write_text("[block]\nbutton = 17\n[sleeper]\n")
    wake, said = threading.Event(), list[str]()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())
            wake.set()

    table_loop.log.addHandler(listener := Listener())
    try:
        with installed(QUESTION_BLOCK, Sleeper(wake)), closing(TableThread(Scene.load(config, tmp_path), seed=1)):
            assert f"{Path(__file__).name}, line " in said[0]
    finally:
        table_loop.log.removeHandler(listener)


class PadConfig(Record):
    keys: Annotated[KeypadConfig, Section(KeypadConfig)]


class Pad(GameAccessory[PadConfig]):
    name, title, section, vocabulary = "pad", "Pad", Section(PadConfig), Vocabulary()
    fitted = (FittedDevice("pad.keys", "keys", KEYPAD),)

    async def play(self, game: Game[PadConfig]) -> None:
        game.state["down"] = ""
        down = partial(game.state.__setitem__, "down")
        game.devices.keys.start(down, lambda _: down(""), lambda: None, lambda: None)
        await asyncio.get_running_loop().create_future()


def test_a_play_holds_and_taps_the_keys_of_a_keypad(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (config := tmp_path / "table.toml").write_text(
        "[block]\nbutton = 17\n[pad]\nkeys = { rows = [23, 24, 25, 12], columns = [5, 6, 16, 26] }\n"
    )
    (play := tmp_path / "keys.play").write_text(
        'hold pad.keys GO\nwait 1\nexpect state pad.down GO\nrelease pad.keys GO\nwait 1\nexpect state pad.down ""\n'
        "tap pad.keys 5\n"
    )
    with installed(QUESTION_BLOCK, Pad()):
        assert play_file(play, config=config) == 0, capsys.readouterr().err


CONFIG = "[block]\nbutton = 17\n[dragon]\n[speaker]\n"
PRESS = "press block\nexpect event block.outcome\n"


class Hoard(Dragon):
    def snapshot(self) -> Any:
        return {"dragon": {"a set, which JSON does not have"}}


def test_a_state_that_is_not_json_spoils_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, play = tmp_path / "table.toml", tmp_path / "beside.play"
    config.write_text(CONFIG)
    play.write_text(f"{PRESS}wait 5\nexpect state dragon null\n")
    with installed(QUESTION_BLOCK, dragon=Hoard):
        assert play_file(play, config=config) == 0, capsys.readouterr().err


PLACES = ("import", "section", "describe", "validate", "open", "run", "snapshot", "show_fault")
EXITS = ("import", "section", "run")


@pytest.mark.parametrize(
    ("place", "error"),
    [*((place, KeyError("claws")) for place in PLACES), *((place, SystemExit(3)) for place in EXITS)],
)
def test_a_faulty_plug_in_spoils_nothing_else_and_is_named(
    place: str, error: BaseException, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, play = tmp_path / "table.toml", tmp_path / "beside.play"
    config.write_text(CONFIG)
    play.write_text(f"{PRESS}wait 5\nfault sound\nwait 1\n{PRESS}")
    bad = BadDragon(place, error)

    def load() -> object:
        bad.at("import")
        return bad

    with installed(QUESTION_BLOCK, dragon=load):
        assert play_file(play, config=config) == 0, capsys.readouterr().err
        is_in_config = place in ("import", "section", "describe", "validate")
        capsys.readouterr()
        assert main(["check", "-c", str(config)]) == is_in_config
        assert ("dragon" in capsys.readouterr().out.partition("WRONG")[2]) == is_in_config
        if place == "describe":
            assert main(["doctor", "--json", "-c", str(config)]) == 1
            assert '"dragon.plug-in"' in capsys.readouterr().out
        if place in ("open", "run", "snapshot"):
            play.write_text("expect state faults.dragon null\n")
            assert play_file(play, config=config) == 1
            assert ("claws" in (said := capsys.readouterr().err)) or "3" in said
