"""Whether transfers are missing from SQLite's log (WAL) of the ledger: https://www.sqlite.org/fileformat2.html#walformat."""

from __future__ import annotations

from struct import Struct

HEADER = Struct(">8I")
"""The head of a log: its kind, version, page size, count of checkpoints, two salts and two checksums."""

FRAME = Struct(">6I")
"""The head of a frame, before its page: the number of the page, the pages after a commit or 0, salts and checksums."""


def lost_commits(log: bytes, valid: int) -> int:
    """Return how many transactions of *log* SQLite drops, because a frame before their ends is damaged.

    *valid* is the number of frames that SQLite reads. A power cut can only damage the last transaction, because each is
    synced before the next one. That transaction does not count: the unit confirms a payment only after the sync.
    """
    if len(log) < HEADER.size:
        return 0
    _, _, page_bytes, _, *salts, _, _ = HEADER.unpack_from(log)
    frame_bytes = FRAME.size + page_bytes
    places = range(HEADER.size + valid * frame_bytes, len(log) - frame_bytes + 1, frame_bytes)
    frames = [FRAME.unpack_from(log, place) for place in places]
    # a frame with other salts is one of an earlier log
    commits = [pages > 0 for _, pages, *found, _, _ in frames if found == salts]
    return sum(commits[:-1])
