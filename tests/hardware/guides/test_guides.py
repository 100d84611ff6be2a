"""The build guides: they quote what is said, have the wires that are drawn, and can be followed to the first game."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from hardware.making import guides as making
from hardware.making.__main__ import main
from hardware.making.drawings import SHEETS
from hardware.making.guides import CHAPTERS, FOLDER, MAKERS, filled, guides
from reboard.cli import _parser
from reboard.config import load_config
from reboard.finding import Level
from reboard.parts.keypad import LEGEND
from reboard.wiring.connections import at_pins
from reboard.wiring.electrical.check import electrical_findings
from reboard.wiring.pi import header, models
from reboard.wiring.soldering import circuit_of
from reboard_sim.cli import _parser as _simulators_parser
from reboard_sim.play_command import play_file
from tests.hardware.guides.builders import CHECK, DOCTOR, ELECTRICAL, INSTALL, SETUP, VARIANTS, Variant, said
from tests.hardware.guides.reading import (
    blocks,
    columns,
    ends_with_a_check,
    faults,
    is_said,
    links,
    plays,
    quotations,
    steps,
    typed,
)

TREE = Path(__file__).parents[3]
GUIDES = {guide.stem: guide.read_text(encoding="utf-8") for guide in guides()}
CHAPTER_NAMES = sorted(chapter.stem for chapter in CHAPTERS.glob("*.md"))
each_guide = pytest.mark.parametrize("guide", GUIDES)
each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: str(variant.config))


ONE_ACCESSORY = {"block": "question-block", "unit": "banker-unit", "apple": "worm-apple"}
"""The guide of each, by the beginning of the names of the chapters that tell of it."""


def test_there_is_a_guide_for_each_accessory_and_one_for_all_three() -> None:
    assert set(GUIDES) == {*ONE_ACCESSORY.values(), "all-three"} == {variant.guide for variant in VARIANTS}
    assert {variant.drawing for variant in VARIANTS} == set(SHEETS)


@each_guide
def test_what_is_made_in_a_guide_is_up_to_date(guide: str) -> None:
    assert GUIDES[guide] == filled(GUIDES[guide]), f"{guide}.md is old: run `make parts`"


def test_what_cannot_be_made_is_refused() -> None:
    with pytest.raises(KeyError):
        filled("<!-- made: wires block: keypad -->\n<!-- end -->")


def test_the_guides_are_made_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "guides"
    shutil.copytree(FOLDER, folder)
    stale = GUIDES["question-block"].replace("| lamp resistor, 330 Ω |", "| lamp resistor, 3 Ω |")
    (folder / "question-block.md").write_text(stale, encoding="utf-8")
    monkeypatch.setattr(making, "FOLDER", folder)
    assert main(["guides"]) == 0
    assert {guide.stem: guide.read_text(encoding="utf-8") for guide in folder.glob("*.md")} == GUIDES


@pytest.mark.parametrize("chapter", CHAPTER_NAMES)
def test_every_chapter_is_in_each_guide_or_in_that_of_its_accessory_and_in_that_of_all_three(chapter: str) -> None:
    accessory = chapter.partition("-")[0]
    wanted = {ONE_ACCESSORY[accessory], "all-three"} if accessory in ONE_ACCESSORY else set(GUIDES)
    assert {guide for guide, text in GUIDES.items() if MAKERS["chapter"](chapter) in text} == wanted


@pytest.mark.parametrize("chapter", CHAPTER_NAMES)
def test_the_links_of_a_chapter_lead_somewhere_when_it_is_opened_alone(chapter: str) -> None:
    document = CHAPTERS / f"{chapter}.md"
    for link in links(document):
        file, _, anchor = link.partition("#")
        target = document.parent / file if file else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_a_chapter_speaks_of_no_step_by_its_number_but_of_the_first() -> None:
    """Another guide counts its steps in another way."""
    for chapter in CHAPTER_NAMES:
        assert set(re.findall(r"\b[Ss]tep (\d+)", MAKERS["chapter"](chapter))) <= {"1"}, chapter


@each_variant
def test_a_config_of_a_guide_is_wired_as_its_drawing(variant: Variant) -> None:
    circuit = circuit_of(load_config(FOLDER / variant.config))
    assert circuit.parts == SHEETS[variant.drawing].circuit().parts


@each_variant
def test_nothing_is_wrong_with_what_a_guide_has_one_build(variant: Variant) -> None:
    findings = list(electrical_findings(load_config(FOLDER / variant.config)))
    assert [finding for finding in findings if finding.level is Level.WRONG] == []


@each_variant
def test_a_guide_has_the_drawing_the_config_and_what_to_buy(variant: Variant) -> None:
    text = GUIDES[variant.guide]
    assert f"](../drawings/{variant.drawing}.png)" in text
    assert f"](../drawings/{variant.drawing}.svg)" in text
    assert MAKERS["config"](variant.config) in text
    assert MAKERS["parts"](variant.drawing) in text
    assert f"sudo cp hardware/guides/{variant.config} /etc/reboard/table.toml" in typed(text)


@each_variant
def test_a_guide_has_every_wire_of_its_drawing(variant: Variant) -> None:
    for circuit in {part.circuit for part in SHEETS[variant.drawing].circuit().parts}:
        assert MAKERS["wires"](f"{variant.drawing}: {circuit}") in GUIDES[variant.guide], circuit


@each_guide
def test_the_steps_are_counted_and_each_ends_with_a_check(guide: str) -> None:
    numbers = [int(number) for heading in steps(GUIDES[guide]) for number in re.findall(r"Step (\d+)", heading)]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, max(numbers) + 1))
    assert [heading for heading, step in steps(GUIDES[guide]).items() if not ends_with_a_check(step)] == []


def test_a_step_that_goes_on_after_its_check_is_told() -> None:
    assert ends_with_a_check("Solder it.\n\n**Check.** It beeps.\n\nThen pull the plug.")
    assert not ends_with_a_check("Solder it.")
    for more in ("1. Solder the next.", "**The next.** Solder it.", "<!-- made: wires block: lamp -->"):
        assert not ends_with_a_check(f"Solder it.\n\n**Check.** It beeps.\n\n{more}")


ANOTHER_PI = (CHAPTERS / "another-pi.md").read_text(encoding="utf-8")


def test_the_chapter_on_another_pi_knows_every_model() -> None:
    said_of = columns(ANOTHER_PI, "| | Zero 2 W | 3 | 4 | 5 |")
    assert [one["`pi` below `[wiring]`"] for one in said_of] == [f'`"{name}"`' for name in models()]
    for one, model in zip(said_of, models().values(), strict=True):
        assert amperes(one)[0] == model.supply_a
        assert one["its header"].startswith("to be soldered") == ("Zero" in model.name)


@each_variant
@pytest.mark.parametrize("column", range(4))
def test_nothing_is_wrong_with_what_a_guide_has_one_build_on_another_pi(
    variant: Variant, column: int, tmp_path: Path
) -> None:
    one = columns(ANOTHER_PI, "| | Zero 2 W | 3 | 4 | 5 |")[column]
    pi = one["`pi` below `[wiring]`"].strip("`")
    supply = amperes(one)[-1 if "[apple]" in variant.text else 0]
    text = re.sub(r"^supply_a = .+$", f"supply_a = {supply}", variant.text, flags=re.MULTILINE)
    changed = tmp_path / "table.toml"
    changed.write_text(text.replace('pi = "zero-2-w"', f"pi = {pi}"), encoding="utf-8")
    findings = list(electrical_findings(load_config(changed)))
    assert [finding for finding in findings if finding.level is Level.WRONG] == []


def amperes(of_a_pi: Mapping[str, str]) -> list[float]:
    """What the chapter has one write: without an apple, and with one if that is more."""
    [row] = [words for name, words in of_a_pi.items() if name.startswith("`supply_a`")]
    return [float(number) for number in re.findall(r"`([\d.]+)`", row)]


@each_guide
def test_a_guide_tells_of_everything_that_somebody_needs(guide: str) -> None:
    headings = re.findall(r"^## (.+)$", GUIDES[guide], re.MULTILINE)
    others = [heading for heading in headings if not heading.startswith("Step ")]
    assert others == [
        "What to buy",
        "Tools",
        "Before you begin",
        "All of it on one page",
        "The first game",
        "Faults and cures",
    ]


def test_the_keys_are_labelled_as_the_table_reads_them() -> None:
    rows = re.findall(r"^\| \*\*R\d\*\* \| (.+) \|$", GUIDES["banker-unit"], re.MULTILINE)
    assert [row.split(" | ") for row in rows] == [list(keys) for keys in LEGEND]


@each_guide
def test_what_a_guide_quotes_is_what_is_said(guide: str) -> None:
    heard = said(guide)
    quoted = list(quotations(GUIDES[guide]))
    assert {quotation.command for quotation in quoted} == {INSTALL, CHECK, ELECTRICAL, DOCTOR, SETUP}
    for quotation in quoted:
        assert any(is_said(quotation.text, one.words) for one in heard[quotation.command]), quotation


@each_guide
def test_the_faults_of_a_guide_are_the_doctors_own_in_its_own_words(guide: str) -> None:
    findings = [finding for one in said(guide)[DOCTOR] for finding in one.findings]
    known = (TREE / "docs" / "doctor.md").read_text(encoding="utf-8")
    assert len(faults(GUIDES[guide])) >= 8
    for fault in faults(GUIDES[guide]):
        assert f"`{fault.finding}`" in known
        for words in fault.says:
            told = [finding.what for finding in findings if finding.name == fault.finding]
            assert any(is_said(words, one) for one in told), (fault.finding, words, told)


@each_guide
def test_what_a_guide_quotes_fits_a_terminal_of_80_columns(guide: str) -> None:
    lines = [line for quotation in quotations(GUIDES[guide]) for line in quotation.text.splitlines()]
    assert [line for line in lines if len(line) > 80] == []


def test_a_quotation_has_its_words_in_their_order() -> None:
    assert is_said("one\n  two … four", "zero one two three four")
    assert not is_said("one three", "zero one two three four")
    assert not is_said("four … one", "zero one two three four")


@each_variant
def test_the_first_game_can_be_played_with_what_was_built(
    variant: Variant, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [game] = plays(GUIDES[variant.guide])
    play = tmp_path / "first.play"
    play.write_text(game, encoding="utf-8")
    for seed in (1, 2, 3):
        assert play_file(play, config=FOLDER / variant.config, seed=seed) == 0, capsys.readouterr().err


WITHOUT_DISPLAY_AND_READERS = """\
power off
fault display
fault reader left
fault reader right
power on
wait 8
press block
expect lamp on
expect event block.outcome
wait 6
pull lever
wait 1
expect heard wound
release lever
wait 14
expect heard time_up
"""


def test_block_and_apple_play_while_all_three_still_lack_display_and_readers(tmp_path: Path) -> None:
    assert "what is not there yet, it does without" in GUIDES["all-three"]
    play = tmp_path / "begun.play"
    play.write_text(WITHOUT_DISPLAY_AND_READERS, encoding="utf-8")
    assert play_file(play, config=FOLDER / "all-three.toml", seed=1) == 0


@pytest.mark.parametrize(("pulled", "shown"), [(True, "! LEFT SLOT"), (False, "INSERT CARD")])
def test_a_display_shows_what_its_check_says_before_there_are_readers_and_after(
    pulled: bool, shown: str, tmp_path: Path
) -> None:
    assert f"`{shown}`" in MAKERS["chapter"]("unit-display-check")
    faults = ["fault reader left", "fault reader right"] if pulled else []
    lines = ["power off", *faults, "power on", "wait 8", 'expect display "WORLD EDITION"', f'expect display "{shown}"']
    play = tmp_path / "display.play"
    play.write_text("\n".join(lines), encoding="utf-8")
    assert play_file(play, config=FOLDER / "all-three.toml", seed=1) == 0


@each_guide
def test_a_guide_installs_with_the_commands_of_the_readme(guide: str) -> None:
    readme = (TREE / "README.md").read_text(encoding="utf-8").partition("\n## On a Pi\n")[2].partition("\n## ")[0]
    wanted = [line.partition("#")[0].strip() for line in readme.splitlines() if line.startswith("    sudo")]
    assert len(wanted) == 3
    lines = iter(typed(GUIDES[guide]))
    assert [command for command in wanted if command not in lines] == []


OTHERS = {"apt", "cd", "echo", "git", "poweroff", "scp", "ssh", "systemctl"}
"""Programs of the system that a guide has one type."""


@each_guide
def test_every_command_of_a_guide_is_one(guide: str) -> None:
    for line in typed(GUIDES[guide]):
        words = [word for word in shlex.split(line.partition(" | ")[0]) if word != "sudo"]
        match words:
            case ["reboard", *arguments]:
                _parser().parse_args(arguments)
            case [".venv/bin/reboard-sim", *arguments]:
                _simulators_parser().parse_args(arguments)
                assert (TREE / arguments[-1]).is_file(), line
            case ["make", target]:
                makefile = (TREE / "Makefile").read_text(encoding="utf-8")
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), line
            case ["cp", source, _]:
                assert (TREE / source).is_file(), line
            case [program, *_]:
                assert program in OTHERS, line


@each_guide
def test_every_command_that_a_guide_speaks_of_is_one(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    spoken_of = set(re.findall(r"`(?:sudo )?reboard ([a-z-]+)[^`]*`", GUIDES[guide]))
    assert "setup" in spoken_of
    for name in spoken_of:
        with pytest.raises(SystemExit) as ended:
            _parser().parse_args([name, "--help"])
        assert ended.value.code == 0, capsys.readouterr().err


@each_guide
def test_whoever_follows_a_guide_to_the_first_game_stays_in_the_folder(guide: str) -> None:
    before = GUIDES[guide].partition("## The first game")[0]
    needed = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", before)
    assert needed
    assert all(link.startswith(("../drawings/", "../housings/")) for link in needed)


def test_a_keypad_that_is_turned_half_round_has_its_pins_the_other_way_round() -> None:
    [turned] = [
        tomllib.loads(contents)["keypad"]
        for language, contents in blocks(MAKERS["chapter"]("unit-turned-keypad"))
        if language == "toml"
    ]
    for variant in VARIANTS:
        if keypad := tomllib.loads(variant.text).get("bank", {}).get("keypad"):
            assert turned == {wires: pins[::-1] for wires, pins in keypad.items()}


def test_the_cables_of_all_three_have_every_wire_that_leaves_the_unit() -> None:
    circuit = SHEETS["all"].circuit()
    wanted = {accessory: set[int]() for accessory in ("block", "apple")}
    for pin, ends in at_pins(circuit).items():
        for end in ends:
            if end.part.accessory in wanted:
                wanted[end.part.accessory].add(pin)
    table = GUIDES["all-three"].partition("| to | from pins | which are | through |\n|---|---|---|---|\n")[2]
    named: dict[str, set[int]] = {}
    accessory = ""
    for row in table.partition("\n\n")[0].splitlines():
        to, pins, which, _ = [cell.strip() for cell in row.strip("|").split("|")]
        accessory = to.removeprefix("the ") or accessory
        for pin in re.findall(r"\d+", pins):
            named.setdefault(accessory, set()).add(int(pin))
            assert {"5V": "5 V"}.get(header()[int(pin) - 1], header()[int(pin) - 1]) in which, row
    assert named == wanted


def test_all_three_have_as_many_wires_on_the_header_as_their_guide_says() -> None:
    assert f"{len(at_pins(SHEETS['all'].circuit()))} wires on one header" in GUIDES["all-three"]


@each_guide
def test_links_of_a_guide_lead_to_headings_that_are_there(guide: str) -> None:
    document = FOLDER / f"{guide}.md"
    for link in links(document):
        file, _, anchor = link.partition("#")
        target = document.parent / file if file else document
        if anchor:
            assert anchor in anchors(target), link


def anchors(document: Path) -> set[str]:
    """The headings of a document, as links name them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
