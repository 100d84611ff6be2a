"""``reboard sounds``: list the sounds and the words of the voice, play sounds, and write them as files."""

from __future__ import annotations

import argparse
import asyncio
import re
from contextlib import closing
from pathlib import Path

from reboard.accessories.installed import accessories, sound_folders
from reboard.atomic_write import write_safely
from reboard.commands.output import named_path
from reboard.commands.parser import CommandParser, add_command
from reboard.config.reading import DEFAULT_CONFIG, did_you_mean
from reboard.devices.audio.libraries import open_sink
from reboard.devices.speaker import Speaker, SpeakerConfig
from reboard.errors import DeviceError
from reboard.languages import ENGLISH, Texts
from reboard.sounds import SoundSet
from reboard.sounds.recorded_words import words_of
from reboard.sounds.wav_file import wav_bytes
from reboard.table_config import load_config

PLACE = re.compile(r"\{\w+\}")
"""The place of a value in a text."""


def add_arguments(parser: CommandParser, common: CommandParser) -> None:
    """Add the subcommands of ``reboard sounds``."""
    whats = parser.add_subparsers(required=True, metavar="WHAT", dest="what")
    add_command(whats, "list", "list the sounds", common, examples=["reboard sounds list"])
    text = "list the words of the voice, to record them"
    add_command(whats, "words", text, common, examples=["reboard sounds words"])
    one = add_command(whats, "play", "play a sound", common, examples=["reboard sounds play coin"])
    one.add_argument("name", metavar="NAME", type=_sound_name, help="the sound, as `reboard sounds list` names it")
    text = "write the built-in sounds as WAV files, to edit them"
    files = add_command(whats, "write", text, common, examples=["reboard sounds write my-sounds"])
    files.add_argument("folder", metavar="DIR", type=named_path, help="the folder for the files")


def main(args: argparse.Namespace) -> None:
    """List, play or write the sounds, or list the words."""
    # without a config, the sound comes from the default device
    has_config = args.config != DEFAULT_CONFIG or DEFAULT_CONFIG.exists()
    match args.what:
        case "list":
            show()
        case "write":
            write(args.folder)
        case "words":
            config = load_config(args.config) if has_config else None
            show_words((config and config.speaker and config.speaker.voice) or ENGLISH)
        case "play":
            speaker = load_config(args.config).speaker if has_config else None
            asyncio.run(play(args.name, speaker or SpeakerConfig()))


def _sound_name(text: str) -> str:
    names = SoundSet.built_in(sound_folders()).names
    if text not in names:
        raise argparse.ArgumentTypeError(
            f"there is no sound {text!r}{did_you_mean(text, names) or ': choose one of ' + ', '.join(names)}"
        )
    return text


def show() -> None:
    """Print the name and length of every built-in sound."""
    sounds = SoundSet.built_in(sound_folders())
    for name in sounds.names:
        print(f"{name:<12} {sounds[name].seconds:4.1f} s")


def show_words(language: str) -> None:
    """Print the words that the voice says in *language*, except numbers and players' names."""
    say = Texts(language)
    texts = (PLACE.sub("", text) for each in accessories().values() for text in each.spoken_texts(say))
    print(*sorted({word for text in texts for word in words_of(text) if not word.isdecimal()}), sep="\n")


async def play(name: str, config: SpeakerConfig) -> None:
    """Play the sound *name* as the table does. Raises `DeviceError` if it is not heard."""
    if config.is_silent or config.volume == 0:
        raise DeviceError("the config makes the table silent: correct `library` and `volume` in [speaker]")
    sounds = SoundSet.with_folder(config.folder, sound_folders())
    sink = open_sink(config.library, config.device)
    with closing(Speaker(sounds, sink, volume=config.volume)) as speaker:
        if fault := await speaker.tried(name):
            raise DeviceError(fault)


def write(folder: Path) -> None:
    """Write every built-in sound as a WAV file to *folder*. Keep existing files, which may be the user's own."""
    folder.mkdir(parents=True, exist_ok=True)
    sounds = SoundSet.built_in(sound_folders())
    for name in sounds.names:
        path = folder / f"{name}.wav"
        if path.exists():
            print(f"{path} already exists and was not changed")
        else:
            write_safely(path, wav_bytes(sounds[name].samples))
            print(path)
