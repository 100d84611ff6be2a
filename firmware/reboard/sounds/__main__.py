"""``python -m reboard.sounds [folder]`` composes every sound anew and writes it as a WAV file."""

from __future__ import annotations

import argparse
from pathlib import Path

from reboard.sounds.compositions import COMPOSITIONS, composed
from reboard.sounds.sound_set import OWN_FOLDER
from reboard.sounds.wav_file import write_wav


def main() -> None:
    """Write them all."""
    parser = argparse.ArgumentParser(prog="python -m reboard.sounds", description="Compose every sound anew.")
    parser.add_argument("folder", nargs="?", type=Path, default=OWN_FOLDER, help="where to write (default: in place)")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in COMPOSITIONS:
        write_wav(folder / f"{name}.wav", composed(name))
    print(f"{len(COMPOSITIONS)} sounds written to {folder}")


if __name__ == "__main__":
    main()
