"""What the user reads if the installation of the Debian package fails. tests/deb installs it."""

from __future__ import annotations

import os
import re
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


def test_the_installation_waits_for_a_minute_at_most_and_announces_each_wait(tmp_path: Path) -> None:
    waits = tmp_path / "waits"
    for name, code in (("timeout", f"echo $1 >>{waits}; exit 124"), ("systemctl", ""), ("journalctl", "")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{code}\n")
        program.chmod(0o755)
    script = POSTINST.read_text().replace("#DEBHELPER#", "")
    for place in ("/run/systemd/system", "/etc/reboard/table.toml"):
        script = script.replace(place, str(tmp_path))
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["sh", "-c", script, "postinst", "configure", ""]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    announced = [int(seconds) for seconds in re.findall(r"up to (\d+) seconds \.\.\.$", printed, re.MULTILINE)]
    assert [int(seconds) for seconds in waits.read_text().split()] == announced
    assert 0 < sum(announced) <= 60
