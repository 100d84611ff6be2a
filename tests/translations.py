"""Collect the texts of reboard, and bring every catalogue in ``firmware/reboard/languages`` up to date with them.

With ``--check``, change nothing, and fail if a catalogue lacks a text, has one that is gone, or does not fit.
"""

from __future__ import annotations

import ast
import json
import re
import string
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from reboard.accessories.accessory import Accessory
from reboard.accessories.banker_unit.accounts import Account
from reboard.accessories.entity import entities_of_state
from reboard.accessories.installed import accessories
from reboard.accessories.table_vocabulary import REQUESTS, Table, TableWhy
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.editions.edition import edition_texts, editions_in_the_box
from reboard.languages import DISPLAY, DISPLAY_COLUMNS, FAULT, FOLDER
from reboard.languages.html_texts import texts as html_texts
from reboard_sim.accessories.installed import faults
from reboard_sim.bench.bench_acts import NONE

ROOT = Path(__file__).parents[1]
FOLDERS = ("firmware/reboard", "sim/reboard_sim", "docs/site")
Found = tuple[str, str | tuple[str, str], str]
"""The file, the English text (or both of its forms) and the context."""


def found() -> Iterator[Found]:
    """Yield every text of the code."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.*")):
            name = str(file.relative_to(ROOT))
            match file.suffix:
                case ".js":
                    yield from ((name, text, context) for text, context in _in_javascript(file.read_text("utf-8")))
                case ".html" | ".svg" if "template" not in name:
                    yield from ((name, text, "") for text in html_texts(file.read_text("utf-8")))
                case ".py" if "reboard.languages" in (code := file.read_text("utf-8")):
                    yield from ((name, text, context) for text, context in _in_python(ast.parse(code)))
    yield "firmware/reboard/languages/__init__.py", "English", "name of this language"
    for fault in faults().values():
        yield "sim/reboard_sim", fault.meaning, ""
        if "." not in fault.part:
            yield "sim/reboard_sim", fault.part, ""
    for kind in READER_KINDS.values():
        if not is_name(kind.title):
            yield "firmware/reboard/devices/readers", kind.title, ""
    yield "sim/reboard_sim", NONE, ""
    for text in sorted(edition_texts()):
        yield "firmware/reboard/editions", text, ""
    for edition in editions_in_the_box():
        yield "firmware/reboard/editions", edition.short_title.upper(), DISPLAY
    for account in Account:
        yield "firmware/reboard/accessories", account.name, DISPLAY
        yield "firmware/reboard/accessories", account.name.capitalize(), ""
        yield from (("firmware/reboard/accessories", account.label, context) for context in ("payer", "receiver"))
    yield from (("firmware/reboard/accessories", each.name, "") for each in entities_of_state(Table, "en"))
    yield from (("firmware/reboard/accessories", each.label, "") for each in REQUESTS.values() if each.changes)
    for why in TableWhy.members:
        yield "firmware/reboard/accessories", why.sentence, ""
    for accessory in accessories().values():
        if type(accessory).__module__.startswith("reboard."):
            for title in (accessory.title, *(device.title for device in accessory.fitted)):
                yield "firmware/reboard/accessories", title.upper(), DISPLAY  # the part that has a fault
            rejections, labels = accessory.vocabulary.rejections, accessory.vocabulary.labels.values()
            yield from (("firmware/reboard/accessories", why.display, DISPLAY) for why in rejections if why.display)
            texts = [
                *(entity.name for entity in Accessory.entities(accessory, {}, "en")),
                *(why.sentence for why in rejections),
                *(label for each in labels for label in each.values() if label),
                *(outcome.label for outcome in accessory.vocabulary.outcomes),
                *(
                    each.label
                    for each in accessory.vocabulary.requests.values()
                    if each.changes and not each.is_internal
                ),
                *(entity.name for entity in Accessory.entities(accessory, {}, "en")),
                *(text for device in accessory.fitted for text in (device.title, device.gesture) if text),
            ]
            yield from (("firmware/reboard/accessories", text, "") for text in texts)


def is_name(title: str) -> bool:
    """Return whether the *title* of a device is a product's name, which no language changes: it has no small word."""
    return not any(word.islower() for word in title.split())


def _in_python(tree: ast.AST) -> Iterator[tuple[str | tuple[str, str], str]]:
    """Yield the texts of ``say("…")``, ``say.plural("…", "…", number)``, ``translatable("…")`` and display texts."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="translatable"), args=[text]):
                yield _with_names(text), FAULT
            case ast.Call(func=ast.Name(id="say"), args=[ast.Constant(value=str(text)), *_]):
                yield text, ""
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="say"), attr="plural"),
                args=[ast.Constant(value=str(one)), ast.Constant(value=str(many)), *_],
            ):
                yield (one, many), ""
            case ast.ClassDef(name="Text", body=body):
                for member in body:
                    match member:
                        case ast.Assign(value=ast.Constant(value=str(text))):
                            yield text, DISPLAY


def _with_names(text: ast.expr) -> str:
    """Return a literal with a name in braces for each value: ``the button on GPIO{pin}``."""
    pieces, names = [], Counter[str]()
    for piece in text.values if isinstance(text, ast.JoinedStr) else [text]:
        match piece:
            case ast.Constant(value=str(words)):
                pieces.append(words.replace("{}", "{chip}"))
            case ast.FormattedValue(value=ast.Name(id=name) | ast.Attribute(attr=name)):
                names[name := name.strip("_").lower()] += 1
                pieces.append(f"{{{name}{names[name] if names[name] > 1 else ''}}}")
            case _:
                names["value"] += 1
                pieces.append(f"{{value{names['value']}}}")
    return "".join(pieces)


def _in_javascript(code: str) -> Iterator[tuple[str | tuple[str, str], str]]:
    """Yield the texts of ``text("…")``, ``textOf("context", "…")`` and ``plural("…", "…", number)`` in a script.

    Babel's extractor loses calls in the arguments of others, and calls with a template literal.
    """
    for call in CALL.finditer(COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else "", code)):
        literals = [json.loads(each) for each in LITERAL.findall(call["literals"])]
        match call["function"]:
            case "plural":
                yield (literals[0], literals[1]), ""
            case "textOf":
                yield literals[1], literals[0]
            case _:
                yield literals[0], ""


LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
CALL = re.compile(
    rf"(?<![\w.])(?P<function>text|textOf|plural)\(\s*(?P<literals>{LITERAL.pattern}(?:,\s*{LITERAL.pattern})*)"
)
COMMENT = re.compile(rf"{LITERAL.pattern}|//[^\n]*|/\*.*?\*/", re.S)


def template() -> Catalog:
    """Return the catalogue without translations."""
    catalog = Catalog(charset="utf-8")
    for file, english, context in found():
        message = catalog.add(english, context=context or None, locations=[(file, 0)])
        if context == DISPLAY:
            message.flags.add(f"max-length:{DISPLAY_COLUMNS}")
    return catalog


def texts_of(catalog: Catalog) -> dict[tuple[str | None, str], Message]:
    """Return the messages of a catalogue, keyed by context and English text."""
    return {(each.context, each.id if isinstance(each.id, str) else each.id[0]): each for each in catalog if each.id}


def problems(message: Message) -> Iterator[str]:
    """Yield what is wrong with a translation."""
    english, texts = forms(message.id), forms(message.string)
    if not all(texts) or message.fuzzy:
        yield "is not translated"
        return
    for text in texts:
        # a singular may leave out its number
        if not {*_values(english[0])} <= {*_values(text)} <= {*_values(english[-1])}:
            yield f"does not have the same {{values}}: {text}"
        if re.findall(r"</?\w+", text) != re.findall(r"</?\w+", english[-1]):
            yield f"does not have the same elements: {text}"
        if (text[:1].isspace(), text[-1:].isspace()) != (english[0][:1].isspace(), english[0][-1:].isspace()):
            yield f"does not have the same spaces: {text!r}"


def forms(text: object) -> tuple[str, ...]:
    return tuple(map(str, text)) if isinstance(text, (tuple, list)) else (str(text or ""),)


def _values(text: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(text) if name]


def read(file: Path) -> Catalog:
    """Return the catalogue in *file*."""
    with file.open("rb") as opened:
        return read_po(opened, locale=file.stem)


def wrong(file: Path, made: Catalog) -> list[str]:
    """Return what is wrong with the catalogue in *file*, compared with one that is *made* from the code."""
    known, wanted = texts_of(read(file)), texts_of(made)
    return [
        *(f"{file.name} lacks {key}: run make translations" for key in wanted.keys() - known.keys()),
        *(f"{file.name} has {key}, which is in no code: run make translations" for key in known.keys() - wanted.keys()),
        *(f"{file.name}: {key} {what}" for key, message in known.items() for what in problems(message)),
    ]


def update(file: Path, made: Catalog) -> None:
    """Write the texts of the catalogue *made* into *file*, which keeps its translations."""
    catalog, known = (found := read(file)), texts_of(found)
    fresh = Catalog(file.stem, charset="utf-8", fuzzy=False, header_comment=catalog.header_comment)
    for key, message in texts_of(made).items():
        old = known.get(key)
        fresh.add(
            message.id,
            old.string if old else "",
            locations=message.locations,
            flags=message.flags,
            context=message.context,
        )
    with file.open("wb") as opened:
        write_po(opened, fresh, width=120, omit_header=True, include_lineno=False)
    head = f"{catalog.header_comment}\n" + HEADER.format(code=file.stem, plural=catalog.plural_forms)
    file.write_text(f"{head}\n{file.read_text('utf-8').rstrip()}\n", "utf-8")


HEADER = """msgid ""
msgstr ""
"Language: {code}\\n"
"Plural-Forms: {plural}\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"""


def main() -> int:
    """Update or check the catalogues."""
    made, lines = template(), []
    for file in sorted(FOLDER.glob("*.po")):
        if "--check" not in sys.argv:
            update(file, made)
        lines += wrong(file, made)
    print(*(json.dumps(line, ensure_ascii=False) for line in lines), sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
