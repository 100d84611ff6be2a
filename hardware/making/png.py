"""Encodes PNG files, and reads and writes text chunks in them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def with_text(png: bytes, keyword: str, text: str) -> bytes:
    """Return *png* with a text chunk in Latin-1. Raises ``ValueError`` if it is not a PNG."""
    body = keyword.encode("latin-1") + b"\0" + text.encode("latin-1")
    chunk = _chunk(b"tEXt", body)
    chunks = [_chunk(kind, data) for kind, data in _chunks(png)]
    return SIGNATURE + chunks[0] + chunk + b"".join(chunks[1:])


def read_text(png: bytes, keyword: str) -> str | None:
    """Return the text of *keyword*, or ``None``. Raises ``ValueError`` if it is not a PNG."""
    for kind, data in _chunks(png):
        name, _, text = data.partition(b"\0")
        if kind == b"tEXt" and name == keyword.encode("latin-1"):
            return text.decode("latin-1")
    return None


def encoded(pixels: bytes, width: int, height: int) -> bytes:
    """Return *pixels* as PNG. They have three bytes each, row by row from the top."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + pixels[row * width * 3 : (row + 1) * width * 3] for row in range(height))
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not png.startswith(SIGNATURE):
        raise ValueError("this is not a PNG")
    place = len(SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += length + 12


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
