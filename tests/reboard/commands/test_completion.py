"""What the shells complete with the files of ``reboard completion``."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from reboard.cli import main, make_parser
from reboard.commands.completion import SHELLS, completion
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

BASH = """
source {file}
COMP_WORDS=({words} {last!r}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_shtab_reboard 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = "source {file}; complete -C '{words} {last}'"
# zsh completes only in its line editor, so its file is only parsed
ASK = {"bash": ["bash", "--norc", "-c", BASH], "fish": ["fish", "--no-config", "-c", FISH]}


def completed(shell: str, line: str, folder: Path) -> set[str]:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    file = folder / f"reboard.{shell}"
    file.write_text(completion(make_parser(), shell))
    (folder / "mine.pdf").touch()
    *command, code = ASK[shell]
    words, _, last = line.rpartition(" ")
    ask = [*command, code.format(file=file, words=words, last=last)]
    answer = subprocess.run(ask, capture_output=True, text=True, cwd=folder, timeout=PATIENCE_S, check=True).stdout
    return {line.split("\t")[0] for line in answer.splitlines()}


@pytest.mark.parametrize("shell", ASK)
@pytest.mark.parametrize(
    ("line", "offered", "not_offered"),
    [
        ("reboard ", {"doctor", "ledger", "setup"}, {"safe-mode", "mine.pdf"}),
        ("reboard ledger ", {"show", "undo"}, {"doctor"}),
        ("reboard ledger show --", {"--game"}, {"--card"}),
        ("reboard setup boot --", {"--undo", "--yes"}, {"--json"}),
        ("reboard cards --paper ", {"a4", "letter"}, {"mine.pdf"}),
        ("reboard cards m", {"mine.pdf"}, set()),
        ("reboard check -c m", {"mine.pdf"}, set()),
    ],
)
def test_a_shell_completes(shell: str, line: str, offered: set[str], not_offered: set[str], tmp_path: Path) -> None:
    found = completed(shell, line, tmp_path)
    assert offered <= found
    assert not not_offered & found


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_can_read_its_file(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    file = tmp_path / "reboard"
    file.write_text(capsys.readouterr().out)
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(file)], check=True, timeout=PATIENCE_S)
