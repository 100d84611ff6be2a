"""The rows that lie in one leaf page of an SQLite file, read without the pages above it.

Follows the file format, https://sqlite.org/fileformat2.html. A row that is not whole within its page is left out: those
of the banker's book are far smaller than a page.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

PAGE_BYTES = 4096

Value = int | float | str | bytes | None
Row = tuple[Any, ...]
"""What was read: a `Value` for each column, of the kinds that its table keeps unless it was damaged."""

TABLE_LEAF = 0x0D
HEADER_BYTES = 8
LONGEST_VARINT = 9

NOT_WHOLE = (IndexError, ValueError, struct.error)

INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
FLOAT = 7
CONSTANTS: dict[int, Value] = {0: None, 8: 0, 9: 1}
FIRST_BLOB = 12


def rows_of(page: bytes) -> Iterator[tuple[int, Row]]:
    """Each row of a table's leaf *page* with its rowid, which stands as ``None`` in the column that is named for it."""
    if len(page) < PAGE_BYTES or page[0] != TABLE_LEAF:
        return
    cells = min(int.from_bytes(page[3:5], "big"), (PAGE_BYTES - HEADER_BYTES) // 2)
    for (place,) in struct.iter_unpack(">H", page[HEADER_BYTES : HEADER_BYTES + 2 * cells]):
        try:
            size, place = _varint(page, place)
            rowid, place = _varint(page, place)
            row = tuple(_values(page[place : place + size], size))
        except NOT_WHOLE:
            continue
        yield rowid, row


def _values(record: bytes, size: int) -> Iterator[Value]:
    if len(record) < size:
        raise ValueError("the record does not end within its page")
    header_bytes, place = _varint(record, 0)
    body = header_bytes
    while place < header_bytes:
        kind, place = _varint(record, place)
        value, body = _value(record, kind, body)
        yield value
    if body != size:
        raise ValueError("the record is longer than its values")


def _value(record: bytes, kind: int, begin: int) -> tuple[Value, int]:
    if kind in CONSTANTS:
        return CONSTANTS[kind], begin
    if kind in INTEGER_BYTES:
        end = begin + INTEGER_BYTES[kind]
        return int.from_bytes(record[begin:end], "big", signed=True), end
    if kind == FLOAT:
        return struct.unpack_from(">d", record, begin)[0], begin + 8
    if kind < FIRST_BLOB:
        raise ValueError("no value is of this kind")
    end = begin + (kind - FIRST_BLOB) // 2
    return (record[begin:end].decode(errors="replace") if kind % 2 else record[begin:end]), end


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, seven bits in each, and the place behind it."""
    number = 0
    for length in range(1, LONGEST_VARINT):
        byte = data[place + length - 1]
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, place + length
    return number << 8 | data[place + LONGEST_VARINT - 1], place + LONGEST_VARINT
