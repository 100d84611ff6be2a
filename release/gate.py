"""``python3 -m release.gate TAG``: refuse a tag that cannot be released. It needs Python, git and no package."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from release.changelog import releases, unreleased

PLACEHOLDERS = ("-e", "[O]WNER", "-e", r"reboard@[e]xample\.org")
"""What stands for owner and address until there are real ones, as words for git. Brackets: none matches itself."""

AHEAD = timedelta(days=1)
"""In the first time zones a day begins before it does in UTC."""


def reasons(tree: Path, tag: str, today: date, address: str | None = None) -> Iterator[str]:
    """Yield why *tag* cannot be released from *tree*, a clone, and what to do. *today* is that of UTC.

    *address* is that of the repository; without one, pyproject.toml's is not compared. Raises ``OSError``, and
    ``ValueError`` for headings in the changelog that are no versions with days, newest first.
    """

    def text(name: str) -> str:
        return (tree / name).read_text("utf-8")

    changelog = text("CHANGELOG.md")
    newest, day, notes = releases(changelog)[0]
    versions = {
        "firmware/reboard/version.py": re.findall(r'^__version__ = "(.*)"$', text("firmware/reboard/version.py"), re.M),
        "debian/changelog": re.findall(r"\Areboard \((.*?)\)", text("debian/changelog")),
    }
    if unreleased(changelog):
        yield "CHANGELOG.md has a text that is not released: name the version and the day in its heading"
    if not notes:
        yield f"CHANGELOG.md has no text for {newest}: write what a user notices"
    if day > today + AHEAD:
        yield f"CHANGELOG.md has {newest} on {day}, which is not yet: correct the day, and run make docs"
    if tag != f"v{newest}":
        yield f"the tag is {tag}, but CHANGELOG.md's newest release is {newest}: tag v{newest}, or correct the heading"
    for name, found in versions.items():
        if found != [newest]:
            yield f"{name} has {', '.join(found) or 'no version'}, but CHANGELOG.md {newest}: run make docs"
    source = tomllib.loads(text("pyproject.toml"))["project"]["urls"]["Source"]
    if address not in (None, source):
        yield f"pyproject.toml has the Source {source}, but this is {address}: correct it, and run make docs"
    grep = ["git", "grep", "--name-only", "--word-regexp", *PLACEHOLDERS]
    searched = subprocess.run(grep, cwd=tree, capture_output=True, text=True, check=False)
    if searched.returncode > 1:
        raise OSError(f"git cannot search {tree}: {searched.stderr.strip()}")
    if files := searched.stdout.split():
        yield f"no owner is named in {', '.join(files)}: name one in pyproject.toml, with an address, and run make docs"


def main() -> int:
    """Print the reasons, and return 1 if there are any."""
    parser = argparse.ArgumentParser(description="Refuse a tag that cannot be released.")
    parser.add_argument("tag", help="such as v0.2.0")
    parser.add_argument("address", nargs="?", help="the repository's, to compare with the Source in pyproject.toml")
    asked = parser.parse_args()
    try:
        found = list(reasons(Path(), asked.tag, datetime.now(UTC).date(), asked.address))
    except (OSError, ValueError) as error:
        found = [str(error)]
    print("\n".join(found) or f"{asked.tag} can be released.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
