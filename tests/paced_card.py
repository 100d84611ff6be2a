"""Builds the paced card (`paced_card.c`) and points ALSA at it, for this process and its children only."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path

SOURCE = Path(__file__).with_name("paced_card.c")
SYSTEM_CONFIG = Path("/usr/share/alsa/alsa.conf")


class CannotBuildError(RuntimeError):
    """What is missing to build the card on this machine, in a sentence."""


@dataclass(frozen=True)
class Heard:
    """One sound as the card saw it, in seconds of ``time.monotonic()``."""

    handed: float
    heard: float


class PacedCard:
    """The card as ALSA's default device, for as long as the ``with`` block lasts. Its files are kept in *folder*.

    It takes no period of fewer than *period_frames* samples, and so no small buffer if that is large.
    """

    def __init__(self, folder: Path, *, period_frames: int = 64) -> None:
        self.config = folder / "asound.conf"
        self._record = folder / "record.raw"
        self._log = folder / "log.txt"
        self._gone = folder / "gone"
        self._hangs = folder / "hangs"
        library = built(cache_folder())
        files = f'record "{self._record}" log "{self._log}" gone "{self._gone}" hangs "{self._hangs}"'
        device = f"type paced {files} period {period_frames}"
        self.config.write_text(
            f"<{SYSTEM_CONFIG}>\n"
            f'pcm_type.paced {{ lib "{library}" }}\n'
            f"pcm.paced {{ {device} }}\n"
            f"pcm.!default {{ type plug slave.pcm {{ {device} }} }}\n"
            'ctl.!default { type hw card "none" }\n',
            "utf-8",
        )

    def __enter__(self) -> PacedCard:
        self._before = os.environ.get("ALSA_CONFIG_PATH")
        os.environ["ALSA_CONFIG_PATH"] = str(self.config)
        return self

    def __exit__(self, *_: object) -> None:
        self.answer()
        if self._before is None:
            del os.environ["ALSA_CONFIG_PATH"]
        else:
            os.environ["ALSA_CONFIG_PATH"] = self._before

    def pull_out(self) -> None:
        """Take the card away: whoever has it open is told so, and it cannot be opened."""
        self._gone.touch()

    def put_back(self) -> None:
        """The card can be opened again."""
        self._gone.unlink()

    def hang(self) -> None:
        """The card does not answer: a program that opens it waits until `answer`."""
        self._hangs.touch()

    def answer(self) -> None:
        """The card answers again."""
        self._hangs.unlink(missing_ok=True)

    @property
    def samples(self) -> bytes:
        """What was played, complete once the player has closed the card: s16le, as many channels as were asked for."""
        return self._record.read_bytes() if self._record.exists() else b""

    @property
    def sounds(self) -> list[Heard]:
        """Every sound after a silence of at least 0.03 s."""
        lines = self._log.read_text("utf-8").splitlines() if self._log.exists() else []
        times = [line.split()[1:] for line in lines if line.startswith("sound ")]
        return [Heard(int(handed) / 1e9, int(heard) / 1e9) for handed, heard in times]

    def sounds_after(self, calls: Sequence[float]) -> list[Heard]:
        """The sound that came of each of *calls* (``time.monotonic()``): the first between it and the next.

        One that made none was heard never: at infinity.
        """
        sounds = self.sounds
        return [
            next((sound for sound in sounds if call <= sound.handed < until), Heard(inf, inf))
            for call, until in pairwise([*calls, inf])
        ]

    def forget(self) -> None:
        """Empty the log and the record; the card must not be open."""
        with contextlib.suppress(FileNotFoundError):
            self._log.unlink()
            self._record.unlink()


def can_measure() -> bool:
    """Whether the card can be had here; if not, says what is missing."""
    try:
        built(cache_folder())
    except CannotBuildError as missing:
        print(f"The sound is not measured: {missing}.")
        return False
    return True


def cache_folder() -> Path:
    """Where the built card is kept from one run to the next."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "reboard"


def built(folder: Path) -> Path:
    """The card as a shared library, compiled once for each version of its source."""
    if not sys.platform.startswith("linux"):
        raise CannotBuildError("the paced card is an ALSA plug-in, and ALSA is Linux only")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise CannotBuildError("no C compiler: install gcc")
    if not Path("/usr/include/alsa/asoundlib.h").exists() or not SYSTEM_CONFIG.exists():
        raise CannotBuildError("ALSA's headers are missing: install libasound2-dev")
    source = SOURCE.read_bytes()
    library = folder / f"libpaced_card-{hashlib.sha256(source).hexdigest()[:12]}.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        half_done = library.with_suffix(f".{os.getpid()}")
        command = [compiler, "-shared", "-fPIC", "-O2", "-Wall", "-DPIC", "-o", str(half_done), str(SOURCE), "-lasound"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            why = next((line for line in done.stderr.splitlines() if "error" in line), f"{compiler} failed")
            raise CannotBuildError(f"the paced card does not compile: {why}")
        half_done.rename(library)
    return library
