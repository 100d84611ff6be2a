"""The build guides: their tables are up to date, their configs are right and their first games can be played."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardware.making import checklist
from hardware.making.builds import BUILDS, GUIDES, ORIGINAL_CARDS
from hardware.making.cables import harness
from hardware.making.made import is_made_from
from hardware.making.parts_list import PIS
from reboard.commands.check import electrical_findings
from reboard.finding import Level
from reboard.netlist.circuit import connections
from reboard.table_config import load_config
from reboard.wiring.table_netlist import circuit_of
from reboard_sim.plays.play_command import play_file
from tests.reboard.wiring.tables import SHIPPED


def test_the_checklists_are_up_to_date() -> None:
    assert is_made_from(checklist.FOLDER, checklist.made_from()), "run `make parts`"
    assert {file.stem for file in checklist.FOLDER.glob("*.pdf")} == {*BUILDS}


def test_a_checklist_has_each_wired_terminal_once() -> None:
    circuit = harness("all").circuit
    ticked = [terminal for step in checklist.steps(circuit) for join in step.joins for terminal in join.terminals]
    assert len(ticked) == len(list(connections(circuit)))


def test_a_checklist_has_each_joint_between_two_led_modules() -> None:
    steps = checklist.steps(harness("die").circuit)
    joints = [join.terminals for step in steps for join in step.joins if "DOUT to DIN" in join.terminals]
    assert joints == [["VCC", "GND", "DOUT to DIN", "CS", "CLK"]] * 2


def test_each_config_of_a_guide_is_that_of_a_build() -> None:
    assert {file.name for file in GUIDES.glob("*.toml")} == {build.config for build in BUILDS.values()}


@pytest.mark.parametrize("name", [name for name in BUILDS if name not in ("die", "unit-rc522")])
def test_a_guide_is_wired_as_our_own_table(name: str) -> None:
    ours = circuit_of(load_config(ORIGINAL_CARDS if name == "unit-original-cards" else SHIPPED))
    parts = BUILDS[name].circuit().parts
    accessories = {part.subcircuit.accessory for part in parts}
    assert [part for part in ours.parts if part.subcircuit.accessory in accessories] == parts


@pytest.mark.parametrize("name", BUILDS)
def test_the_config_of_a_guide_works_on_every_pi(name: str, tmp_path: Path) -> None:
    text = (GUIDES / BUILDS[name].config).read_text(encoding="utf-8")
    file = tmp_path / "table.toml"
    for pi, model in PIS.items():
        changed = re.sub(r"(?m)^supply_a = .+$", f"supply_a = {model.supply_a}", text)
        file.write_text(changed.replace('pi = "zero-2-w"', f'pi = "{pi}"'), encoding="utf-8")
        findings = electrical_findings(load_config(file))
        assert [finding.what for finding in findings if finding.level is Level.WRONG] == [], pi


@pytest.mark.parametrize("play", sorted(GUIDES.glob("*.play")), ids=lambda path: str(path.stem))
def test_the_first_game_of_a_guide_can_be_played(play: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play_file(play, config=play.with_suffix(".toml"), seed=7) == 0, capsys.readouterr().err
