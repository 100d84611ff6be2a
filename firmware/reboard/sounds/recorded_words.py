"""The user's recordings of words, which replace those of the spoken sentences."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from reboard.board import RATE_HZ, SAMPLE_BYTES
from reboard.sounds.wav_file import read_wav

log = logging.getLogger(__name__)

FOLDER = "voice"
"""The name of the folder with the recordings, in the folder of the user's sounds."""

MOST_FILES = 1000
MOST_WORDS = 5
"""The maximum number of words in one recording."""

LONGEST_WORD_S = 3.0
"""The maximum length of a recording, in seconds."""

GAP = bytes(int(0.06 * RATE_HZ) * SAMPLE_BYTES)
"""The silence after a recording."""

_WORD = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+(?:['’-][^\W\d_]+)*")


def words_of(text: str) -> list[str]:
    """Return the words of *text* as they are in the names of recordings, such as ``card``, ``2`` and ``1650``."""
    return _WORD.findall(text.lower())


class RecordedWords:
    """The recordings in the folder `FOLDER` in *folder*, keyed by their words: ``card 2.wav`` has ``card 2``."""

    def __init__(self, folder: Path | None) -> None:
        self._samples: Mapping[str, bytes] = {}
        place = folder / FOLDER if folder else None
        if place and place.is_dir():
            self._samples = dict(_read(place))

    def pieces(self, text: str) -> Iterator[str | bytes]:
        """Yield the pieces of *text* in their order: samples of recordings, and the text between them.

        A longer recording comes first. A number without a recording is put together: 1650 from 1000, 600 and 50.
        """
        found = [(match.start(), match.end()) for match in _WORD.finditer(text)] if self._samples else []
        begin, at = 0, 0
        while at < len(found):
            count, recorded = self._longest(text, found[at : at + MOST_WORDS])
            if recorded:
                if between := _spoken(text[begin : found[at][0]]):
                    yield between
                yield from recorded
                begin = found[at + count - 1][1]
            at += max(1, count)
        if rest := _spoken(text[begin:]):
            yield rest

    def _longest(self, text: str, places: list[tuple[int, int]]) -> tuple[int, list[bytes]]:
        words = [text[begin:end].lower() for begin, end in places]
        for count in range(len(words), 0, -1):
            if samples := self._samples.get(" ".join(words[:count])):
                return count, [samples]
        return 1, self._number(words[0])

    def _number(self, word: str) -> list[bytes]:
        """Return the recordings whose numbers add up to *word*, or nothing if one is missing."""
        if not word.isdecimal():
            return []
        number = int(word)
        places = [number // 1000 * 1000, number % 1000 // 100 * 100, number % 100]
        samples = [self._samples.get(str(place)) for place in places if place]
        return [] if None in samples else [each for each in samples if each]


def _spoken(between: str) -> str:
    """Return the text between two recordings, or ``""`` if it has no word."""
    return between if _WORD.search(between) else ""


def _read(folder: Path) -> Iterator[tuple[str, bytes]]:
    try:
        files = sorted(folder.glob("*.[wW][aA][vV]"))
    except OSError as error:
        log.warning("%s cannot be read (%s), so all words are spoken by the computer", folder, error.strerror)
        return
    for path in files[:MOST_FILES]:
        try:
            yield " ".join(words_of(path.stem)), read_wav(path, LONGEST_WORD_S)[0] + GAP
        except (OSError, ValueError) as error:
            log.warning("%s cannot be used: %s. The computer speaks instead", path, error)
