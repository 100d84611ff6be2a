"""``reboard-sim play`` as its user sees it."""

import io
import json
import subprocess
import sys
import wave
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reboard.banker.book import LEDGER_FILE
from reboard.banker.ledger import BANK, Ledger
from reboard_sim.cli import main


def written(directory: Path, text: str) -> str:
    play = directory / "evening.play"
    play.write_text(text, encoding="utf-8")
    return str(play)


def test_a_play_that_holds_says_so_and_exits_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", written(tmp_path, "press block\nwait 5\nexpect lamp off\n"), "--seed", "3"]) == 0
    assert "1 of 1 checks held" in capsys.readouterr().out


def test_a_check_that_fails_exits_with_1_and_tells_line_both_values_and_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play = written(tmp_path, 'edition world\ninsert left 1\nexpect display "+1 16M"\n')
    assert main(["play", play, "--seed", "3"]) == 1
    told = capsys.readouterr().err
    assert f'{play}:3: expected display "+1 16M"; found "+1 15M" and ""' in told
    assert "seed was 3" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("press blok\n", ":1: 'blok' where block should be"),
        ("wait 1\nedition wold\n", ":2: edition must be "),
        ("edition wold\n", 'did you mean "world"?\n'),
        ("config apple.seconds 1000\n", ":1: apple.seconds must be "),
        ("config block.lamp 17\n", ":1: block.lamp takes pin 17, which block.button has already\n"),
        ("config block.foo 1\n", ':1: [block] has no key "foo": its keys are '),
        ("seed -1\n", ":1: '-1' is no whole number from 0 to"),
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
    assert "table.toml" not in err, "nobody wrote that there"


@pytest.mark.parametrize("option", ["", "-c", "--state", "--vcd", "--wav"])
def test_a_path_that_is_empty_exits_with_2_and_says_so(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["play", written(tmp_path, "wait 1\n"), option, ""] if option else ["play", ""]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert ": this is empty, and names no file or folder" in capsys.readouterr().err


def test_an_act_on_a_part_that_is_not_wired_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "table.toml"
    config.write_text("[block]\nbutton = 17\n", encoding="utf-8")
    assert main(["play", written(tmp_path, "wait 1\npull lever\n"), "-c", str(config)]) == 2
    assert ":2: this table has no worm apple" in capsys.readouterr().err


def test_files_that_cannot_be_read_exit_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", str(tmp_path / "none.play")]) == 2
    assert "none.play: No such file" in capsys.readouterr().err
    assert main(["play", str(tmp_path)]) == 2
    assert "directory" in capsys.readouterr().err
    binary = tmp_path / "binary.play"
    binary.write_bytes(b"press block\n\xff\xfe")
    assert main(["play", str(binary)]) == 2
    assert f"{binary}:2: this line is not UTF-8" in capsys.readouterr().err
    assert main(["play", written(tmp_path, "wait 1"), "-c", str(tmp_path / "none.toml")]) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_wait_until_that_waits_in_vain_fails_the_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", written(tmp_path, "wait until deal.ended within 5\n")]) == 1
    assert "deal.ended within 5 s" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("play", "status"),
    [
        ("press block\nwait until block.outcome within 1\n", 0),
        ("press block\nwait 2\nwait until block.pressed within 1\n", 1),
        ("press block\nwait until block.pressed within 1\nwait until block.pressed within 1\n", 1),
        ("key DEAL\nwait until deal.tick\nwait until deal.tick\n", 0),
    ],
)
def test_wait_until_looks_back_to_the_last_act_and_then_waits_for_the_next_time(
    tmp_path: Path, play: str, status: int
) -> None:
    assert main(["play", written(tmp_path, play)]) == status


def test_a_silent_file_of_the_owners_is_not_heard_though_another_sound_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own").mkdir()
    with wave.open(str(tmp_path / "own" / "key.wav"), "wb") as silent:
        silent.setnchannels(1)
        silent.setsampwidth(2)
        silent.setframerate(48_000)
        silent.writeframes(bytes(9600))
    play = f'config speaker.folder "{tmp_path / "own"}"\nhold block\nwait 0.1\nkey 1\nexpect heard key\n'
    assert main(["play", written(tmp_path, play), "--seed", "1"]) == 1
    assert "key heard 0 times" in capsys.readouterr().err


def test_json_prints_one_event_a_line_with_its_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", written(tmp_path, "press block\nwait 4\n"), "--json", "--seed", "1"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    names = [event["event"] for event in events]
    assert names.index("block.pressed") < names.index("block.outcome") < names.index("sound")
    times = [event["t"] for event in events]
    assert times == sorted(times)


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


def test_a_recording_that_cannot_be_written_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = tmp_path / "none" / "a.wav"
    assert main(["play", written(tmp_path, "wait 1\n"), "--wav", str(nowhere)]) == 2
    assert capsys.readouterr().err == f"{nowhere}: No such file or directory\n"


def test_a_recording_onto_a_full_disk_names_the_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", written(tmp_path, "wait 1\n"), "--wav", "/dev/full"]) == 2
    assert capsys.readouterr().err == "/dev/full: No space left on device\n"


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
        assert f"{option} {taken}: a recording would overwrite this file" in capsys.readouterr().err
        assert Path(taken).read_text() == before


def test_both_recordings_in_one_file_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = str(tmp_path / "both")
    assert main(["play", written(tmp_path, "wait 1\n"), "--wav", both, "--vcd", both]) == 2
    assert "would overwrite this file" in capsys.readouterr().err
    assert not Path(both).exists()


@pytest.mark.parametrize("arguments", [["play", "PLAY"], ["--headless", "--port", "0"]], ids=["play", "bench"])
def test_a_place_where_no_ledger_can_be_kept_is_told_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    play = written(tmp_path, "wait 1\n")
    nowhere = f"{play}/state"
    assert main(["--state", nowhere, *[play if word == "PLAY" else word for word in arguments]]) == 2
    assert capsys.readouterr().err == f"--state {nowhere}: no ledger can be kept there: Not a directory\n"


def played(play: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "reboard_sim.cli", "play", play, "--json"], **options)


def test_a_play_whose_events_nobody_reads_any_more_ends_without_a_word_and_without_a_verdict(tmp_path: Path) -> None:
    play = written(tmp_path, "press block\nwait 5\n" * 300 + "expect lamp on\n")
    with played(play, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as playing:
        assert playing.stdout
        assert playing.stderr
        assert json.loads(playing.stdout.readline())["event"] == "game.started"
        playing.stdout.close()
        assert playing.stderr.read() == b""
    assert playing.returncode == 141


def test_events_that_find_no_room_are_told_in_one_line(tmp_path: Path) -> None:
    with (
        Path("/dev/full").open("wb") as full,
        played(written(tmp_path, "press block\n" * 100), stdout=full, stderr=subprocess.PIPE) as playing,
    ):
        assert playing.stderr
        assert playing.stderr.read() == b"standard output: No space left on device\n"
    assert playing.returncode == 2


def test_a_play_that_cannot_have_its_ledger_exits_with_2_and_leaves_it_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    play = written(tmp_path, "insert left 1\nkey GO\nwait 2\npower off\npower on\nkey GO\n")
    with closing(Ledger(state / LEDGER_FILE)) as ledger:
        game = ledger.new_game("world", 1000, at=1.0, cards=(1,)).id
        assert main(["play", play, "--state", str(state)]) == 2
        told = capsys.readouterr().err
        assert f"{state / LEDGER_FILE}: another reboard keeps this ledger" in told
        assert "--state" in told
        ledger.pay(game, BANK, 1, 5, reason="salary", press="1", at=2.0)
    with closing(Ledger(state / LEDGER_FILE)) as ledger:
        assert ledger.balance(game, 1) == 1005


def test_a_state_directory_keeps_the_ledger_from_play_to_play(tmp_path: Path) -> None:
    state = ["--state", str(tmp_path / "state")]
    assert main(["play", written(tmp_path, "insert left 1\ntype 1M\nexpect balance 1 16M\n"), *state]) == 0
    assert main(["play", written(tmp_path, "insert left 1\nexpect balance 1 16M\n"), *state]) == 0


def test_a_play_can_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Typed:
        buffer = io.BytesIO(b"press block\nexpect lamp on\n")

    monkeypatch.setattr(sys, "stdin", Typed())
    assert main(["play", "-"]) == 0


def test_the_help_tells_every_line_and_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert "insert left|right CARD" in told
    assert "reader left" in told


def test_an_edition_that_there_is_not_is_told_under_its_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--headless", "--edition", "wold"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("--edition wold: edition must be classic-de, ")
    assert 'did you mean "world"?' in told


@pytest.mark.parametrize("seed", ["-5", "x", "1.5", "9" * 19, str(2**53)])
def test_a_seed_is_the_same_whole_number_on_the_command_line_as_in_a_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", written(tmp_path, "wait 1\n"), "--seed", seed])
    assert ended.value.code == 2
    assert f"--seed: '{seed}' is no whole number from 0 to" in capsys.readouterr().err
    assert main(["play", written(tmp_path, f"seed {seed}\n")]) == 2
    assert f"'{seed}' is no whole number from 0 to" in capsys.readouterr().err


def test_options_count_before_and_after_the_word_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play = written(tmp_path, "wait 1\n")
    assert main(["--seed", "77", "play", play]) == 0
    assert main(["play", play, "--seed", "77"]) == 0
    assert capsys.readouterr().out.count("seed 77") == 2
