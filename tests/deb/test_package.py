"""The Debian package in a clean Debian: install, play, upgrade, go back, remove, purge."""

from __future__ import annotations

import gzip
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from reboard.cli import COMMANDS
from reboard.languages import FOLDER
from tests.deb.clean_debian import CleanDebian, clean_root

CHECKOUT = Path(__file__).resolve().parents[2]
GUIDES = CHECKOUT / "hardware" / "guides"
PACKAGING = CHECKOUT / "debian"
"""What autopkgtest runs."""
CONFIG = "/etc/reboard/table.toml"
ANOTHER_DEFAULT = "\n# another default\n"
BROKEN = 'raise RuntimeError("a version that does not play")\n'
NOT_PYTHON = "def (\n"
MIGRATION = "\nMIGRATIONS = (*MIGRATIONS, 'CREATE TABLE note (text TEXT) STRICT;')\n"
OURS = Path("usr/lib/reboard/reboard")
REFUSED_S, TIMED_OUT = 20, 124
"""The time in which systemd refuses a start, and what `timeout` returns after it."""


def newest_package() -> Path:
    return max(CHECKOUT.glob("build/reboard_*_all.deb"), key=lambda package: package.stat().st_mtime)


def packed(folder: Path, version: str, changes: Mapping[str, str]) -> None:
    """Write the package into *folder* as another *version*, with text added to some of its files."""
    tree = folder / "tree"
    subprocess.run(["rm", "-rf", tree], check=True)
    subprocess.run(["dpkg-deb", "--raw-extract", newest_package(), tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {version}", control.read_text()))
    for name, added in changes.items():
        with (tree / OURS / name).open("a") as file:
            file.write(added)
    built = folder / f"reboard_{version}_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, built], check=True)


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """The folder of the package's files."""
    subprocess.run(["dpkg-deb", "--extract", newest_package(), tmp_path], check=True)
    return tmp_path


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CleanDebian]:
    """A Debian with packages of several versions in /srv."""
    root = clean_root(tmp_path_factory.mktemp("debian"), newest_package())
    versions: dict[str, dict[str, str]] = {
        "1.0": {},
        "2.0": {"setup/phones.toml": ANOTHER_DEFAULT},
        "3.0": {"table.py": BROKEN},
        "3.1": {"table.py": NOT_PYTHON},
        "4.0": {"accessories/banker_unit/schema.py": MIGRATION},
    }
    for version, changes in versions.items():
        packed(root / "srv", version, changes)
    subprocess.run(["rm", "-r", root / "srv/tree"], check=True)
    with closing(CleanDebian(root)) as system:
        yield system


def documented(name: str, begins: str) -> str:
    """Return the first commands after the text *begins* in a document."""
    text = (CHECKOUT / "docs" / name).read_text(encoding="utf-8")
    return text.partition(begins)[2].split("\n\n")[1]


def install(debian: CleanDebian, version: str, *options: str) -> subprocess.CompletedProcess[str]:
    return debian.run("apt-get", "install", "--yes", *options, f"/srv/reboard_{version}_all.deb")


def is_active(debian: CleanDebian) -> bool:
    return debian.run("systemctl", "is-active", "reboard", "reboard-page").stdout.split() == ["active"] * 2


def test_the_package_from_its_first_installation_to_its_purge(debian: CleanDebian) -> None:
    before = debian.files()

    # an installation on a full disk fails, leaves no half of a config, and can be continued
    debian.must(
        "sh", "-c", "mkdir /etc/reboard && mount -t tmpfs -o size=4k tmpfs /etc/reboard; echo >/etc/reboard/full"
    )
    failed = install(debian, "1.0")
    assert failed.returncode
    assert "sudo dpkg --configure -a" in failed.stdout
    assert debian.run("ls", CONFIG).returncode
    debian.must("umount", "/etc/reboard")
    installed = debian.must("dpkg", "--configure", "-a")

    # it is installed, and plays
    assert installed.rstrip().endswith("sudo reboard setup")
    assert is_active(debian)
    assert debian.must("stat", "--format=%a %U %G", CONFIG).split() == ["640", "root", "reboard-control"]
    assert "question block" in debian.must("reboard", "check")
    for guide in sorted(GUIDES.glob("*.toml")):
        debian.must("reboard", "check", "--config", f"/usr/share/doc/reboard/examples/{guide.name}")
    assert debian.ask("snapshot")["edition"] == "world"
    game = debian.ask("new_game")["game"]
    debian.ask("ask_payment", payment="payment-1", game=game, **{"from": 0, "to": 1})
    assert debian.ask("confirm_payment", payment="payment-1")["state"] == "booked"
    ledger = debian.must("reboard", "ledger", "export")
    assert len(ledger.splitlines()) == 2

    # the libraries of the package are for reboard only
    assert debian.run("python3", "-c", "import gpiozero").returncode
    uses = "import gpiozero, uvicorn; from reboard import QuestionBlock"
    debian.must("env", "PYTHONPATH=/usr/lib/reboard", "python3", "-c", uses)

    # an upgrade keeps an edited config, even if its default has changed, and the ledger
    debian.must("sed", "--in-place", 's/^edition = .*/edition = "nintendo"/', CONFIG)
    config = debian.must("cat", CONFIG)
    assert install(debian, "2.0").returncode == 0
    assert is_active(debian)
    assert debian.must("cat", CONFIG) == config
    assert debian.must("reboard", "ledger", "export") == ledger

    # a lost config comes back as the table last had it
    debian.must("rm", CONFIG)
    assert install(debian, "2.0", "--reinstall").returncode == 0
    assert debian.must("cat", CONFIG) == config
    assert debian.must("stat", "--format=%a %U %G", CONFIG).split() == ["640", "root", "reboard-control"]

    # an upgrade that does not play or cannot be compiled fails, and prints the command that goes back
    for version, reason in (("3.0", BROKEN.split('"')[1]), ("3.1", "SyntaxError")):
        failed = install(debian, version)
        assert failed.returncode
        assert reason in failed.stdout
        [command] = [line for line in failed.stdout.splitlines() if line.strip().startswith("sudo apt install")]
        back = command.strip().removeprefix("sudo ").replace("./", "/srv/")
        assert "reboard_2.0_all.deb" in back
        debian.must(*back.split(), "--yes")
        assert is_active(debian)
        assert debian.must("cat", CONFIG) == config
        assert debian.must("reboard", "ledger", "export") == ledger

    # a version that changes the ledger's form leaves a backup of it that the older version plays with
    assert install(debian, "4.0").returncode == 0
    assert "note" in debian.must("python3", "-c", TABLES)
    backups = debian.must("sh", "-c", "ls --sort=version -r /var/lib/reboard/ledger.db.backup-[0-9]*").split()
    assert install(debian, "2.0", "--allow-downgrades").returncode == 0
    assert "ledger" in debian.ask("snapshot")["faults"]
    for line in re.findall(r"^    sudo (.*)$", documented("ledger.md", "**To put a backup back**"), re.MULTILINE):
        debian.must("sh", "-c", line.replace("ledger.db.backup-7", Path(backups[0]).name))
    assert debian.must("reboard", "ledger", "export") == ledger

    # a table that did not play before an upgrade is no reason to fail
    debian.must("systemctl", "stop", "reboard")
    assert install(debian, "3.0").returncode == 0

    # what is removed keeps config and ledger, and a purge leaves nothing
    debian.must("apt-get", "remove", "--yes", "reboard")
    assert {CONFIG, "/var/lib/reboard/ledger.db"} <= debian.files()
    assert not {name for name in debian.files() - before if name.startswith("/usr/")}
    debian.must("apt-get", "purge", "--yes", "reboard")
    assert debian.files() - before <= {f"/etc/{name}-" for name in ("passwd", "group", "shadow", "gshadow")}
    assert debian.run("systemctl", "list-unit-files", "reboard*").returncode


def test_after_the_installation_four_phones_play_an_evening(debian: CleanDebian) -> None:
    assert install(debian, "1.0").returncode == 0
    subprocess.run(["cp", "-r", PACKAGING, debian.root / "srv"], check=True)
    debian.must("sh", "-c", "cd /srv && debian/tests/play")
    assert is_active(debian)
    assert debian.ask("snapshot")["faults"] == {}
    balances = [card["balance"] for card in debian.ask("snapshot")["cards"]]
    assert balances == [1500 + 200 + 150 + 10, 1500 - 150 + 10, 1500 + 40 + 10, 1500 - 40 - 30]

    # the memory card dies, and the game continues on another one
    saved = {name: debian.must("reboard", "ledger", name) for name in ("show", "export")}
    debian.must("reboard", "backup", "/srv/table.backup")
    debian.must("apt-get", "purge", "--yes", "reboard")
    assert install(debian, "1.0").returncode == 0
    assert "before-restore-1" in debian.must("reboard", "restore", "/srv/table.backup")
    assert is_active(debian)
    assert debian.must("stat", "--format=%a %U %G", CONFIG).split() == ["640", "root", "reboard-control"]
    assert debian.ask("snapshot")["faults"] == {}
    assert [card["balance"] for card in debian.ask("snapshot")["cards"]] == balances
    assert {name: debian.must("reboard", "ledger", name) for name in saved} == saved

    # a power cut has interrupted a restore: the table does not play half of it, and the next start completes it
    debian.must("cp", "/srv/table.backup", "/etc/reboard/restoring.backup")
    assert debian.run("systemctl", "restart", "reboard").returncode
    assert debian.must("systemctl", "show", "--property=NRestarts", "--value", "reboard").strip() == "0"
    # the unit would start the table, which waits for the unit
    refused = debian.run("timeout", str(REFUSED_S), "systemctl", "start", "reboard-restore")
    assert refused.returncode not in (0, TIMED_OUT)
    debian.stop()
    debian.start()
    assert is_active(debian)
    assert [card["balance"] for card in debian.ask("snapshot")["cards"]] == balances
    debian.must("apt-get", "purge", "--yes", "reboard")


def test_the_man_page_has_each_command_but_the_internal_ones(content: Path) -> None:
    page = gzip.decompress((content / "usr/share/man/man1/reboard.1.gz").read_bytes()).decode().replace("\\-", "-")
    for name, command in COMMANDS.items():
        assert (f"reboard {name}" in page) == bool(command.group), name
    headings = re.findall(r"^\.SH ([A-Z ]+)$", page, re.MULTILINE)
    assert headings[-5:] == ["OPTIONS", "EXAMPLES AND EXIT STATUS", "FILES", "NAMES", "SEE ALSO"]


def test_nothing_of_the_simulator_is_in_the_package(content: Path) -> None:
    assert not [file for name in ("reboard_sim", "static_bench") for file in content.rglob(name)]
    for catalogue in FOLDER.glob("*.po"):
        texts = catalogue.read_text("utf-8").split("\n\n")
        packed_texts = (content / OURS / "languages" / catalogue.name).read_text("utf-8").split("\n\n")
        assert packed_texts == [text for text in texts if not text.startswith(("#: sim/", "#: docs/"))]


TABLES = """
import sqlite3
rows = sqlite3.connect("/var/lib/reboard/ledger.db").execute("SELECT name FROM sqlite_schema").fetchall()
print([name for (name,) in rows])
"""
