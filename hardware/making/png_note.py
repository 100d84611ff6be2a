"""A note inside a PNG file: a ``tEXt`` chunk, as the PNG specification has it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def with_note(png: bytes, keyword: str, text: str) -> bytes:
    """*png* with a note. Both are Latin-1, *keyword* up to 79 characters. Raises ``ValueError`` for what is no PNG."""
    body = keyword.encode("latin-1") + b"\0" + text.encode("latin-1")
    note = _chunk(b"tEXt", body)
    chunks = [_chunk(kind, data) for kind, data in _chunks(png)]
    return SIGNATURE + chunks[0] + note + b"".join(chunks[1:])


def read_note(png: bytes, keyword: str) -> str | None:
    """The note under *keyword*, or ``None``. Raises ``ValueError`` for what is no PNG."""
    for kind, data in _chunks(png):
        name, _, text = data.partition(b"\0")
        if kind == b"tEXt" and name == keyword.encode("latin-1"):
            return text.decode("latin-1")
    return None


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not png.startswith(SIGNATURE):
        raise ValueError("that is no PNG")
    place = len(SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += length + 12


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
