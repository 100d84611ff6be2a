"""What the user reads if the installation of the Debian package fails. tests/deb installs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

POSTINST = Path(__file__).parents[1] / "debian/reboard.postinst"


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["configure", ""], "sudo dpkg --configure -a"),
        (["configure", "0.1.0"], "sudo apt install --allow-downgrades ./reboard_0.1.0_all.deb"),
        # dpkg goes back itself
        (["abort-upgrade", "0.1.0"], None),
    ],
)
def test_a_failed_compilation_is_reported_with_the_command_that_helps(
    arguments: list[str], command: str | None
) -> None:
    script = POSTINST.read_text().replace("#DEBHELPER#", "exit 4  # as py3compile does")
    done = subprocess.run(["sh", "-c", script, "postinst", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 4
    commands = [line.strip() for line in done.stderr.splitlines() if line.startswith("    ")]
    assert commands == ([command] if command else [])
