"""The parser of both command lines: groups of commands, examples, exit codes, and suggestions for a mistyped name."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from math import inf
from typing import Any, NoReturn

from reboard.config.reading import did_you_mean

WIDTH = 80

EXIT_CODES = (
    "0  the command did its work, and found no fault; a server was stopped",
    "1  it failed, was stopped before its end, or found a fault",
    "2  the command line or the config is invalid",
)


class CommandParser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that lists its commands in groups, and ends its help with *examples* and *exit_codes*.

    *group* is the heading above this command in the help of its parent. A command without ``help`` is not listed.
    """

    def __init__(
        self,
        *,
        description: str = "",
        examples: Sequence[str] = (),
        exit_codes: Sequence[str] = EXIT_CODES,
        more: str = "",
        group: str = "commands",
        **options: Any,
    ) -> None:
        self.group = group
        sections = [_section("examples", examples), _section("exit codes", exit_codes), more]
        super().__init__(
            description=textwrap.fill(description, WIDTH, break_on_hyphens=False),
            epilog="\n\n".join(filter(None, sections)),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **options,
        )

    def format_help(self) -> str:
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for title, actions in self._sections():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def _sections(self) -> Iterator[tuple[str | None, Iterable[argparse.Action]]]:
        for commands in self._actions:
            if not isinstance(commands, argparse._SubParsersAction):
                continue
            groups: dict[str, list[argparse.Action]] = {}
            for entry in commands._get_subactions():
                groups.setdefault(commands.choices[entry.dest].group, []).append(entry)
            yield from groups.items()
        for section in self._action_groups:
            yield (
                section.title,
                [action for action in section._group_actions if not isinstance(action, argparse._SubParsersAction)],
            )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse *args*. A command rejects unknown words itself, with its own usage."""
        self._words = list(sys.argv[1:] if args is None else args)
        self._reject(takewhile(_is_long_option, self._words))
        found, unknown = super().parse_known_args(self._words, namespace)
        self._reject(unknown)
        return found, unknown

    def _reject(self, words: Iterable[str]) -> None:
        for word in words:
            option = word.partition("=")[0]
            if not option.startswith("-"):
                self.error(f"{word!r} is one argument too many")
            if not any(known.startswith(option) for known in self._option_string_actions):
                self.error(f"there is no option {option}{did_you_mean(option, self._option_string_actions)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            # argparse takes the value of an unknown option for a command
            self._reject(filter(_is_long_option, self._words[: self._words.index(value)]))
            names = [entry.dest for entry in action._get_subactions()]
            self.error(f"there is no command {value!r}{did_you_mean(value, names) or ': use ' + ', '.join(names)}")
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        """Print the usage and *message* on standard error, and exit with 2."""
        super().error(f"{message}\nRun `{self.prog} --help` for all commands and options.")


def _is_long_option(word: str) -> bool:
    return word.startswith("--")


def add_command(
    commands: argparse._SubParsersAction[CommandParser],
    name: str,
    text: str,
    *parents: CommandParser,
    is_listed: bool = True,
    **options: Any,
) -> CommandParser:
    """Add the command *name* to *commands* and return its parser. *text* says what the command does.

    If not *is_listed*, the command works, but the help of its parent does not show it.
    """
    if is_listed:
        options["help"] = text
    return commands.add_parser(name, parents=parents, description=f"{text[0].upper()}{text[1:]}.", **options)


def whole_number(most: int | None = None) -> Callable[[str], int]:
    """Return the reader of an argument that is a whole number from 1, up to *most* if it is given."""

    def number(word: str) -> int:
        if not word.isdecimal() or not 1 <= int(word) <= (most or inf):
            allowed = f"from 1 to {most}" if most else "of 1 or more"
            raise argparse.ArgumentTypeError(f"{word!r} is not a whole number {allowed}")
        return int(word)

    return number


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{title}:", *(f"  {line}" for line in lines)]) if lines else ""
