"""A tag is refused until version, changelogs, owner and repository fit it."""

from __future__ import annotations

import subprocess
from datetime import date, timedelta
from pathlib import Path

import pytest

from release.changelog import debian_changelog
from release.gate import reasons

SOURCE = "https://github.com/{}/reboard".format("anna")
DAY = date(2026, 12, 1)
CHANGELOG = f"""# Changelog

## [0.3.0] - {DAY}

- French.

[0.3.0]: {SOURCE}/releases/tag/v0.3.0
"""
FILES = {
    "CHANGELOG.md": CHANGELOG,
    "debian/changelog": debian_changelog(CHANGELOG, "anna <anna@example.net>"),
    "firmware/reboard/version.py": '"""The version."""\n\n__version__ = "0.3.0"\n',
    "pyproject.toml": f'[project.urls]\nSource = "{SOURCE}"\n',
    "systemd/reboard.service": "CapabilityBoundingSet=CAP_FOWNER\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A clone that can be released."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for command in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_a_tag_that_fits_can_be_released(tree: Path) -> None:
    assert list(reasons(tree, "v0.3.0", DAY, SOURCE)) == []


def test_another_tag_is_refused(tree: Path) -> None:
    [reason] = reasons(tree, "v0.3.1", DAY)
    assert "v0.3.1" in reason


def test_another_repository_is_refused(tree: Path) -> None:
    [reason] = reasons(tree, "v0.3.0", DAY, SOURCE + "-fork")
    assert SOURCE + "-fork" in reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("CHANGELOG.md", "- French.", ""),
        ("CHANGELOG.md", "## [0.3.0]", "## [Unreleased]\n\n## [Unreleased]\n\n- A die.\n\n## [0.3.0]"),
        ("CHANGELOG.md", "## [0.3.0]", "## [Unreleased]\n\n- A die.\n\n## [0.3.0]"),
        ("CHANGELOG.md", "- French.", "- French, at [the site](https://{}.github.io/reboard).".format("owner".upper())),
        ("debian/changelog", "0.3.0", "0.2.0"),
        ("debian/changelog", "anna@example.net", "{}@example.org".format("reboard")),
        ("firmware/reboard/version.py", "0.3.0", "0.4.0"),
        ("firmware/reboard/version.py", "__version__", "version"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tree: Path, name: str, old: str, new: str) -> None:
    text = (tree / name).read_text()
    (tree / name).write_text(text.replace(old, new))
    [reason] = reasons(tree, "v0.3.0", DAY, SOURCE)
    assert name in reason


@pytest.mark.parametrize(("days", "refused"), [(-1, 0), (1, 0), (2, 1)])
def test_a_day_is_not_to_come(tree: Path, days: int, refused: int) -> None:
    assert len(list(reasons(tree, "v0.3.0", DAY - timedelta(days), SOURCE))) == refused


def test_a_picture_can_have_the_placeholder(tree: Path) -> None:
    (tree / "board.png").write_bytes(b"\x89PNG\0" + "{} \0".format("owner".upper()).encode())
    subprocess.run(["git", "add", "."], cwd=tree, check=True)
    [reason] = reasons(tree, "v0.3.0", DAY, SOURCE)
    assert "board.png" in reason


def test_an_empty_section_of_what_is_not_released_does_not_matter(tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text(CHANGELOG.replace("## [0.3.0]", "## [Unreleased]\n\n## [0.3.0]"))
    assert list(reasons(tree, "v0.3.0", DAY, SOURCE)) == []


def test_a_folder_that_git_cannot_search_is_an_error(tree: Path) -> None:
    (tree / ".git" / "HEAD").write_text("broken")
    with pytest.raises(OSError, match="git cannot search"):
        list(reasons(tree, "v0.3.0", DAY))
