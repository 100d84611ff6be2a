"""The voice says the latest words, delays nothing, and is silent with one fault if its program fails."""

from __future__ import annotations

import asyncio
import io
import json
import sys
import threading
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.banker_unit.accounts import Reason
from reboard.accessories.question_block.accessory import QUESTION_BLOCK
from reboard.accessories.question_block.outcomes import KINDS
from reboard.board import RATE_HZ, Board
from reboard.commands.sounds import show_words
from reboard.devices.audio import espeak
from reboard.devices.voice import LONGEST_S, LONGEST_SYNTHESIS_S, Voice
from reboard.languages import Texts, languages
from reboard.sounds.recorded_words import FOLDER, GAP, RecordedWords, words_of
from reboard.sounds.wav_file import wav_bytes
from reboard_sim.plays.play_command import play_file
from tests.virtual import Recorder, in_real_time, now
from tests.waiting import eventually

PROGRAM_S = 0.05


class Program:
    """A speech program and a speaker. It speaks ten letters a second."""

    def __init__(self) -> None:
        self.said: list[tuple[float, str]] = []
        self.busy_until = 0.0
        self.error: OSError | None = None
        self.is_hanging = False
        self.lengths: list[float] = []

    async def synthesize(self, words: str, language: str) -> bytes:
        await asyncio.sleep(3600 if self.is_hanging else PROGRAM_S)
        if self.error:
            raise self.error
        return wav_bytes(b"\1\1" * (RATE_HZ // 10 * len(words)))

    def speak(self, words: str, samples: bytes) -> None:
        self.said.append((now(), words))
        self.lengths.append(len(samples) / 2 / RATE_HZ)


def voice_of(program: Program, emit: Recorder, folder: Path | None = None) -> Voice:
    return Voice(cast(Board, program), "en", program, RecordedWords(folder), emit)


async def test_what_is_said_at_once_is_one_utterance_and_a_newer_one_replaces_one_that_waits() -> None:
    program = Program()
    voice = voice_of(program, Recorder())
    await asyncio.sleep(1)
    voice.say(lambda: "One.")
    voice.say(lambda: "")
    voice.say(lambda: "Two.")
    await asyncio.sleep(0.5)
    for late in ("Three.", "Four.", "Five."):
        voice.say(lambda late=late: late)  # type: ignore[misc]
        await asyncio.sleep(0.11)
    await asyncio.sleep(3)
    assert [words for _, words in program.said] == ["One. Two.", "Five."]
    at = [t for t, _ in program.said]
    assert at[1] - at[0] >= program.lengths[0], "an utterance that has begun is said to its end"
    voice.close()


async def test_an_utterance_waits_for_the_sounds_and_has_limits() -> None:
    program = Program()
    voice = voice_of(program, Recorder())
    await asyncio.sleep(1)
    program.busy_until = 4.0
    for number in range(9):
        voice.say(lambda number=number: f"{number}" * 60)  # type: ignore[misc]
    await asyncio.sleep(5)
    [(t, words)] = program.said
    assert t >= 4.0
    assert words == " ".join(f"{number}" * 60 for number in (5, 6, 7, 8)), "the latest ones"
    assert program.lengths == [LONGEST_S]
    voice.close()


async def test_a_program_that_fails_or_hangs_is_one_fault_until_it_speaks() -> None:
    program, emit = Program(), Recorder()
    program.error = FileNotFoundError("espeak-ng")
    voice = voice_of(program, emit)
    await asyncio.sleep(1)
    for _ in range(3):
        voice.say(lambda: "Hello.")
        await asyncio.sleep(1)
    [(name, fields)] = emit.events
    assert (name, fields["part"]) == ("fault", "voice")
    assert "sudo apt install espeak-ng" in str(fields["cause"])
    program.error, program.is_hanging = None, True
    voice.say(lambda: "Hello.")
    await asyncio.sleep(LONGEST_SYNTHESIS_S + 1)
    assert "does not answer" in str(emit.events[-1][1]["cause"])
    program.is_hanging = False
    voice.say(lambda: "Hello.")
    await asyncio.sleep(1)
    assert emit.events[-1] == ("recovered", {"part": "voice"})
    assert [words for _, words in program.said] == ["Hello."]
    voice.close()


class Garbled(Program):
    async def synthesize(self, words: str, language: str) -> bytes:
        stereo = io.BytesIO()
        with wave.open(stereo, "wb") as wav:
            wav.setnchannels(2)
            wav.setsampwidth(2)
            wav.setframerate(22050)
            wav.writeframes(bytes(400))
        return {"noise": b"noise", "stereo": stereo.getvalue()}.get(words, b"")


@pytest.mark.parametrize("words", ["noise", "stereo", "nothing"])
async def test_what_is_no_speech_is_a_fault(words: str) -> None:
    emit = Recorder()
    voice = voice_of(Garbled(), emit)
    voice.say(lambda: words)
    await asyncio.sleep(1)
    assert [name for name, _ in emit.events] == ["fault"]
    voice.close()


def record(folder: Path, name: str, sample: bytes) -> bytes:
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / FOLDER / name).write_bytes(wav_bytes(sample * 100))
    return sample * 100 + GAP


def test_recordings_replace_words_and_make_numbers(tmp_path: Path) -> None:
    card, two = record(tmp_path, "Card.wav", b"\1\1"), record(tmp_path, "card 2.wav", b"\2\2")
    parts = [record(tmp_path, f"{number}.wav", bytes((number // 50, 1))) for number in (1000, 600, 50)]
    record(tmp_path, "broken.wav", b"")
    (tmp_path / FOLDER / "has.wav").write_bytes(b"no sound")
    recorded = RecordedWords(tmp_path)
    assert [*recorded.pieces("Card 2 has 1650.")] == [two, " has ", *parts]
    assert [*recorded.pieces("Card 3 has 1651, 1.5 million.")] == [card, " 3 has 1651, 1.5 million."]
    assert [*RecordedWords(None).pieces("Card 2 has 1650.")] == ["Card 2 has 1650."]


BUSY = (
    """
config block.odds "{ coins = [1, 1], laugh = 2, power_up = 0, game_over = 0 }"
insert left 1
wait 0.8
press block
"""
    + """
wait 1.7
press block
type 1M
wait 1
press block
wait 1.3
press block
wait 1.3
remove left
insert left 2
pull lever
release lever
wait 0.9
press block
key DEAL
wait 2.9
press block
key C
"""
    * 8
)


def events(play: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    file = folder / "busy.play"
    file.write_text(play, "utf-8")
    assert play_file(file, seed=5, as_json=True) == 0, capsys.readouterr().err
    return [*map(json.loads, capsys.readouterr().out.splitlines())]


@pytest.mark.parametrize("fault", ["", "fault speech hangs"])
def test_no_utterance_delays_anything(fault: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    silent = events(f"config speaker.volume 3\n{fault}{BUSY}", tmp_path, capsys)
    speaking = events(f"config speaker.voice en\n{fault}{BUSY}", tmp_path, capsys)
    assert fault or sum(each["event"] == "said" for each in speaking) > 8
    shown = ("said", "display", "lamp")  # a fault of the voice is shown
    same = [each for each in speaking if each["event"] not in shown and each.get("part") != "voice"]
    assert same == [each for each in silent if each["event"] not in shown]


def script(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / espeak.PROGRAM
    program.write_text(f"#!{sys.executable}\nimport os, signal, sys\n{code}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


async def no_process_is_left() -> None:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    await asyncio.to_thread(eventually, lambda: not children.read_text())


@pytest.mark.realtime
@in_real_time
async def test_the_program_gets_the_words_and_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, "sys.stdout.write(' '.join(sys.argv[1:]) + sys.stdin.read() + str(os.nice(0)))", monkeypatch)
    assert await espeak.synthesize("-w Zoë", "fr") == f"-v fr --stdin --stdout-w Zoë{espeak.NICENESS}".encode()
    script(tmp_path, "while True: sys.stdout.write('x' * 65536)", monkeypatch)
    assert len(await espeak.synthesize("", "en")) == espeak.MOST_BYTES
    await no_process_is_left()


@pytest.mark.realtime
@in_real_time
async def test_a_hanging_program_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, f"open({str(tmp_path / 'began')!r}, 'w'); signal.pause()", monkeypatch)
    speaking = asyncio.create_task(espeak.synthesize("Hello.", "en"))
    await asyncio.to_thread(eventually, (tmp_path / "began").exists)
    speaking.cancel()
    await asyncio.wait({speaking})
    assert speaking.cancelled()
    await no_process_is_left()


AT_A_TABLE = {
    "units": True,
    "cards": [
        {"number": 1, "name": "Anna", "balance": 1_000_000},
        {"number": 2, "name": "", "balance": -1_500_000},
        {"number": 3, "name": "", "balance": 260_000},
    ],
    "block": {"quiet": False},
}
MOVED = [
    {"from": from_, "to": to, "amount": 260_000, "reason": reason}
    for from_, to in ((0, 1), (1, 2), (2, 9), (9, 3))
    for reason in (*Reason.members, "laugh")
]
SAID: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "transfer": MOVED,
    "card.inserted": [{"number": number} for number in (1, 2, 3, None)],
    "refused": [{"why": why} for why in BANKER_UNIT.vocabulary.rejections],
    "deal.started": [{}],
    "deal.ended": [{}],
    "game.started": [{"game": 3}],
    "game.ended": [{"game": 3, "ranking": [{"number": number, "place": 1} for number in (1, 2)]}],
    "block.outcome": [{"outcome": kind, "coins": 2 * (kind == "coins")} for kind in KINDS],
}


@pytest.mark.parametrize("language", languages())
def test_the_words_to_record_are_all_that_is_said(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_words(language)
    listed = set(capsys.readouterr().out.split())
    announcements = {**BANKER_UNIT.announcements(), **QUESTION_BLOCK.announcements()}
    assert announcements.keys() == SAID.keys()
    for event, announcement in announcements.items():
        for fields in SAID[event]:
            words = announcement(fields, AT_A_TABLE, Texts(language))
            unlisted = {word for word in words_of(words) if word != "anna" and not word[0].isdigit()} - listed
            assert not unlisted, words
