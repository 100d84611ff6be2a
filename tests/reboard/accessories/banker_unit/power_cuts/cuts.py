"""The power goes: at every point of a disk's log, in every way."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.reboard.accessories.banker_unit.power_cuts.disk import (
    Change,
    Confirmed,
    Disk,
    Files,
    Rename,
    Sync,
    SyncDirectory,
    Truncate,
    Write,
)

Survivors = Callable[[Sequence[Change], random.Random], Iterable[Change]]
"""Which of the changes that were not synced are on the disk all the same, and what of them."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One power cut: after so many events of the log, of which so many were confirmations, and what it left."""

    after: int
    way: str
    confirmed: int
    left: dict[str, bytes | None]

    def __str__(self) -> str:
        return f"cut after event {self.after} ({self.confirmed} confirmed), {self.way}"


def forgotten(_: Sequence[Change], __: random.Random) -> Iterable[Change]:
    """Nothing that was not synced is there."""
    return ()


def kept(unsynced: Sequence[Change], _: random.Random) -> Iterable[Change]:
    """Everything is there: the process died, but not the machine."""
    return unsynced


def names_only(unsynced: Sequence[Change], _: random.Random) -> Iterable[Change]:
    """File systems that note names and sizes first: new files are there, and empty."""
    return (change for change in unsynced if isinstance(change, Rename))


def bytes_only(unsynced: Sequence[Change], _: random.Random) -> Iterable[Change]:
    """The other way round: what was created, renamed or removed was not."""
    return (change for change in unsynced if not isinstance(change, Rename))


def last_one_torn(unsynced: Sequence[Change], rng: random.Random) -> Iterable[Change]:
    """Everything is there, but of the last write only a beginning."""
    last = max((i for i, change in enumerate(unsynced) if isinstance(change, Write)), default=None)
    for i, change in enumerate(unsynced):
        yield _begun(change, rng) if i == last and isinstance(change, Write) else change


def scattered(sector: int, *, spoils: bool = False) -> Survivors:
    """Each sector of each write for itself, and each name and size, is there or not; a sector may be torn or rubbish.

    Bytes beside those that were written are never touched: SQLite calls that power-safe overwriting. A disk that
    *spoils* is not power-safe: a sector in the making is lost with all in it.
    """

    def survivors(unsynced: Sequence[Change], rng: random.Random) -> Iterator[Change]:
        # some cuts lose little, some nearly all
        luck = rng.random()
        for change in unsynced:
            for piece in _pieces(change, sector):
                if rng.random() < luck:
                    yield piece
                elif isinstance(piece, Write) and rng.random() < 0.5:
                    if spoils:
                        yield Write(piece.file, piece.offset // sector * sector, rng.randbytes(sector))
                    else:
                        yield rng.choice((_begun, _ended, _rubbish))(piece, rng)

    return survivors


def only_one(unsynced: Sequence[Change]) -> Iterator[Sequence[Change]]:
    """For each change: it alone is there; and: it alone is not."""
    for i in range(len(unsynced)):
        yield unsynced[i : i + 1]
        yield [*unsynced[:i], *unsynced[i + 1 :]]


CERTAIN: dict[str, Survivors] = {
    "forgotten": forgotten,
    "kept": kept,
    "names only": names_only,
    "bytes only": bytes_only,
}
"""The ways that leave nothing to chance."""


def by_chance(rounds: int) -> dict[str, Survivors]:
    """So many rounds of the ways that do."""
    ways = {"last one torn": last_one_torn, "sectors of 512": scattered(512), "sectors of 4096": scattered(4096)}
    return {f"{name}, round {n}": way for n in range(rounds) for name, way in ways.items()}


def spoilt(rounds: int, sizes: Sequence[int] = (512, 4096)) -> dict[str, Survivors]:
    """So many rounds of a disk whose overwriting is not power-safe: what the ledger promises to survive, or *sizes*."""
    return {
        f"spoilt sectors of {size}, round {n}": scattered(size, spoils=True) for n in range(rounds) for size in sizes
    }


def cuts(
    disk: Disk, ways: dict[str, Survivors], *, one_by_one: bool = False, one_in: int = 1, seed: int = 1
) -> Iterator[Cut]:
    """Every cut: before the first event, after each one, in each of *ways*; *one_by_one* adds `only_one`.

    *one_in*: only one in so many of them, drawn by *seed*, which also draws what the ways leave to chance.
    """
    sure = disk.before.copy()
    unsynced: list[Change] = []
    confirmed = 0
    draw = random.Random(seed)
    for after, event in enumerate([None, *disk.log]):
        match event:
            case Confirmed():
                confirmed += 1
            case Sync() | SyncDirectory():
                for change in unsynced:
                    if _is_synced(change, event):
                        sure.change(change)
                unsynced = [change for change in unsynced if not _is_synced(change, event)]
            case Write() | Truncate() | Rename():
                unsynced.append(event)
        chosen = {way: survivors(unsynced, random.Random(f"{seed} {after} {way}")) for way, survivors in ways.items()}
        if one_by_one:
            chosen |= {f"one by one {number}": changes for number, changes in enumerate(only_one(unsynced))}
        for way, changes in chosen.items():
            if not draw.randrange(one_in):
                yield Cut(after, way, confirmed, _left(sure, list(changes)))


def _is_synced(change: Change, by: Sync | SyncDirectory) -> bool:
    if isinstance(change, Rename):
        return isinstance(by, SyncDirectory) and by.directory == change.directory
    return isinstance(by, Sync) and by.file is change.file


def _left(sure: Files, changes: Sequence[Change]) -> dict[str, bytes | None]:
    files = sure.copy(only={change.file for change in changes if not isinstance(change, Rename)})
    for change in changes:
        files.change(change)
    return files.listing()


def _pieces(change: Change, sector: int) -> Iterator[Change]:
    if not isinstance(change, Write):
        yield change
        return
    begin, end = change.offset, change.offset + len(change.data)
    while begin < end:
        until = min(end, (begin // sector + 1) * sector)
        yield Write(change.file, begin, change.data[begin - change.offset : until - change.offset])
        begin = until


def _begun(write: Write, rng: random.Random) -> Write:
    return Write(write.file, write.offset, write.data[: rng.randrange(len(write.data))])


def _ended(write: Write, rng: random.Random) -> Write:
    start = rng.randrange(len(write.data))
    return Write(write.file, write.offset + start, write.data[start:])


def _rubbish(write: Write, rng: random.Random) -> Write:
    return Write(write.file, write.offset, rng.randbytes(len(write.data)))
