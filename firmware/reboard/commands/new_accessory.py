"""``reboard new-accessory``: write a package for an accessory of your own."""

from __future__ import annotations

import argparse
import re
from argparse import ArgumentParser, Namespace
from importlib import resources
from importlib.resources.abc import Traversable
from keyword import iskeyword
from pathlib import Path

from reboard.accessories.installed import accessories, snapshot_keys
from reboard.accessories.table_vocabulary import OTHER_SECTIONS
from reboard.commands.output import named_path
from reboard.errors import ReboardError
from reboard.version import __version__

LONGEST_NAME = 32


class ExistsError(ReboardError, FileExistsError):
    """The error raised if the folder for the package already exists."""


def new_accessory(name: str, folder: Path) -> list[Path]:
    """Write a package for the accessory *name* to the new *folder*, and return its files.

    Raises `ExistsError` if *folder* exists.
    """
    if folder.exists():
        raise ExistsError(f"{folder}: this folder already exists, and nothing was written. Name another folder")
    words = {
        "ExampleAccessory": f"{_camel_case(name)}Accessory",
        "ExampleConfig": f"{_camel_case(name)}Config",
        "Example": name.replace("_", " ").capitalize(),
        "EXAMPLE": name.upper(),
        "reboard-example": package_name(name),
        "example's": f"{name.replace('_', ' ')}'s",
        "example": name,
        "0.0.0": __version__,
    }
    written = []
    for source, path in _files(resources.files(__package__) / "template", Path()):
        target = folder / str(path).replace("example", name)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub("|".join(words), lambda word: words[word[0]], source.read_text("utf-8"))
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return sorted(written)


def _files(folder: Traversable, path: Path) -> list[tuple[Traversable, Path]]:
    files: list[tuple[Traversable, Path]] = []
    for each in folder.iterdir():
        if each.is_dir() and each.name != "__pycache__":
            files += _files(each, path / each.name)
        elif each.is_file():
            files.append((each, path / each.name))
    return files


def _camel_case(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def package_name(accessory: str) -> str:
    """Return the name of the package of *accessory*, such as ``reboard-turn-timer``."""
    return f"reboard-{accessory.replace('_', '-')}"


def accessory_name(word: str) -> str:
    """Return *word* if it can be the name of an accessory. Raises ``ArgumentTypeError``, with a name that can."""
    if not re.fullmatch(rf"[a-z][a-z0-9_]{{0,{LONGEST_NAME - 1}}}", word):
        better = re.sub(r"[^a-z0-9]+", "_", word.lower()).strip("_0123456789")[:LONGEST_NAME]
        hint = f": try {better}" if better else ""
        allowed = f"1 to {LONGEST_NAME} of a-z, 0-9 and _, the first a letter"
        raise argparse.ArgumentTypeError(f"{word!r} is not a name for an accessory, which has {allowed}{hint}")
    if iskeyword(word) or word in {*OTHER_SECTIONS, *snapshot_keys()}:
        raise argparse.ArgumentTypeError(f"{word!r} means something else already: choose another name")
    if word in accessories():
        raise argparse.ArgumentTypeError(f"there is an accessory {word!r} already: choose another name")
    return word


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard new-accessory``."""
    text = "the name of the accessory and of its section in table.toml, such as scoring_buzzer"
    parser.add_argument("name", metavar="NAME", type=accessory_name, help=text)
    text = "the folder for the package (default: reboard-NAME)"
    parser.add_argument("folder", metavar="DIR", type=named_path, nargs="?", help=text)


def main(args: Namespace) -> None:
    """Write the package, and print the next steps."""
    folder: Path = args.folder or Path(package_name(args.name))
    for file in new_accessory(args.name, folder):
        print(file)
    print(f"\nNext: cd {folder} && pip install -e '.[test]' && pytest")
