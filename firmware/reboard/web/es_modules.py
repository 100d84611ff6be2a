"""The conversion of ES modules to functions, so that one script can contain many modules.

The line breaks stay, and a comment above each function names the module. `shared/bundled.js` runs the functions.
"""

from __future__ import annotations

import json
import posixpath
import re

from reboard.errors import ReboardError

IMPORT = re.compile(
    r"""^[ \t]*import\b(?!\s*[(.])(?:(?P<names>[^"'();]*?)\bfrom\b)?\s*(["'])(?P<path>[^"'\n]+)\2;?""", re.M
)
EXPORT = re.compile(
    r"""^[ \t]*export\s+(?:
        (?P<is_default>default\s+)?(?P<made>(?:async\s+)?(?:function\b\s*\*?|class\b)\s*(?P<name>(?!extends\b)[\w$]+))
        | const\s+(?P<constant>[\w$]+)
        | (?P<default>default\b)
        )
      | ^[ \t]*export\s*\{(?P<list>[^}]*)\}(?!\s*from);?""",
    re.M | re.X,
)
UNKNOWN = re.compile(r"^[ \t]*(?:export\b|import\b(?!\s*[(.]))|\bimport\.meta\b", re.M)
LAZY = re.compile(r"""\bimport\(\s*(["'])(?P<path>[^"'\n]+)\1\s*\)""")


class BundleError(ReboardError):
    """The error raised if a file of a page cannot be read, or if a module has an unsupported import or export."""


def as_function(path: str, text: str, *, is_async: bool = False) -> tuple[str, list[str]]:
    """Return the code that defines the module with this URL *path* and *text*, and the modules that it imports.

    With *is_async*, the module can contain a top-level ``await``, and the browser can draw between two of its imports.
    Raises `BundleError` if *text* has an unsupported import or export.
    """
    exports: dict[str, str] = {}
    imports = [_joined(path, lazy["path"]) for lazy in LAZY.finditer(text)]

    def load(found: re.Match[str]) -> str:
        imports.append(_joined(path, found["path"]))
        call = f"bundled.load({json.dumps(imports[-1])});{' await bundled.breathe();' * is_async}"
        return call if found["names"] is None else f"const {_pattern(found['names'])} = {call}"

    def define(found: re.Match[str]) -> str:
        if found["list"] is not None:
            for item in filter(str.strip, found["list"].split(",")):
                local, _, name = (word.strip() for word in item.partition(" as "))
                exports[name or local] = local
            return "\n" * found[0].count("\n")
        if found["constant"]:
            exports[found["constant"]] = found["constant"]
            return f"const {found['constant']}"
        if found["default"]:
            exports["default"] = "$default"
            return "const $default ="
        exports["default" if found["is_default"] else found["name"]] = found["name"]
        return found["made"]

    code = EXPORT.sub(define, IMPORT.sub(load, text))
    if unknown := UNKNOWN.search(code):
        line = code.count("\n", 0, unknown.end()) + 1
        raise BundleError(
            f"{path}, line {line}: this import or export is not supported. Write import {{…}} from, "
            "export function, export class, export const NAME, export default or export {…} on lines of their own, "
            "and begin no other line with these words, in a comment or text either"
        )
    code = re.sub(r"\bimport\(", f"bundled.import({json.dumps(path)}, ", code)
    names = ", ".join(f"{name}: () => {local}" for name, local in exports.items())
    head = f'{"async " if is_async else ""}($module) => {{ "use strict"; bundled.export($module, {{ {names} }}); '
    # a last line may be a comment; a browser parses a function that is not in parentheses again when it runs
    return f"// {path}\nbundled.add({json.dumps(path)}, ({head}{code}\n}}));\n\n", imports


def _joined(module: str, path: str) -> str:
    """Return the URL of a *path* that a module imports."""
    if not path.startswith(("/", "./", "../")):
        raise BundleError(f"{module} imports {path!r}: write a path that begins with ./ or /static/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), path))


def _pattern(names: str) -> str:
    """Return the left side of an assignment for the names of an import. The line breaks stay."""
    default, brace, named = names.strip().partition("{")
    if default.startswith("*"):
        return default.removeprefix("*").strip().removeprefix("as").strip()
    default = default.strip().rstrip(",").strip()
    named = re.sub(r"\bas\b", ":", named) if brace else "}"
    return f"{{ default: {default}, {named}" if default else f"{{{named}"
