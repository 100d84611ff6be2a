"""The tables of the documents agree with the code."""

import re
import tomllib
from pathlib import Path

import pytest

from docs import tables
from reboard.commands.wiring import wiring
from tests.documents.quotations import DOCUMENTS, TREE

AREAS = "config|kernel|user|pins|serial|readers|display|matrix|ring|sound|disk|time|service|page|mqtt|power"


def text(document: str | Path) -> str:
    return (TREE / document).read_text(encoding="utf-8")


def findings(*, of_wiring: bool) -> set[str]:
    """Return the names of the findings in the code, of the electrical check or of the doctor."""
    firmware = TREE / "firmware" / "reboard"
    files = [path for path in firmware.rglob("*.py") if {"netlist", "circuits"} & set(path.parts)]
    files.append(firmware / "commands" / "check.py")
    if of_wiring:
        code = "".join(map(text, files))
        return set(re.findall(r'(?:fine|note|wrong)\(\s*"([a-z]+\.[a-z_]+)"', code))
    code = "".join(text(path) for path in firmware.rglob("*.py") if path not in files)
    return set(re.findall(rf'"((?:{AREAS})\.[a-z_]+)"', code)) | {
        f"readers.{what}" for what in ("left", "right", "mixed")
    }


def findings_in(document: str) -> set[str]:
    table = text(document).partition("\n| finding |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([a-z]+\.[a-z_]+)`", row)}


def test_wiring_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    wiring(TREE / "firmware" / "reboard" / "setup" / "table.toml")
    shown = text("docs/wiring.md").partition("```text\n")[2].partition("```")[0]
    assert capsys.readouterr().out.startswith(shown)


def test_wiring_has_every_finding_of_the_electrical_check() -> None:
    assert findings_in("docs/wiring.md") == findings(of_wiring=True)


def test_every_finding_of_the_electrical_check_has_a_table_that_provokes_it() -> None:
    tables = tomllib.loads(text("tests/reboard/wiring/tables.toml"))["table"].values()
    provoked = {name for entry in tables for level in ("wrong", "note") for name in entry.get(level, ())}
    # neither an accessory of ours has a ring, nor a reader an open end: test_small_devices.py, test_plug_in_reader.py
    assert provoked | {"ring.levels", "wiring.open"} == findings(of_wiring=True)


def test_repair_has_every_finding_of_the_doctor() -> None:
    assert findings_in("docs/repair.md") == findings(of_wiring=False)


def test_what_make_docs_writes_is_up_to_date() -> None:
    for file, content in tables.written().items():
        assert content == text(file), file
    for document in DOCUMENTS:
        marks, ends = (text(document).count(mark) for mark in ("<!-- made: ", "<!-- end -->"))
        assert marks == ends, f"{document}: a mark is lost"


def test_the_address_of_the_project_is_in_pyproject_and_in_the_documents_that_make_docs_corrects() -> None:
    assert tables.filled("https://github.com/x/reboard/issues https://x.github.io/reboard/bench/").split() == [
        f"{tables.SOURCE}/issues",
        f"{tables.SITE}/bench/",
    ]
    folders = (".github", "debian", "docs", "examples", "firmware", "hardware", "release", "sim", "systemd", "tests")
    files = [*TREE.glob("*"), *(file for folder in folders for file in (TREE / folder).rglob("*"))]
    kinds = {".md", ".py", ".toml", ".yml", ".yaml", ".json", ".html", ".js", ".svg", ""}
    texts = {file for file in files if file.suffix in kinds and file.is_file()}
    texts -= {Path(__file__), TREE / "PKG-INFO"}  # a source archive's
    named = {file for file in texts if tables.ADDRESS.search(file.read_text("utf-8", "ignore"))}
    assert named <= set(tables.DOCUMENTS)
