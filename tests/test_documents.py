"""What the documents say is so."""

import re
from pathlib import Path

import pytest

from reboard import doctor
from reboard.commands.wiring import wiring
from reboard.doctor.examination import LOOKS
from reboard.events import VOCABULARY
from reboard.refusal import REFUSALS
from reboard.wiring import electrical
from reboard_sim.faults import FAULTS
from reboard_sim.play_language import FORMS

NAMES = re.compile(r"`([a-z]+\.[a-z_]+)`")
"""What a doctor calls a finding."""

TREE = Path(__file__).parents[1]


def rows(document: str) -> dict[str, str]:
    """The table rows of a document whose first column is code: that, and the second column."""
    found = {}
    for line in (TREE / document).read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            first, second, *_ = line.replace(r"\|", "\0").strip("| ").split("|")
            found[first.strip(" `").replace("\0", "|")] = second.strip().replace("\0", "|")
    return found


def test_the_document_of_plays_has_every_line_and_every_fault_and_no_other() -> None:
    vocabulary = {form.usage: form.meaning for form in FORMS} | dict(FAULTS)
    assert rows("docs/plays.md") == vocabulary


def test_the_document_of_the_banker_unit_has_every_refusal() -> None:
    assert {words.display for words in REFUSALS.values()} <= rows("docs/banker.md").keys()


def test_the_example_in_the_readme_is_the_one_in_the_examples() -> None:
    readme = (TREE / "README.md").read_text(encoding="utf-8")
    [shown] = [part.split("```")[0] for part in readme.split("```python\n")[1:]]
    example = (TREE / "examples" / "worm_apple.py").read_text(encoding="utf-8")
    assert example.endswith(shown)


DOCUMENTS = [
    path.relative_to(TREE)
    for path in (*TREE.glob("*.md"), *sorted((TREE / "docs").rglob("*.md")), *sorted((TREE / "hardware").rglob("*.md")))
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_links_to_files_lead_somewhere(document: Path) -> None:
    text = (TREE / document).read_text(encoding="utf-8")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    missing = [link for link in links if link and not ((TREE / document).parent / link).exists()]
    assert missing == []


def test_every_event_stands_in_the_document_of_the_door() -> None:
    text = (TREE / "docs" / "door.md").read_text(encoding="utf-8")
    assert [name for name in VOCABULARY if f"`{name}" not in text] == []


def test_the_document_of_the_wiring_has_every_finding_and_no_other() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(electrical.__path__[0]).glob("*.py")))
    told = set(re.findall(r'(?:fine|note|wrong)\(\s*"([a-z]+\.[a-z_]+)"', code))
    document = (TREE / "docs" / "wiring.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z.]+)` \|", document, re.MULTILINE)) == told


def test_the_connections_in_the_document_of_the_wiring_are_the_drawings(capsys: pytest.CaptureFixture[str]) -> None:
    wiring(TREE / "hardware" / "table.toml")
    document = (TREE / "docs" / "wiring.md").read_text(encoding="utf-8")
    [shown] = [part.split("```")[0] for part in document.split("```\n")[1::2]]
    assert shown == capsys.readouterr().out[: len(shown)]


def test_the_document_of_the_doctor_has_every_finding_and_no_other() -> None:
    areas = "|".join(LOOKS)
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(doctor.__path__[0]).glob("*.py")))
    told = set(re.findall(rf'"((?:{areas})\.[a-z_]+)"', code)) | {"readers.left", "readers.right", "readers.mixed"}
    document = (TREE / "docs" / "doctor.md").read_text(encoding="utf-8")
    assert {name for row in re.findall(r"^\| (`.*?) \|", document, re.MULTILINE) for name in NAMES.findall(row)} == told
