"""An answer that is a file to be kept."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import BinaryIO

from anyio import to_thread
from starlette.responses import Response, StreamingResponse

CHUNK_BYTES = 1 << 16


async def attachment(name: str, media_type: str, write: Callable[[BinaryIO], None]) -> Response:
    """What *write* writes, in a thread of its own, for a browser to save under *name*."""
    file = await to_thread.run_sync(_written, write)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_chunks(file), media_type=media_type, headers=headers)


def _written(write: Callable[[BinaryIO], None]) -> BinaryIO:
    with ExitStack() as given_back:
        file = given_back.enter_context(tempfile.TemporaryFile())
        write(file)
        file.seek(0)
        given_back.pop_all()
        return file


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
