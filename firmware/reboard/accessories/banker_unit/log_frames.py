"""Whether transfers are missing from SQLite's log (WAL) of the ledger: https://www.sqlite.org/fileformat2.html#walformat."""

from __future__ import annotations

from struct import Struct

HEADER = Struct(">8I")
"""The head of a log: its kind, version, page size, count of checkpoints, two salts and two checksums."""

FRAME = Struct(">6I")
"""The head of a frame, before its page: the number of the page, the pages after a commit or 0, salts and checksums."""


SECTOR_BYTES = 4096
"""What SQLite takes a disk to write at once. It repeats the last frame of a transaction up to the end of a sector."""


def lost_commits(log: bytes, valid: int) -> int:
    """Return how many transactions of *log* SQLite drops, because a frame before their ends is damaged.

    *valid* is the number of frames that SQLite reads. A power cut can only damage the last transaction, because each is
    synced before the next one. That transaction does not count: the unit confirms a payment only after the sync.
    """
    if len(log) < HEADER.size:
        return 0
    _, _, page_bytes, _, *salts, _, _ = HEADER.unpack_from(log)
    frame_bytes = FRAME.size + page_bytes
    lost = synced_until = 0
    for place in range(HEADER.size, len(log) - frame_bytes + 1, frame_bytes):
        _, pages, *found, _, _ = FRAME.unpack_from(log, place)
        # a frame with other salts is one of an earlier log, and one before the end of the sector a repetition
        if pages > 0 and found == salts and place >= synced_until:
            synced_until = -(-(place + frame_bytes) // SECTOR_BYTES) * SECTOR_BYTES
            lost += place >= HEADER.size + valid * frame_bytes
    return max(lost - 1, 0)
