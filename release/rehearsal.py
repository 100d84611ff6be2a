"""``make release-rehearsal``: release a copy of the commit but for the last step, and install each file as a user does.

The copy gets an owner, a version and a tag, as CONTRIBUTING.md says. Nothing leaves this machine.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

from release.changelog import UNRELEASED, releases, unreleased

TREE = Path(__file__).parents[1]
NAME = "rehearsal"
PLAY = "tests/plays/a_turn_at_every_accessory.play"
TESTS = "tests/test_plays.py tests/test_your_own_accessory.py tests/documents tests/release"
"""Tests of the source archive that take a minute. The workflow runs all."""


def run(*command: str | Path, cwd: Path, umask: int = 0o022) -> None:
    """Print a command, and run it. Raises ``SystemExit`` if it fails."""
    print("$", *command, flush=True)
    if subprocess.run(command, cwd=cwd, umask=umask, check=False).returncode:
        raise SystemExit(f"The rehearsal ends here, in {cwd}: the last command failed.")


def prepare(copy: Path) -> str:
    """Carry out in *copy*, a clone, what a release needs. Return the version."""
    project, changelog = copy / "pyproject.toml", copy / "CHANGELOG.md"
    source = tomllib.loads(project.read_text("utf-8"))["project"]["urls"]["Source"]
    owned = project.read_text("utf-8").replace(source, re.sub(r"[^/]+/reboard$", f"{NAME}/reboard", source))
    project.write_text(re.sub(r'(?m)^(authors = .*email = ").*?"', rf'\1{NAME}@example.net"', owned), "utf-8")
    text = changelog.read_text("utf-8")
    if unreleased(text):
        major, minor, _ = releases(text)[0].number
        heading = f"## [{major}.{minor + 1}.0] - {datetime.now(UTC).date()}"
        changelog.write_text(text.replace(f"## {UNRELEASED}", heading, 1), "utf-8")
    version = releases(changelog.read_text("utf-8"))[0].version
    run("make", "--silent", "docs", cwd=copy)
    identity = ("-c", f"user.name={NAME}", "-c", f"user.email={NAME}@example.net")
    run("git", *identity, "commit", "--quiet", "--all", "--allow-empty", f"--message=Release {version}", cwd=copy)
    run("git", "tag", f"v{version}", cwd=copy)
    return version


def compare(first: Path, second: Path) -> None:
    """Print size and hash of each file in *first*. Raises ``SystemExit`` if *second* has others."""
    sums = (first / "SHA256SUMS").read_text()
    if sums != (second / "SHA256SUMS").read_text():
        run("diff", first / "SHA256SUMS", second / "SHA256SUMS", cwd=first)
    for line in sums.splitlines():
        digest, name = line.split()
        print(f"{(first / name).stat().st_size:>10,}  {digest}  {name}")


def install(files: Path, version: str, folder: Path) -> None:
    """Install the wheel with pip and the source archive with uv, each in a virtual environment, and play."""
    uv = TREE / ".venv" / "bin" / "uv"
    wheel, archive = folder / "wheel", folder / "archive"
    for environment in (wheel, archive):
        run(sys.executable, "-m", "venv", environment, cwd=folder)
    requirement = f"reboard[sim]=={version}"
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--find-links", files)
    run(wheel / "bin" / "python", *pip, "--only-binary", "reboard", requirement, cwd=folder)
    python = ("--python", archive / "bin" / "python")
    links = ("--find-links", files, "--no-binary", "reboard")
    run(uv, "pip", "install", "--quiet", "--system-certs", *python, *links, requirement, cwd=folder)
    for environment in (wheel, archive):
        run(environment / "bin" / "reboard", "--version", cwd=folder)
        run(environment / "bin" / "reboard-sim", "play", TREE / PLAY, cwd=folder)


def main() -> None:
    """Delete the folder, make it again, and rehearse a release in it."""
    parser = argparse.ArgumentParser(description="Release a copy of the commit, all but the last step.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    if folder.exists():
        shutil.rmtree(folder)
    first, second = folder / "first", folder / "another-folder" / "second"
    run("git", "clone", "--quiet", TREE, first, cwd=TREE)
    version = prepare(first)
    run(sys.executable, "-m", "release.gate", f"v{version}", f"https://github.com/{NAME}/reboard", cwd=first)
    run("git", "clone", "--quiet", first, second, cwd=folder, umask=0o077)
    run("make", "--silent", "release-files", cwd=first)
    run("make", "--silent", "release-files", cwd=second, umask=0o077)
    skipped = []
    files = first / "build" / "release"
    run("make", "--silent", "test-dist", f"DIST_TESTS={TESTS}", cwd=first)
    install(files, version, folder)
    if os.geteuid() == 0 and shutil.which("mmdebstrap"):
        run("make", "--silent", "test-built-deb", cwd=first)
    else:
        skipped.append("The package was not installed: that needs root and mmdebstrap.")
    if shutil.which("npm"):
        run("make", "--silent", "site", cwd=first)
        run("du", "--summarize", "--human-readable", "build/site", cwd=first)
    else:
        skipped.append("The site was not built: that needs Node.js and npm.")
    compare(files, second / "build" / "release")
    run(sys.executable, "-m", "release.changelog", cwd=first)
    print("\n".join(skipped))


if __name__ == "__main__":
    main()
