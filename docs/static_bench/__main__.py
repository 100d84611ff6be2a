"""``python -m docs.static_bench PACKAGES PYODIDE OUT``: write the static bench into the folder OUT.

PACKAGES is the folder of the installed packages, and PYODIDE that of the npm package. ``make site`` makes both.
"""

import asyncio
import shutil
import sys
from pathlib import Path

from docs.static_bench.licences import FILE, licences
from docs.static_bench.offline import list_files
from docs.static_bench.pages import write_pages
from docs.static_bench.python_files import write_python

packages, pyodide, out = map(Path, sys.argv[1:])
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
asyncio.run(write_pages(out))
write_python(packages, pyodide, out)
list_files(out)
# the browser does not keep it for visits without a network
(out / FILE).write_text(licences(packages, pyodide), "utf-8")
print(f"{sum(file.stat().st_size for file in out.rglob('*') if file.is_file()):,} bytes in {out}")
