"""What a release takes from the changelog."""

from __future__ import annotations

from datetime import date

import pytest

from release.changelog import Release, debian_changelog, notes, releases, unreleased, with_links

SOURCE = "https://github.com/{}/reboard".format("anna")
CHANGELOG = """# Changelog

## [Unreleased]

- A die.

## [0.3.0] - 2026-12-01

### Added

- French, which [the
  page](docs/page.md#languages) shows
  too.
- [A site](https://example.org).

## [0.2.0] - 2026-11-23

The first.

[old]: link
"""


def test_the_newest_release_is_the_first() -> None:
    newest, first = releases(CHANGELOG)
    assert (newest.version, newest.day) == ("0.3.0", date(2026, 12, 1))
    assert first == Release("0.2.0", date(2026, 11, 23), "The first.")
    assert unreleased(CHANGELOG) == "- A die."


@pytest.mark.parametrize(
    "heading",
    [
        *("[0.3] - 2026-12-01", "[0.3.0]", "[0.3.0] - 1 December", "[0.3.0] - 2026-13-01", "[0.3.0rc1] - 2026-12-01"),
        *("0.3.0 - 2026-12-01", "Unreleased", "[unreleased]"),
    ],
)
def test_a_heading_without_version_or_day_is_an_error(heading: str) -> None:
    with pytest.raises(ValueError, match=r"2026|month"):
        releases(CHANGELOG.replace("## [Unreleased]", f"## {heading}"))


def test_a_changelog_without_a_release_is_an_error() -> None:
    with pytest.raises(ValueError, match="no release"):
        releases("## [Unreleased]\n\n- A die.\n")


@pytest.mark.parametrize(("old", "new"), [("0.2.0", "0.3.0"), ("0.2.0", "0.10.0"), ("2026-11-23", "2026-12-02")])
def test_releases_in_another_order_are_an_error(old: str, new: str) -> None:
    with pytest.raises(ValueError, match="not newer"):
        releases(CHANGELOG.replace(old, new))


def test_each_heading_gets_its_link_once() -> None:
    linked = with_links(CHANGELOG, SOURCE)
    assert linked.splitlines()[-4:] == [
        "",
        f"[Unreleased]: {SOURCE}/compare/v0.3.0...HEAD",
        f"[0.3.0]: {SOURCE}/releases/tag/v0.3.0",
        f"[0.2.0]: {SOURCE}/releases/tag/v0.2.0",
    ]
    assert with_links(linked, SOURCE) == linked


def test_debian_has_each_release_with_its_day() -> None:
    newest, first = debian_changelog(CHANGELOG, "anna <anna@example.net>").split("\n\nreboard ")
    assert newest.startswith("reboard (0.3.0) unstable; urgency=medium\n\n  * ")
    assert newest.endswith("\n\n -- anna <anna@example.net>  Tue, 01 Dec 2026 00:00:00 +0000")
    assert first.startswith("(0.2.0) ")


def test_the_notes_have_one_line_per_change_and_links_that_work_on_github() -> None:
    changes, _, check = notes(releases(CHANGELOG)[0], SOURCE).partition("To check")
    assert changes == (
        "### Added\n\n"
        f"- French, which [the page]({SOURCE}/blob/v0.3.0/docs/page.md#languages) shows too.\n"
        "- [A site](https://example.org).\n\n"
    )
    assert "gh attestation verify FILE --repo anna/reboard\n" in check
