"""The drawings that are kept are up to date, readable on paper, and the same in each renderer."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from xml.etree import ElementTree

import pytest

from hardware.making import made
from hardware.making.drawings import FOLDER, drawn, made_from
from reboard.netlist.hardware_data import kinds
from tests.svg import SVG, disorder

A4 = {("297mm", "210mm"), ("210mm", "297mm")}
SMALLEST_MM = 6 * 25.4 / 72

NOT_EVERYWHERE = {"dominant-baseline", "alignment-baseline", "baseline-shift", "textLength", "foreignObject"}
"""Attributes and elements that librsvg or printers' programs do not know: it ignores them, or shows nothing."""


@pytest.fixture(scope="module")
def drawings() -> Mapping[str, bytes]:
    """All drawings as they are generated now."""
    return drawn()


def test_each_drawing_and_its_picture_are_up_to_date(drawings: Mapping[str, bytes]) -> None:
    files = {f"{name}.{kind}" for name in drawings for kind in ("svg", "png")}
    assert {file.name for file in FOLDER.iterdir()} == {*files, made.DIGEST}
    assert made.is_made_from(FOLDER, made_from()), "the pictures are old: run `make drawings`"
    for name, content in drawings.items():
        svg, png = FOLDER / f"{name}.svg", FOLDER / f"{name}.png"
        assert svg.read_bytes() == content, f"{svg.name} is old: run `make drawings`"
        width, height = struct.unpack_from(">II", png.read_bytes(), 16)
        assert 1000 < width < 3000
        assert 0.7 < width / height < 1.6


def test_each_text_has_six_points_on_a_page_of_a4(drawings: Mapping[str, bytes]) -> None:
    for name, content in drawings.items():
        root = ElementTree.fromstring(content)
        assert (root.get("width"), root.get("height")) in A4, name
        _, _, width, height = map(float, root.get("viewBox", "").split())
        mm = min(
            float(root.get(side, "").removesuffix("mm")) / of for side, of in (("width", width), ("height", height))
        )
        smallest = min(float(text.get("font-size", "")) for text in root.iter(f"{SVG}text"))
        assert smallest * mm >= SMALLEST_MM, f"{name}: {smallest * mm:.2f} mm"


def test_no_text_overlaps_another_or_is_cut_off(drawings: Mapping[str, bytes]) -> None:
    assert {name: found for name, content in drawings.items() if (found := disorder(content))} == {}


def test_no_drawing_needs_what_only_some_renderers_have(drawings: Mapping[str, bytes]) -> None:
    made = [FOLDER.parent / folder for folder in ("perfboards", "harness")]
    others = {str(file): file.read_bytes() for folder in made for file in folder.glob("*.svg")}
    assert len(others) > 8
    for name, content in {**drawings, **others}.items():
        for element in ElementTree.fromstring(content).iter():
            used = {element.tag.removeprefix(SVG), *element.attrib}
            assert not used & NOT_EVERYWHERE, name
            assert "baseline" not in element.get("style", ""), name


def test_each_module_has_a_pinout() -> None:
    for kind in kinds().values():
        pins = {pin for row in kind.pinout for pin in row}
        assert pins or kind.symbol != "module" or not kind.terminals, f"{kind.name} has no pinout"
        assert bool(pins) == bool(kind.seen_from), kind.name
