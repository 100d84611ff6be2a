"""Whoever writes down a measure that cannot be is told which, where, and what is wanted."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.making.__main__ import main
from hardware.making.housings import measures as making
from hardware.making.housings.measures import ANY, FILE, FORMS, PLACES, MeasureError, measures, read

TEXT = FILE.read_text(encoding="utf-8")
SAID = tomllib.loads(TEXT)


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A copy of the measures, which the making reads instead."""
    file = tmp_path / "housings.toml"
    file.write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(making, "FILE", file)
    making._file.cache_clear()
    yield file
    making._file.cache_clear()


def test_the_measures_that_are_kept_are_measures() -> None:
    assert read(TEXT) == SAID


@pytest.mark.parametrize(
    ("line", "instead", "told"),
    [
        (
            "wall = 2.4 ",
            'wall = "2.4" ',
            "`wall` below [shell] in housings.toml has to be a number, such as 12.5, not '2.4'",
        ),
        ("wall = 2.4 ", "wall = true ", "`wall` below [shell] in housings.toml has to be a number"),
        ("wall = 2.4 ", "wall = nan ", "`wall` below [shell] in housings.toml has to be a number"),
        ("wall = 2.4 ", "wall = -2.4 ", "`wall` below [shell] in housings.toml is a size: it cannot be -2.4, below 0"),
        (
            "wall = 2.4 ",
            "wall = 0 ",
            "`wall` below [shell] in housings.toml is a size: it has to be more than 0",
        ),
        (
            "worm = [15.0, 60.0]",
            "worm = [0, 60.0]",
            "is a size: it has to be more than 0, not [0, 60.0]",
        ),
        ("slots = [-63.0, 63.0]", "slots = [-63.0]", "has to be 2 numbers, such as [12.5, 12.5], not [-63.0]"),
        ("slots = [-63.0, 63.0]", "slots = 63.0", "`slots` below [unit]"),
        ("rings = [[8, 38.0], [12, 68.0]]", "rings = [8, 38.0]", "a list of lists, each with 2 numbers"),
        ("[34.5, 67.0]]", "[34.5]]", "`screws` below [slot] in housings.toml has to be a list of 4 lists"),
        ("[printer]", "bed = 220.0\n[printer]", "`bed` in housings.toml is in no section"),
        ("wall = 2.4 ", "wall = 2,4 ", "housings.toml is no TOML"),
    ],
)
def test_what_is_no_measure_is_told(line: str, instead: str, told: str) -> None:
    assert line in TEXT
    with pytest.raises(MeasureError) as error:
        read(TEXT.replace(line, instead, 1))
    assert told in str(error.value)


def test_a_measure_that_is_missing_is_told(changed: Path) -> None:
    changed.write_text(TEXT.replace("\ncorner = ", "\n# corner = ", 1), encoding="utf-8")
    with pytest.raises(MeasureError, match=r"^\[shell\] in housings.toml has no `corner`: write it there$"):
        measures("shell")["corner"]


def test_a_section_that_is_missing_is_told(changed: Path) -> None:
    changed.write_text(TEXT.partition("[lever]")[0], encoding="utf-8")
    with pytest.raises(MeasureError, match=r"^housings.toml has no section \[lever\]"):
        measures("lever")


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("[keypad]", "[keypda]", "housings.toml has a section [keypda] that no housing knows; is it `keypad`?"),
        ("bezel = ", "bezle = ", "[display] in housings.toml has no measure `bezle`; is it `bezel`?"),
        ("\ncorner = ", "\ncornre = ", "[shell] in housings.toml has no measure `cornre`; is it `corner`?"),
        ("[printer]", "[printer]\nfoo = 3", "[printer] in housings.toml has no measure `foo`"),
        (
            "[unit]",
            "[unit]\ncable = [20.0, 8.0]",
            "[unit] in housings.toml has no measure `cable`; there is one below [block] and [apple]",
        ),
        (
            "[unit]",
            "[unit]\nspeakr = [43.0, 117.0]",
            "[unit] in housings.toml has no measure `speakr`; is it `speaker`?",
        ),
        (
            "[lever]",
            "[lever]\nedge = 1",
            "[lever] in housings.toml has no measure `edge`; there is one below [apple]",
        ),
    ],
)
def test_a_name_that_is_not_known_there_is_told_with_the_right_one_or_its_place(
    right: str, wrong: str, told: str
) -> None:
    with pytest.raises(MeasureError) as error:
        read(TEXT.replace(right, wrong, 1))
    assert str(error.value) == told


@pytest.mark.parametrize("digits", [309, 400, 4301])
def test_a_number_with_too_many_digits_is_told_in_a_line(
    digits: int, changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for line, instead in (("wall = 2.4 ", "wall = {} "), ("slots = [-63.0, ", "slots = [-{}, ")):
        assert line in TEXT
        changed.write_text(TEXT.replace(line, instead.format("9" * digits), 1), encoding="utf-8")
        assert main(["housings"]) == 1
        [told] = capsys.readouterr().err.splitlines()
        assert told.endswith("has a number of 309 digits or more")


def test_who_makes_housings_reads_one_line_and_no_traceback(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed.write_text(TEXT.replace("wall = 2.4 ", "wall = -2.4 "), encoding="utf-8")
    assert main(["housings"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "`wall` below [shell]" in line


def test_every_form_and_place_that_is_known_is_that_of_the_file() -> None:
    for section, names in FORMS.items():
        for name, form in names.items():
            said = SAID[section][name]
            assert isinstance(said, list) == bool(form), (section, name)
            assert not form or form[0] in (ANY, len(said))
    for section, places in PLACES.items():
        assert set(places) <= set(SAID[section])


def test_every_measure_in_the_file_is_known_and_every_one_that_is_known_is_in_it() -> None:
    assert set(FORMS) == set(SAID)
    for section, named in SAID.items():
        assert set(FORMS[section]) == set(named)


def test_measures_that_cannot_be_read_are_told_in_a_line(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed.write_bytes(TEXT.encode("latin-1", errors="replace") + b"# \xff\n")
    assert main(["housings"]) != 0
    assert "housings.toml is not UTF-8: save it as UTF-8" in capsys.readouterr().err
    changed.unlink()
    assert main(["housings"]) != 0
    assert "housings.toml cannot be read: No such file or directory" in capsys.readouterr().err
