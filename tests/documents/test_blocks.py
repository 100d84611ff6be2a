"""The blocks in the documents work: commands are run in a folder of their own, and configs are read."""

import ast
import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reboard.cli import main
from reboard.commands.check import check
from reboard.table_config import TableSection, parse_config
from reboard_sim.hall.local_broker import SETTINGS
from reboard_sim.plays.play_command import play_file
from tests.documents.foreign import FOREIGN
from tests.documents.lookups import has_known_words, is_file, is_said_together, is_setting, kind_of
from tests.documents.quotations import DOCUMENTS, TREE, Quotation, blocks, by_hand

EXAMPLES = TREE / "hardware" / "guides"
CONFIG = EXAMPLES / "all-three.toml"

REAL = ("cat", "cp", "ls", "mkdir", "mv", "sh", "tee", "touch")
"""The programs that a block really runs. They see the test's folder only."""

NOTED = (
    *("apt", "chmod", "chown", "curl", "install", "journalctl", "make", "mkfs.ext4", "nano", "openssl", "pip"),
    *("poweroff", "pytest", "python", "raspi-config", "reboard", "reboard-sim", "reboot", "scp", "ssh", "sqlite3"),
    *("systemctl", "tar", "mosquitto_passwd", "mosquitto_pub", "mosquitto_rr", "mosquitto_sub", "socat"),
)
"""The programs that are only noted, with their arguments. Those that are ours are run afterwards, if they can be."""

STUB = """#!/bin/sh
printf '%s\\0' "$PWD" "${0##*/}" "$@" >>"$NOTES"; printf '\\n' >>"$NOTES"
case "${0##*/} $1" in
    "reboard new-accessory") /bin/mkdir "reboard-$2" ;;
esac
"""

RUN = ("cards", "check", "completion", "ledger", "sounds", "wiring")
"""The commands of ``reboard`` that need no table, no device and no answer, with these exceptions."""

NOT_RUN = (("ledger", "undo"), ("sounds", "play"))


OURS = ("reboard", "reboard-sim", "make", "systemctl", "journalctl", "raspi-config")


class Call(NamedTuple):
    """A call of a program in a block."""

    folder: Path
    program: str
    arguments: Sequence[str]

    def __str__(self) -> str:
        return shlex.join([self.program, *self.arguments])

    @property
    def can_be_run(self) -> bool:
        """Whether this call of ``reboard`` needs no table, no device and no answer."""
        return self.arguments[0] in RUN and tuple(self.arguments[:2]) not in NOT_RUN


class Sandbox:
    """A folder in which blocks are run. It has a clone of the repository and what the package installs."""

    def __init__(self, root: Path) -> None:
        self.root, self.clone, self.notes = root, root / "clone", root / "notes"
        programs, active = root / "programs", self.clone / ".venv" / "bin"
        for folder in (programs, active, root / "etc" / "reboard", root / "boot" / "firmware"):
            folder.mkdir(parents=True)
        for name in REAL:
            (programs / name).symlink_to(f"/bin/{name}")
        (programs / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
        for name in NOTED:
            (programs / name).write_text(STUB)
        for file in programs.iterdir():
            file.chmod(0o755)
        for name in ("reboard", "reboard-sim", "python"):
            (active / name).symlink_to(programs / name)
        (active / "activate").touch()
        (self.clone / "broker.sh").touch()  # tests/reboard/mqtt/test_documented_broker.py runs the real one
        for name in ("Makefile", "examples", "hardware", "tests"):
            (self.clone / name).symlink_to(TREE / name)
        installed = root / "usr" / "share" / "doc" / "reboard"
        installed.mkdir(parents=True)
        (installed / "examples").symlink_to(EXAMPLES)
        self.config, self.state = root / "etc" / "reboard" / "table.toml", root / "var" / "lib" / "reboard"
        self.state.mkdir(parents=True)
        self.config.write_text(f"{CONFIG.read_text()}\n[state]\ndirectory = '{self.state}'\n")
        self._environment = {
            "PATH": str(programs),
            "NOTES": str(self.notes),
            "HOME": str(root),
        }

    def run(self, script: str, folder: Path) -> list[Call]:
        """Run *script*, in which absolute paths are in this folder, and return the calls of the noted programs."""
        self.notes.write_text("")
        here = re.sub(r"(?<![\w.:/)}<])/(?=[a-z])", f"{self.root}/", script)
        done = subprocess.run(
            ["/bin/sh", "-euc", here], cwd=folder, env=self._environment, capture_output=True, text=True, timeout=60
        )
        hint = "A block that is no command needs a language, such as ```text." if done.returncode == 127 else ""
        assert done.returncode == 0, f"{done.stderr}{hint}\nin:\n{script}"
        calls = [note.split("\0") for note in self.notes.read_text().split("\0\n") if note]
        return [Call(Path(folder), program, arguments) for folder, program, *arguments in calls]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("game")
    play = folder / "game.play"
    play.write_text("insert left 1\nkey GO\nwait 2\nkey GO\nwait 2\n")
    assert play_file(play, config=CONFIG, state=folder, seed=1) == 0
    return (folder / "ledger.db").read_bytes()


@pytest.fixture
def sandbox(tmp_path: Path, ledger: bytes) -> Sandbox:
    sandbox = Sandbox(tmp_path)
    # with a backup, as the documents call one
    for name in ("ledger.db", "ledger.db.backup-7"):
        (sandbox.state / name).write_bytes(ledger)
    return sandbox


def of(document: Path, *languages: str) -> list[Quotation]:
    return [block for block in blocks(document) if block.language in languages]


def with_blocks(*languages: str) -> pytest.MarkDecorator:
    found = [document for document in DOCUMENTS if of(document, *languages)]
    return pytest.mark.parametrize("document", found, ids=lambda path: str(path.relative_to(TREE)))


@with_blocks("", "sh")
def test_commands_work(document: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for block in of(document, "", "sh"):
        for call in sandbox.run(block.text.replace("[NUMBER]", "1"), sandbox.clone):
            where = f"{block.document}:{block.line}: {call}"
            if call.program in OURS:
                assert str(call) in FOREIGN or kind_of(str(call)).lookup(str(call)), where
            assert [path for path in re.findall(r"http://[^/]+(/[^? ]+)", str(call)) if not is_file(path)] == [], where
            if call.program == "make":
                assert (call.folder / "Makefile").exists(), f"{where} finds no Makefile"
            # a config that the block names is that of a package that is not installed here
            if call.program == "reboard" and "-c" not in call.arguments and call.can_be_run:
                monkeypatch.chdir(call.folder)
                assert main(["-c", str(sandbox.config), *call.arguments]) == 0, where


@with_blocks("toml")
def test_settings_are_valid(document: Path) -> None:
    for block in of(document, "toml"):
        try:
            config = tomllib.loads(block.text)
        except tomllib.TOMLDecodeError:
            config = {}
        if config and config.keys() <= TableSection(CONFIG).keys.keys():
            parse_config(_merged(tomllib.loads(CONFIG.read_text()), config), path=CONFIG)
        else:
            lines = {line.partition("  #")[0].strip() for line in block.text.splitlines()} - {"", *FOREIGN}
            assert [line for line in lines if not (is_setting(line) or is_said_together(line))] == [], block


def test_the_first_config_is_a_whole_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.toml"
    file.write_text(of(TREE / "docs" / "config.md", "toml")[0].text)
    assert check(file, electrical=False)
    assert "silent" not in capsys.readouterr().out


def _merged(config: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    both = {key: _merged(config[key], more[key]) for key in config.keys() & more.keys() if isinstance(more[key], dict)}
    return {**config, **more, **both}


@with_blocks("conf")
def test_settings_of_a_broker_are_those_of_ours(document: Path) -> None:
    ours = dict(line.split(" ", 1) for line in SETTINGS.splitlines() if "{" not in line)
    for block in of(document, "conf"):
        settings = dict(line.split(" ", 1) for line in block.text.splitlines())
        same = ours.keys() & settings.keys() - {"allow_anonymous"}
        assert same
        assert {key: settings[key] for key in same} == {key: ours[key] for key in same}


@with_blocks("json")
def test_json_is_valid(document: Path) -> None:
    for block in of(document, "json"):
        assert json.loads(block.text)
        assert has_known_words(block.text)


@with_blocks("python")
def test_python_is_valid(document: Path) -> None:
    for block in of(document, "python"):
        compile(block.text, str(block), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("document", ["docs/script.md", "docs/your-own-reader.md"])
def test_scripts_are_examples(document: str) -> None:
    files = (path for path in (TREE / "examples").rglob("*.*") if path.suffix in (".py", ".play"))
    examples = [path.read_text(encoding="utf-8") for path in files]
    for block in of(TREE / document, "python", "play"):
        assert any(block.text in example for example in examples)


LANGUAGES = {"", "caddyfile", "conf", "ini", "json", "nginx", "play", "python", "sh", "text", "toml", "yaml"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(TREE)))
def test_each_block_has_a_language(document: Path) -> None:
    assert {block.language for block in blocks(document)} <= LANGUAGES
    assert ":::" not in by_hand(document), "a directive of another tool is shown as it is"
