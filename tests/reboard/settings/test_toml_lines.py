from __future__ import annotations

import tomllib
from textwrap import dedent
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.settings.toml_lines import KeyPath, Place, places

T = TypeVar("T")


def lines_of(place: Place, path: KeyPath = ()) -> dict[KeyPath, int]:
    found = {path: place.line}
    for key, inner in place.inside.items():
        found |= lines_of(inner, (*path, key))
    return found


def paths_of(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    found = {path}
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        found |= paths_of(entry, (*path, key))
    return found


def found_in(text: str) -> dict[KeyPath, int]:
    """The lines of everything in *text*, which must be exactly the things that tomllib finds there."""
    lines = lines_of(places(text))
    assert lines.keys() == paths_of(tomllib.loads(text))
    return lines


def test_a_key_stands_on_its_line() -> None:
    lines = found_in("# a comment\n\na = 1\n[b] # and one here = 5\n\nc = 2")
    assert lines == {(): 1, ("a",): 3, ("b",): 4, ("b", "c"): 6}


def test_a_dotted_key_brings_its_tables_with_it() -> None:
    lines = found_in("a.b.c = 1\na.d = 2\n[x.y]\nz.w = 3\n[x]\nv = 4\n")
    assert lines[("a",)] == lines[("a", "b")] == lines[("a", "b", "c")] == 1
    assert lines[("a", "d")] == 2
    assert lines[("x", "y")] == 3
    assert lines[("x", "y", "z", "w")] == 4
    assert lines[("x",)] == 5, "its own header is more to the point than the first one that names it"


def test_quoted_keys_are_the_same_as_bare_ones() -> None:
    lines = found_in('"a" = 1\n[ "b.c" . \'d"e\' ]\n"\\u0066=#" = 2\n')
    assert lines[("a",)] == 1
    assert lines[("b.c", 'd"e')] == 2
    assert lines[("b.c", 'd"e', "f=#")] == 3


def test_what_looks_like_toml_inside_a_string_is_none() -> None:
    lines = found_in(
        dedent(
            '''\
            a = """
            [no]
            b = 1 \\""" still
            ""\\
            """""
            c = \'\'\'
            [[no]]
            d = "
            # """
            ''\'\'\'
            e = "# [no] \\" = "
            f = '[no'
            g = "last"
            '''
        )
    )
    assert lines == {(): 1, ("a",): 1, ("c",): 6, ("e",): 11, ("f",): 12, ("g",): 13}


def test_entries_of_arrays_have_lines_of_their_own() -> None:
    lines = found_in("a = [1, [2,\n 3], # two ] here\n\n  4,\n]\nb = 5\n")
    assert [lines["a", n] for n in range(3)] == [1, 1, 4]
    assert [lines["a", 1, n] for n in range(2)] == [1, 2]
    assert lines[("b",)] == 6


def test_keys_of_inline_tables_are_found() -> None:
    lines = found_in('a = [\n{ b = 1, "c.d".e = { f = [\n2] } },\n{}]\ng = 3')
    assert lines["a", 0] == lines["a", 0, "b"] == lines["a", 0, "c.d", "e", "f"] == 2
    assert lines["a", 0, "c.d", "e", "f", 0] == 3
    assert (lines["a", 1], lines[("g",)]) == (4, 5)


def test_arrays_of_tables_are_counted() -> None:
    lines = found_in("[[a]]\nb = 1\n[a.c]\nd = 2\n[[a]]\nb = 3\n[[a.e]]\n[[a.e]]\nf = 4\n")
    assert (lines["a", 0], lines["a", 0, "b"], lines["a", 0, "c", "d"]) == (1, 2, 4)
    assert (lines["a", 1], lines["a", 1, "b"], lines["a", 1, "e", 1, "f"]) == (5, 6, 9)


def test_values_of_several_words_are_passed_over() -> None:
    lines = found_in("a = 1979-05-27 07:32:00.5\nb = -1.5e3\n3.14 = true\nc = [1.5, inf]\n")
    assert (lines[("b",)], lines[("3", "14")], lines[("c", 1)]) == (2, 3, 4)


def test_windows_lines_are_counted_once() -> None:
    assert found_in("a = 1\r\n\r\nb = [\r\n2]\r\n") == {(): 1, ("a",): 1, ("b",): 3, ("b", 0): 4}


@pytest.mark.parametrize(
    ("path", "line"),
    [(("a", "b"), 2), (("a", "c"), 1), (("a", "b", "d"), 2), (("a", 0), 1), (("e",), 1), ((), 1)],
)
def test_what_is_not_there_is_where_its_surroundings_are(path: KeyPath, line: int) -> None:
    assert places("[a]\nb = 1\n").line_of(path) == line


@pytest.mark.parametrize("odd", ['x = "open', "x = [1, }", "= 5", "[", '"\\q" = 1', "x = " + "[" * 50_000, "]]]"])
def test_after_an_oddity_what_came_before_is_still_known(odd: str) -> None:
    assert places(f"a = 1\nb = 2\n{odd}").line_of(("b",)) == 2


@given(st.text(alphabet="ab.[]{}=,\"'\\#\n\r 1", max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    places(text)


COMMENTS = ("", "", " # c", " # ] } = '''", ' # "')
LINE_ENDS = ("\n", "\n\n", "\n# alone\n", "\r\n")
BEFORE_ENTRIES = ("", " ", "\n  ", ' # ] , "\n')
SCALARS = (
    *("1", "-2.5e3", "true", "1979-05-27 07:32:00", "'y'", r'"x # ] \" = "'),
    *('"""x""""', "'''x''''", '"""\n\\""""""', "'''\n[z]\nk = 1\n'''", '"""""\n"""""'),
)


class Writer:
    """Writes random TOML. Every key has a number of its own, so that nothing is ever defined twice."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.text = ""
        self.lines: dict[KeyPath, int] = {(): 1}
        self.entries: dict[KeyPath, int] = {}
        """How many tables each array of tables has."""
        self._draw = draw
        self._keys = 0

    def document(self) -> None:
        tables: list[KeyPath] = [()]
        for _ in range(self._draw(st.integers(0, 6))):
            if self._pick(True, False, False):
                tables.append(self._header(self._pick(*filter(self._can_be_reached, tables))))
            else:
                self._pair(tables[-1], 3)
            self.text += self._pick(*COMMENTS) + self._pick(*LINE_ENDS)

    def _can_be_reached(self, table: KeyPath) -> bool:
        """A header reaches into the last table of an array only."""
        return all(key == self.entries[table[:n]] - 1 for n, key in enumerate(table) if isinstance(key, int))

    def _pick(self, *choices: T) -> T:
        return self._draw(st.sampled_from(choices))

    def _stands_here(self, path: KeyPath) -> None:
        self.lines[path] = self.text.count("\n") + 1

    def _key(self) -> tuple[str, str]:
        """A new key, and how it is written."""
        self._keys += 1
        name, odd = f"k{self._keys}", f"k{self._keys}.=#"
        return self._pick((name, name), (name, f'"{name}"'), (name, f'"\\u006b{self._keys}"'), (odd, f"'{odd}'"))

    def _header(self, around: KeyPath) -> KeyPath:
        known = [path for path in self.entries if path[:-1] == around]
        name, _ = self._key()
        path = self._pick((*around, name), *known)
        if path not in known:
            self._stands_here(path)
        spelled = self._pick(".", " . ").join(f'"{key}"' for key in path if isinstance(key, str))
        if path not in known and self._pick(True, False):
            self.text += f"[{spelled}]"
            return path
        count = self.entries.get(path, 0)
        self.entries[path] = count + 1
        entry = (*path, count)
        self._stands_here(entry)
        self.text += f"[[ {spelled} ]]"
        return entry

    def _pair(self, path: KeyPath, depth: int) -> None:
        spelled = []
        for _ in range(self._pick(1, 1, 2, 3)):
            name, spelling = self._key()
            path = (*path, name)
            spelled.append(spelling)
            self._stands_here(path)
        self.text += self._pick(".", " . ").join(spelled) + self._pick("=", " = ")
        self._value(path, depth)

    def _value(self, path: KeyPath, depth: int) -> None:
        kind = self._pick("scalar", "array", "table") if depth else "scalar"
        if kind == "scalar":
            self.text += self._pick(*SCALARS)
            return
        self.text += "[" if kind == "array" else "{"
        for index in range(self._pick(0, 1, 2, 3)):
            self.text += ", " if index else ""
            if kind == "array":
                self.text += self._pick(*BEFORE_ENTRIES)
                self._stands_here((*path, index))
                self._value((*path, index), depth - 1)
            else:
                self._pair(path, depth - 1)
        self.text += "]" if kind == "array" else "}"


@st.composite
def documents(draw: st.DrawFn) -> Writer:
    writer = Writer(draw)
    writer.document()
    return writer


@given(documents())
def test_every_key_of_any_document_is_found_on_its_line(written: Writer) -> None:
    assert found_in(written.text) == written.lines
