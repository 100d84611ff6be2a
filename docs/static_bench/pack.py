"""Compile and pack the modules for the static bench. This runs in Pyodide, whose own Python compiles them.

The modules that Python needs to start and to unpack become ``/boot.zip``. All other files become ``/python.zst``: the
contents by name, because a thousand files of a zip take half a second longer to unpack.
"""

import ast
import marshal
import sys
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc  # type: ignore[attr-defined]

from compression import zstd  # type: ignore[import-not-found]

LEVEL = 19

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

READ_AS_SOURCE = ("anyio/__init__.py", "anyio/abc/__init__.py")
"""The modules that look into their own source."""


def without_docstrings(source: bytes) -> ast.Module:
    """Return the parsed *source* without its docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body[:1] = [] if node.body[1:] else [ast.copy_location(ast.Pass(), node.body[0])]
    return tree


def compiled(name: str, content: bytes) -> tuple[str, bytes]:
    """Return the name and the content of the compiled file, or those of another file as they are."""
    if not name.endswith(".py") or name in READ_AS_SOURCE:
        return name, content
    # reboard's docstrings are part of the program: they describe requests and events
    source = content if name.startswith("reboard") else without_docstrings(content)
    code = compile(source, name, "exec", dont_inherit=True)
    return f"{name}c", bytes(_code_to_hash_pyc(code, bytes(8), False))


def files(archive: str) -> dict[str, bytes]:
    """Return the files in the zip file *archive*, compiled."""
    with zipfile.ZipFile(archive) as packed:
        return dict(compiled(name, packed.read(name)) for name in packed.namelist() if not name.endswith("/"))


library = files("/library.zip")
used = {
    name.partition(".")[0] for name, module in sys.modules.items() if ".zip/" in str(getattr(module, "__file__", ""))
}
boot = {name for name in library if name.partition("/")[0].removesuffix(".pyc") in used}  # a package stays together
with zipfile.ZipFile("/boot.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
    for name in sorted(boot):
        packed.writestr(zipfile.ZipInfo(name), library[name], zipfile.ZIP_DEFLATED)
others = {name: content for name, content in library.items() if name not in boot} | files("/packages.zip")
# alike beside alike
ordered = dict(sorted(others.items(), key=lambda item: (item[0].rpartition(".")[2], item[0])))
with open("/python.zst", "wb") as file:  # noqa: PTH123 - Pyodide's
    file.write(zstd.compress(marshal.dumps(ordered), level=LEVEL))
