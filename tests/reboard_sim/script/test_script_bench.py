"""A program on the bench, in real time: its state, its power, and what ``bench.toml`` says."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from reboard.errors import ConfigError, ReboardError
from reboard_sim.bench.servers import BenchServer
from reboard_sim.script.script_bench import ScriptThread
from reboard_sim.script.script_command import pass_on_lines, script_scene, serve_script
from reboard_sim.script.virtual_files import InputStream
from tests.waiting import PATIENCE_S

Run = Callable[[str, str], ScriptThread]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    opened: list[ScriptThread] = []

    def run(program: str, bench_file: str = "") -> ScriptThread:
        (tmp_path / "game.py").write_text(program, encoding="utf-8")
        (tmp_path / "bench.toml").write_text(bench_file, encoding="utf-8")
        scene = script_scene(tmp_path / "game.py", [], tmp_path / "bench.toml" if bench_file else None)
        opened.append(ScriptThread(scene, seed=1, show=lambda *_: None))
        return opened[-1]

    yield run
    for table in opened:
        table.close()


def do(table: ScriptThread, *lines: str) -> None:
    table.do(list(lines)).result(PATIENCE_S)


def until(table: ScriptThread, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the state of the hardware when it *holds*."""
    end = time.monotonic() + PATIENCE_S
    while not holds(state := table.hardware()):
        assert time.monotonic() < end, state
        time.sleep(0.01)
    return state


GAME = """
from gpiozero import LED, Button, TrafficLights
led, button = LED(17), Button(2)
lights = TrafficLights(22, 27, 9)
button.when_pressed = led.on
name = input("Name? ")
print("Hello", name)
"""


def test_a_program_on_the_bench_has_its_devices_console_and_power(run: Run) -> None:
    table = run(GAME, "")
    state = until(table, lambda now: now["devices"]["console"]["asks"])
    assert [(device["label"], device["kind"], device["pins"]) for device in state["opened"]] == [
        ("console", "console", []),
        ("led", "lamp", [17]),
        ("button", "contact", [2]),
        ("lights", "leds", [22, 27, 9]),
    ]
    assert (state["program"]["state"], state["devices"]["console"]["text"]) == ("running", "Name? ")
    do(table, "press button", "expect led on", "power off", "expect led off", "expect program off")
    do(table, "power on", "expect console 'Name?'", "enter console Ada")
    state = until(table, lambda now: now["program"]["state"] == "ended")
    assert state["devices"]["console"]["text"] == "Name? Ada\nHello Ada\n"
    assert state["program"]["why"] == "game.py has ended"
    play = BytesIO()
    table.export("session.play", play)
    recorded = play.getvalue().decode()
    assert "run it with reboard-sim script game.py --play FILE" in recorded
    assert "press button 0.1\n" in recorded or "press button\n" in recorded
    assert "enter console Ada" in recorded
    with pytest.raises(ReboardError, match="no wiring drawing"):
        table.wiring()


def test_the_terminal_answers_the_program(run: Run) -> None:
    table = run(GAME, "")
    until(table, lambda now: now["devices"]["console"]["asks"])
    pass_on_lines(table, ["Ada 'the first'\n", "too late\n"])
    until(table, lambda now: now["program"]["state"] == "ended")
    assert "Hello Ada 'the first'\n" in table.hardware()["devices"]["console"]["text"]


def test_a_closed_terminal_has_no_lines() -> None:
    assert list(InputStream(None)) == []


def test_lines_from_a_pipe_answer_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []

    def serve(server: BenchServer) -> None:
        server._socket.close()
        end = time.monotonic() + PATIENCE_S
        while "twice 10" not in printed and time.monotonic() < end:
            time.sleep(0.01)

    monkeypatch.setattr("sys.stdin", StringIO("5\n"))
    monkeypatch.setattr("reboard_sim.script.script_command.printer", lambda: lambda text, _: printed.append(text))
    monkeypatch.setattr(BenchServer, "run", serve)
    (tmp_path / "game.py").write_text("print('twice', 2 * int(input()))")
    serve_script(script_scene(tmp_path / "game.py", [], None), seed=1, port=0, headless=True)
    assert "twice 10" in printed


def test_a_new_table_runs_the_same_program(run: Run) -> None:
    table = run(GAME, "")
    until(table, lambda now: now["devices"]["console"]["asks"])
    table.set_scene(table._stage.setup, 7, ["press button"]).result(PATIENCE_S)
    assert table.scene()["seed"] == 7
    do(table, "expect led on")


def test_the_calendar_of_a_new_table_begins_again(run: Run) -> None:
    table = run("from datetime import UTC, datetime\nprint(datetime.now(UTC))", "")
    for lines in (["wait 60"], []):
        table.set_scene(table._stage.setup, 7, lines).result(PATIENCE_S)
    state = until(table, lambda now: now["program"]["state"] == "ended")
    assert state["devices"]["console"]["text"].startswith("2026-01-05 08:00:00")


@pytest.mark.parametrize("loop", ["n += 1", "time.perf_counter_ns() if n % 2 else len(str(n))\n    n += 1"])
def test_a_program_that_does_not_wait_leaves_the_bench_usable(run: Run, loop: str) -> None:
    table = run(f"import time\nfrom gpiozero import LED\nled = LED(17)\nled.on()\nn = 0\nwhile True:\n    {loop}", "")
    if loop == "n += 1":
        until(table, lambda now: now["program"]["beside"].startswith("game.py:"))
    before = until(table, lambda now: now["devices"]["led"])["t"]
    until(table, lambda now: now["t"] > before + 0.2)
    do(table, "power off", "expect led off", "power on", "expect led on")


def test_bench_toml_names_and_places_devices(run: Run) -> None:
    table = run(
        "import smbus2, RPi.GPIO as GPIO\nGPIO.setmode(GPIO.BCM)\nGPIO.setup(17, GPIO.OUT)\nGPIO.output(17, 1)\n"
        "from gpiozero import Button\nb = Button(4)\ninput()\n",
        '[horn]\npin = 17\n\n[bell]\nkind = "contact"\npin = 4\nactive_high = false\n\n[screen]\nkind = "display"\n'
        'driver = "hd44780-i2c"\naddress = 0x27\n',
    )
    do(table, "hold bell", "expect horn on", "expect bell on", "expect screen ''")
    assert [device["label"] for device in table.hardware()["opened"]] == ["console", "bell", "screen", "horn"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[Bell]\npin = 4", "'Bell' is not a name"),
        ('[bell]\nkind = "gong"\npin = 4', "bell.kind must be one of .*contact.*display"),
        ('[bell]\nkind = "contact"\npin = 99', "bench.toml:3: bell.pin must be"),
        ("bell = 4", "must be a table"),
        ("[bell]\nkind = []", "bell.kind must be one of .*, but is a list"),
        ('[bell]\nkind = "lamp"\npins = { red = 4 }', r"toml:1: \[bell\] has no pins for the kind lamp: set pin$"),
        ('[wheel]\nkind = "h_bridge"\npin = 4', "set pins = { forward = …, backward = … } or .* or .*phase = …"),
        ("[a]\npin = 4\n[b]\npin = 4", r"bench.toml:4: b.pin uses pin 4, which a.pin \(line 2\) already uses"),
    ],
)
def test_a_mistake_in_bench_toml_is_named(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "bench.toml").write_text(text)
    (tmp_path / "game.py").write_text("")
    with pytest.raises(ConfigError, match=problem):
        script_scene(tmp_path / "game.py", [], tmp_path / "bench.toml")


def test_a_program_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such program"):
        script_scene(tmp_path / "gmae.py", [], None)
