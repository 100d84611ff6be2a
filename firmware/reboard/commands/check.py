"""``reboard check``: the meaning of a config; ``--electrical``: whether its wiring can work."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from reboard.accessories.accessory import accessories
from reboard.commands.output import FindingPrinter
from reboard.table_config import describe, load_config


def check(file: Path, *, electrical: bool) -> bool:
    """Print the meaning of the config in *file*; return whether it has no fault. Raises `ConfigError` for a bad one."""
    config = load_config(file)
    print(describe(config))
    printer = FindingPrinter()
    for name, section in config.sections.items():
        for finding in accessories()[name].findings(section):
            printer.tell(finding)
    if not electrical:
        return not printer.wrong
    from reboard.wiring.electrical_check import electrical_findings

    for finding in electrical_findings(config):
        printer.tell(finding)
    printer.sum_up()
    return not printer.wrong


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard check``."""
    parser.add_argument("--electrical", action="store_true", help="also check whether the wiring can work")


def main(args: Namespace) -> bool:
    """Check the config; return whether it has no problem."""
    return check(args.config, electrical=args.electrical)
