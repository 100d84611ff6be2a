"""``reboard-sim play`` as its user sees it."""

import json
import subprocess
import sys
import wave
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit.accounts import BANK
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard_sim.cli import main
from tests.reboard.accessories.banker_unit.ledger_calls import pay

BUMPS = "'{ reader = \"bumps\", pins = [9, 10, 11] }'"


def written(directory: Path, text: str) -> str:
    play = directory / "evening.play"
    play.write_text(text, encoding="utf-8")
    return str(play)


def test_a_check_that_fails_exits_with_1_and_tells_line_both_values_and_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play = written(tmp_path, 'edition world\ninsert left 1\nexpect display "+1 16M"\n')
    assert main(["play", play, "--seed", "3"]) == 1
    told = capsys.readouterr().err
    assert f'{play}:3: expected display "+1 16M"; found "+1 15M" and ""' in told
    assert "seed was 3" in told
    seeds = 'seed 4\nseed 5\nexpect display ""\nseed 6\nexpect display "no"\n'
    assert main(["play", written(tmp_path, seeds), "--seed", "3"]) == 1
    assert "seed was 5" in capsys.readouterr().err, "with this one the table was switched on"


def test_the_edition_of_the_command_line_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play = written(tmp_path, 'insert left 1\nexpect display "+1 1500"\n')
    for arguments in (["--edition", "classic-de", "play", play], ["play", play, "--edition", "classic-de"]):
        assert main(arguments) == 0
    assert main(["--edition", "wold", "play", play]) == 2
    assert "--edition wold" in capsys.readouterr().err


OF_THE_BENCH = [["--lan"], ["--phones"], ["--headless"], ["--port", "0"], ["--page-port", "0"]]


@pytest.mark.parametrize("options", OF_THE_BENCH)
def test_an_option_of_the_bench_before_play_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*options, "play", written(tmp_path, "wait 1\n")])
    assert ended.value.code == 2
    assert options[0] in capsys.readouterr().err


def test_a_play_without_checks_passes_with_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", written(tmp_path, "wait 1\n")]) == 0
    assert "no checks" in capsys.readouterr().err
    assert main(["play", written(tmp_path, 'expect display "INSERT CARD"\n')]) == 0
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("wait 1\nedition wold\n", ":2: edition must be "),
        ("config apple.seconds 1000\n", ":1: apple.seconds must be "),
        ("config block.lamp 17\n", ":1: block.lamp uses pin 17"),
        ("seed -1\n", ":1: '-1' is not a whole number from 0 to"),
        ("without apple\npull lever\n", ":2: this table has no apple.lever"),
        (f"config bank.left {BUMPS}\ninsert left 8\n", ":2: "),
    ],
)
def test_a_line_that_cannot_be_done_exits_with_2_and_says_what_was_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    play = written(tmp_path, text)
    assert main(["play", play]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.startswith(f"{play}:")
    assert "table.toml" not in err, "the play has no such file"


@pytest.mark.parametrize(
    ("play", "status"),
    [
        ("press block\nwait until block.outcome within 1\n", 0),
        ("press block\nwait 2\nwait until block.pressed within 1\n", 1),
        ("press block\nkey DEAL\nwait until block.pressed within 1\n", 1),
        ("press block\nwait until block.pressed within 1\nwait until block.pressed within 1\n", 1),
        ("key DEAL\nwait until deal.tick\nwait until deal.tick\n", 0),
    ],
)
def test_wait_until_looks_back_to_the_last_act_and_then_waits_for_the_next_time(
    tmp_path: Path, play: str, status: int
) -> None:
    assert main(["play", written(tmp_path, play)]) == status


def test_the_same_seed_gives_the_same_run_and_another_one_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play = written(tmp_path, "fault bounce\n" + "press block\nwait 5\n" * 8 + "key DEAL\nwait until deal.ended\n")

    def run(seed: str) -> str:
        assert main(["play", play, "--json", "--seed", seed]) == 0
        return capsys.readouterr().out

    assert run("1") == run("1")
    assert run("1") != run("2")


def test_the_recordings_are_written_also_when_the_play_fails(tmp_path: Path) -> None:
    play = written(tmp_path, "press block\nwait 5\nexpect lamp on\n")
    wav, vcd = tmp_path / "evening.wav", tmp_path / "evening.vcd"
    assert main(["play", play, "--wav", str(wav), "--vcd", str(vcd)]) == 1
    with wave.open(str(wav)) as recording:
        assert recording.getnframes() / recording.getframerate() == pytest.approx(5.6, abs=0.3)
        assert any(recording.readframes(recording.getnframes()))
    assert "block_lamp" in vcd.read_text(encoding="ascii")


@pytest.mark.parametrize("option", ["--wav", "--vcd"])
def test_a_recording_never_takes_the_place_of_what_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    play = written(tmp_path, "wait 1\n")
    table = tmp_path / "table.toml"
    table.write_text("[block]\nbutton = 17\n")
    for taken in (play, str(tmp_path / "." / "evening.play"), str(table)):
        before = Path(taken).read_text()
        assert main(["play", play, "-c", str(table), option, taken]) == 2
        assert f"{option} {taken}: The recording would overwrite" in capsys.readouterr().err
        assert Path(taken).read_text() == before


def played(play: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "reboard_sim.cli", "play", play, "--json"], **options)


def test_a_play_ends_silently_when_the_reader_of_its_events_is_gone(tmp_path: Path) -> None:
    play = written(tmp_path, "press block\nwait 5\n" * 300 + "expect lamp on\n")
    with played(play, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as playing:
        assert playing.stdout
        assert playing.stderr
        assert json.loads(playing.stdout.readline())["event"] == "game.started"
        playing.stdout.close()
        assert playing.stderr.read() == b""
    assert playing.returncode == 2


def test_a_play_that_cannot_have_its_ledger_exits_with_2_and_leaves_it_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    play = written(tmp_path, "insert left 1\nkey GO\nwait 2\npower off\npower on\nkey GO\n")
    with closing(LedgerFile(state / LEDGER_FILE)) as ledger:
        game = ledger.new_game("world", 1000, at=1.0, cards=(1,)).id
        assert main(["play", play, "--state", str(state)]) == 2
        told = capsys.readouterr().err
        assert f"{state / LEDGER_FILE}: another reboard has this ledger open" in told
        assert "--state" in told
        pay(ledger, game, BANK, 1, 5, reason="salary", press="1", at=2.0)
    with closing(LedgerFile(state / LEDGER_FILE)) as ledger:
        assert ledger.balance(game, 1) == 1005


def test_a_host_named_play_is_no_play(tmp_path: Path) -> None:
    assert main(["attach", "play:9", "--pin-file", str(tmp_path / "missing")]) == 1
