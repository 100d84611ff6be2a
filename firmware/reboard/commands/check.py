"""``reboard check``: what a config means; ``--electrical``: whether what it is wired to can work."""

from __future__ import annotations

from pathlib import Path

from reboard.commands.describe import describe
from reboard.commands.telling import Telling
from reboard.config import load_config


def check(file: Path, *, electrical: bool) -> bool:
    """Print what the config in *file* means; return whether nothing is wrong. Raises `ConfigError` for a bad one."""
    config = load_config(file)
    print(describe(config))
    telling = Telling()
    if config.bank and (mixed := config.bank.mixed_readers):
        telling.tell(mixed)
    if not electrical:
        return not telling.wrong
    from reboard.wiring.electrical.check import electrical_findings

    for finding in electrical_findings(config):
        telling.tell(finding)
    telling.sum_up()
    return not telling.wrong
