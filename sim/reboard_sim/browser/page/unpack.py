"""Unpack the compiled modules and their data, which the worker has put into a file, and add them to the path."""

import marshal
import os
import sys
from pathlib import Path

from compression import zstd  # type: ignore[import-not-found]

PACKED = Path("/python.zst")
SITE = Path("/site")

contents = marshal.loads(zstd.decompress(PACKED.read_bytes()))
PACKED.unlink()
for folder in {name.rpartition("/")[0] for name in contents}:
    (SITE / folder).mkdir(parents=True, exist_ok=True)
for name, content in contents.items():
    # Python's own file objects take twice as long
    file = os.open(f"{SITE}/{name}", os.O_WRONLY | os.O_CREAT)
    os.write(file, content)
    os.close(file)
sys.path.insert(0, str(SITE))
del contents
