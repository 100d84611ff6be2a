"""Backup files: made while the table plays, restored on another card, and nothing half done."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shlex
import shutil
import struct
import sys
import tempfile
import tracemalloc
import zipfile
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.accounts import BANK
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.backup_file import archive, making, restoring
from reboard.backup_file.archive import read_backup
from reboard.cli import USAGE_ERROR, main
from reboard.commands import restore as command
from reboard.editions.edition import FOLDER
from reboard.errors import ReboardError
from reboard.service.fallback_config import read_config
from reboard.service.interrupted_restore import interrupted_restore
from reboard.setup.reader_rules import RULES
from reboard.sounds.sound_set import OWN_FOLDER
from reboard.table_config import load_config
from tests.full_disk import full_disk
from tests.reboard.accessories.banker_unit.ledger_calls import pay
from tests.reboard.doctor.made_up import MadeUpMachine, installed

CONFIG = """
# our table
edition = '{folder}/games/mine.toml'
[bank]
names = ["Anna", "Ben"]
[speaker]
library = "silent"
folder = "{folder}/data/our sounds"  # by Ben
[state]
directory = "state"
"""
RULE = 'SUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="A7-1", SYMLINK+="reboard-left"\n'
FOREIGN_RULE = 'SUBSYSTEM=="tty", RUN+="/bin/sh", ENV{ID_PATH}=="1", SYMLINK+="reboard-right"\n'

changes_left: dict[str, int] = {}
"""The changes until the power is cut, in a folder."""


class PowerCutError(BaseException):
    """The plug was pulled."""


def _cut(event: str, args: tuple[object, ...]) -> None:
    if event in ("os.rename", "os.remove", "os.mkdir") or (event == "open" and "w" in str(args[1])):
        for folder in changes_left:
            if str(args[0]).startswith(folder):
                changes_left[folder] -= 1
                if changes_left[folder] < 0:
                    raise PowerCutError


sys.addaudithook(_cut)


def table(folder: Path, salary: int) -> Path:
    """A table with an edition and a sound of its own, in whose game card 1 got a salary."""
    config = folder / "table.toml"
    for place in ("games", "data/our sounds/voice"):
        (folder / place).mkdir(parents=True)
    (folder / "games/mine.toml").write_bytes((FOLDER / "nintendo.toml").read_bytes())
    shutil.copy(OWN_FOLDER / "coin.wav", folder / "data/our sounds/coin.wav")
    shutil.copy(OWN_FOLDER / "coin.wav", folder / "data/our sounds/voice/card 2.wav")
    config.write_text(CONFIG.format(folder=folder))
    with closing(LedgerFile(folder / "state/ledger.db")) as ledger:
        game = ledger.new_game("mine", 1500, at=1.0, cards=(1, 2)).id
        pay(ledger, game, BANK, 1, salary, at=2.0)
        ledger.name()
        ledger.set_setting("name 2", "Bea")
    return config


def seen(config: Path) -> object:
    """What a user notices of a table: its config, its own files and its balances."""
    if not config.exists():
        return None
    loaded = load_config(config)
    with closing(LedgerFile(loaded.state.directory / "ledger.db")) as ledger:
        assert ledger.mended is None
        game = ledger.game()
        assert game
        assert loaded.speaker
        assert loaded.speaker.folder
        sounds = [path.name for path in sorted(loaded.speaker.folder.rglob("*.wav"))]
        return loaded.edition.rpartition("/")[2], sounds, ledger.balances(game.id), ledger.setting("name 2")


def files(folder: Path) -> dict[str, bytes]:
    # the lock is only ever opened
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def back_up(config: Path) -> Path:
    file = config.with_name("it.backup")
    assert main(["backup", str(file), "-c", str(config)]) == 0
    return file


def restore(file: Path | None, config: Path) -> int:
    return main(["restore", *([str(file)] if file else []), "-c", str(config)])


def test_a_table_that_plays_continues_on_another_card_and_the_way_back_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = table(tmp_path / "ours", 200)
    with closing(LedgerFile(tmp_path / "ours/state/ledger.db")) as playing:
        game = playing.game()
        assert game
        pay(playing, game.id, 1, 2, 7)
        file = back_up(ours)
        pay(playing, game.id, 1, 2, 500)
        assert restore(file, ours) == 1, "the table has it open"
    assert file.stat().st_mode & 0o777 == 0o600

    new = tmp_path / "new/table.toml"
    new.parent.mkdir()
    assert restore(file, new) == 0
    assert seen(new) == ("mine.toml", ["coin.wav", "card 2.wav"], {1: 1693, 2: 1507}, "Bea")
    with (
        closing(LedgerFile(tmp_path / "new/state/ledger.db")) as continued,
        closing(LedgerFile(tmp_path / "ours/state/ledger.db", read_only=True)) as left,
    ):
        assert continued.name() != left.name()

    other = table(tmp_path / "the other", 13)
    with closing(LedgerFile(tmp_path / "the other/state/ledger.db")) as ledger:
        make = ledger.start_backup()
        assert make
        make()  # it must not replace the restored ledger
    before = seen(other)
    capsys.readouterr()
    assert restore(file, other) == 0
    assert seen(other) == seen(new)
    assert "# by Ben" in other.read_text()
    _, _, way_back = capsys.readouterr().out.partition("reboard restore ")
    assert main(["restore", *shlex.split(way_back)]) == 0
    assert seen(other) == before


def test_a_restore_is_all_or_nothing_at_whatever_change_the_power_is_cut(tmp_path: Path) -> None:
    file = back_up(table(tmp_path / "ours", 200))
    expected = seen(tmp_path / "ours/table.toml")
    old = table(tmp_path / "old", 13)
    before = seen(old)
    found = set()
    for changes in range(200):
        card = tmp_path / f"card-{changes}"
        shutil.copytree(old.parent, card)
        config = card / "table.toml"
        config.write_text(CONFIG.format(folder=card))
        try:
            changes_left[str(card)] = changes
            assert restore(file, config) == 0
            done = True
        except PowerCutError:
            done = False
        finally:
            changes_left.clear()
        if interrupted_restore(config).exists():
            # this is what the card's owner, or the service, does then
            assert main(["run", "-c", str(config)]) == USAGE_ERROR
            assert restore(None, config) == 0
            found.add("completed")
            assert seen(config) == expected
        elif not done:
            found.add("nothing" if seen(config) == before else "all")
        assert seen(config) in (before, expected)
        if done:
            break
        shutil.rmtree(card)
    assert done
    assert {"nothing", "completed"} <= found


def archive_of(changes: dict[str, bytes], *, form: object = archive.FORMAT, listed: bool = True) -> bytes:
    """A backup as somebody else might make it."""
    content = {"table.toml": b'[bank]\n[state]\ndirectory = "state"\n', **changes}
    hashes = {name: sha256(each).hexdigest() for name, each in content.items() if listed or name not in changes}
    described = {"format": form, "reboard": "9.1", "made_at": "now", "files": hashes}
    raw = BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, each in {"backup.json": json.dumps(described).encode(), **content}.items():
            packed.writestr(name, each)
    return raw.getvalue()


def far_away() -> bytes:
    """An archive whose file begins farther away than a computer can count."""
    raw = archive_of({})
    begin, end = raw.index(archive.ENTRY), raw.rindex(b"PK\5\6")
    name_bytes = struct.unpack_from("<H", raw, begin + 28)[0]
    entry = bytearray(raw[begin : begin + 46 + name_bytes]) + struct.pack("<HHQ", 1, 8, 2**64 - 1)
    struct.pack_into("<H", entry, 30, 12)
    struct.pack_into("<I", entry, 42, 2**32 - 1)
    last = bytearray(raw[end:])
    struct.pack_into("<HHI", last, 8, 1, 1, len(entry))
    return raw[:begin] + entry + last


SMALL_BYTES = 1_000_000

FOREIGN = {
    "nothing": b"",
    "a picture": b"\x89PNG" + bytes(1000),
    "another archive": archive_of({})[:-30],
    "a newer form": archive_of({}, form=2),
    "no number": archive_of({}, form="1"),
    "a path outside": archive_of({"../outside.toml": b""}),
    "an absolute path": archive_of({"/etc/passwd": b""}),
    "a sound outside": archive_of({"sounds/../../coin.wav": b""}),
    "a hidden file": archive_of({"editions/.toml": b""}),
    "a file that is not listed": archive_of({"sounds/coin.wav": b""}, listed=False),
    "a bomb": archive_of({"sounds/coin.wav": bytes(SMALL_BYTES + 1)}),
    "many files": archive_of({f"sounds/{number}.wav": b"" for number in range(archive.MOST_FILES + 1)}),
    "a bad config": archive_of({"table.toml": b"[block]\nbutton = 99\n"}),
    "no TOML": archive_of({"table.toml": b"\xff"}),
    "games in a place that is not there": archive_of({"table.toml": b'[bank]\n[state]\ndirectory = "/nowhere/x"\n'}),
    "no ledger": archive_of({"ledger.db": b"no ledger"}),
    "a file that begins far away": far_away(),
    "nested": archive_of({"table.toml": b"x = " + b"[" * 1900}),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_or_damaged_file_changes_nothing_and_says_why(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", SMALL_BYTES)
    config = table(tmp_path / "table", 200)
    file = tmp_path / "foreign.backup"
    file.write_bytes(FOREIGN[name])
    before = files(tmp_path)
    assert restore(file, config) == 1
    said = capsys.readouterr().err
    assert str(file) in said
    assert "bug" not in said
    assert files(tmp_path) == before


def test_a_link_in_an_archive_leads_nowhere_and_no_damaged_byte_passes(tmp_path: Path) -> None:
    file = back_up(table(tmp_path / "table", 200))
    raw, whole = file.read_bytes(), read_backup(file).files
    rng = random.Random(2008)
    rejected = 0
    for _ in range(100):
        damaged = bytearray(raw)
        damaged[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        file.write_bytes(damaged if rng.random() < 0.8 else raw[: rng.randrange(len(raw))])
        try:
            assert read_backup(file).files == whole, "only what nobody reads, such as a time, may differ"
        except ReboardError:
            rejected += 1
    assert rejected > 60
    link = zipfile.ZipInfo("sounds/coin.wav")
    link.external_attr = 0o120777 << 16
    linked = BytesIO(archive_of({"sounds/coin.wav": b"/etc/passwd"}))
    with zipfile.ZipFile(linked) as packed:
        contents = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in contents.items():
            packed.writestr(link if name == link.filename else name, content)
    new = tmp_path / "new/table.toml"
    new.parent.mkdir()
    assert restore(file, new) == 0
    assert (tmp_path / "new/sounds/coin.wav").read_bytes() == b"/etc/passwd"
    assert not (tmp_path / "new/sounds/coin.wav").is_symlink()


def test_a_backup_for_a_stick_that_is_not_mounted_makes_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = table(tmp_path / "table", 200)
    file = tmp_path / "stick/it.backup"
    assert main(["backup", str(file), "-c", str(config)]) == 1
    assert str(file.parent) in capsys.readouterr().err
    assert not file.parent.exists()


def test_who_makes_or_restores_a_backup_reads_what_is_not_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = table(tmp_path / "table", 200)
    (tmp_path / "new").mkdir()
    new = Path(shutil.copy(config, tmp_path / "new"))
    back_up(config)
    assert "no ledger" not in capsys.readouterr().out
    without = back_up(new)
    assert "no ledger" in capsys.readouterr().out
    before = seen(config)
    assert restore(without, config) == 0
    assert seen(config) == before
    assert "the game of" not in capsys.readouterr().out

    read_config(config).keep()
    config.write_text(config.read_text() + "[block]\nbutton = 99\n")
    back_up(config)
    assert "button" in capsys.readouterr().out


def test_a_full_disk_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = table(tmp_path / "table", 200)
    file = back_up(config)
    (tmp_path / "full").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    with full_disk(100):
        assert restore(file, config) == 1
    assert str(tmp_path / "full") in capsys.readouterr().err


def test_a_sound_whose_name_is_not_utf_8_is_left_out(tmp_path: Path) -> None:
    config = table(tmp_path / "table", 200)
    sounds = tmp_path / "table/data/our sounds"
    (sounds / os.fsdecode(b"caf\xe9.wav")).write_bytes(b"RIFF")
    assert [name for name in read_backup(back_up(config)).files if "wav" in name] == [
        "sounds/coin.wav",
        "sounds/voice/card 2.wav",
    ]


def test_a_folder_of_music_is_refused_before_it_fills_the_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (archive, making):
        monkeypatch.setattr(module, "MOST_BYTES", SMALL_BYTES)
    config = table(tmp_path / "table", 200)
    for number in range(40):
        (tmp_path / f"table/data/our sounds/{number}.wav").write_bytes(b"RIFF" + bytes(SMALL_BYTES // 2))
    tracemalloc.start()
    assert main(["backup", str(tmp_path / "it.backup"), "-c", str(config)]) == 1
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "[speaker]" in capsys.readouterr().err
    assert most < 8 * SMALL_BYTES
    # its compressed form is larger
    noise = random.Random(2008).randbytes(SMALL_BYTES)
    with pytest.raises(ReboardError):
        archive.Backup({"table.toml": noise}, "now").packed()


def test_a_ledger_that_a_newer_reboard_wrote_is_refused_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = table(tmp_path / "table", 200)
    with closing(LedgerFile(tmp_path / "table/state/ledger.db")) as ledger:
        ledger.connection.execute("CREATE TABLE note (text TEXT)")
        ledger.connection.execute("PRAGMA user_version = 99")
    file = tmp_path / "newer.backup"
    file.write_bytes(archive_of({"ledger.db": (tmp_path / "table/state/ledger.db").read_bytes()}))
    assert restore(file, config) == 1
    assert "newer reboard" in capsys.readouterr().err


def test_a_damaged_ledger_is_not_backed_up_and_what_replaces_it_keeps_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = back_up(table(tmp_path / "good", 200))
    config = table(tmp_path / "bad", 13)
    ledger = tmp_path / "bad/state/ledger.db"
    raw = ledger.read_bytes()
    ledger.write_bytes(raw[:8192] + bytes(len(raw) - 8192))
    assert main(["backup", str(tmp_path / "bad.backup"), "-c", str(config)]) == 1
    assert not (tmp_path / "bad.backup").exists()
    assert restore(good, config) == 0
    assert seen(config) == seen(tmp_path / "good/table.toml")
    assert (tmp_path / "bad/state/before-restore-1/ledger.db").read_bytes()[:8192] == raw[:8192]


def test_on_a_pi_the_services_stop_meanwhile_and_only_plain_rules_of_readers_are_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi = MadeUpMachine(tmp_path / "pi")
    pi.units = {"reboard.service": installed(), "reboard-page.service": installed()}
    services = ("stop reboard.service reboard-page.service", "start reboard.service reboard-page.service")
    pi.commands = {f"systemctl {words}": "" for words in (*services, "try-restart reboard-mqtt.service")}
    pi.write(f"{RULES}", RULE + FOREIGN_RULE)
    config = table(tmp_path / "table", 200)
    for module in (making, restoring, command):
        monkeypatch.setattr(module, "DEFAULT_CONFIG", config)
    monkeypatch.setattr(making, "RULES", pi.path(RULES))
    file = back_up(config)
    assert b"".join(read_backup(file).files[name] for name in ("udev.rules",)).decode() == RULE
    pi.write(f"{RULES}", "")
    asyncio.run(command.restore(file, config, pi))
    assert RULE in pi.text(RULES) + "\n"
    called = [words for words in pi.called if words.startswith("systemctl s")]
    assert [words for words in called if "show" not in words] == [f"systemctl {words}" for words in services]

    file.write_bytes(archive_of({"udev.rules": (RULE + FOREIGN_RULE).encode() + b"\xff"}))
    pi.write(f"{RULES}", "")
    asyncio.run(command.restore(file, config, pi))
    assert pi.text(RULES).splitlines()[-1:] == RULE.splitlines()

    pi.write("/proc/mounts", "overlayroot / overlay rw 0 0\n")
    with pytest.raises(ReboardError, match="read-only"):
        asyncio.run(command.restore(file, config, pi))
