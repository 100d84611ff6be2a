"""The mark of a restore that was begun, and that a power cut may have interrupted."""

from __future__ import annotations

from pathlib import Path

from reboard.errors import ConfigError


def interrupted_restore(config_file: Path) -> Path:
    """Return the copy of the backup that is being restored. It exists from the first change to the last one."""
    return config_file.with_name("restoring.backup")


def must_be_restored(config_file: Path) -> None:
    """Raise `ConfigError`, after which systemd does not try again, if a restore of *config_file* is half done."""
    if interrupted_restore(config_file).exists():
        raise ConfigError(
            "a restore was interrupted, so that config and ledger may not belong together: run `sudo reboard restore`, "
            "which completes it"
        )
