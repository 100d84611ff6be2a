"""``reboard setup``: the setup wizard. Its steps ask about each device and try it. The last step writes the config."""

from __future__ import annotations

import asyncio
import os
import sys
import tomllib
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from reboard.accessories.accessory import Accessory
from reboard.accessories.installed import BrokenAccessory, accessories
from reboard.accessories.shared_requests import JoinCode
from reboard.aiotools import cancelled_by_signals, is_cancelled
from reboard.atomic_write import replace
from reboard.board import Board, virtual_pi
from reboard.commands.parser import CommandParser
from reboard.commands.setup_pi import add_commands
from reboard.config.pins_and_ports import Listen
from reboard.config.reading import read_toml, state_directory
from reboard.control.client import has_table
from reboard.control.protocol import socket_path
from reboard.control.table_requests import TableRequests
from reboard.devices.device import FittedDevice
from reboard.devices.examination import SetupStep
from reboard.devices.sound_card import try_out_speaker
from reboard.devices.speaker import SPEAKER
from reboard.doctor.disk import is_root_read_only
from reboard.doctor.doctor_context import SAFE, TABLE
from reboard.doctor.machine import Machine
from reboard.editions.edition import editions_in_the_box
from reboard.errors import PLUG_IN_ERRORS, PLUG_IN_REMEDY, ConfigError, DeviceError, ReboardError, failure
from reboard.finding import all_of
from reboard.raspberry_pi import RaspberryPi
from reboard.setup.boot_config import find_boot_config, make, show
from reboard.setup.draft import Draft, config_text
from reboard.setup.mqtt_broker import PASSWORD_NAME, set_up_mqtt, write_password
from reboard.setup.prompts import HOW_TO_ANSWER, Back, Prompts, Quit, Skip, StandardTerminal, Terminal
from reboard.setup.services import running_services, table_stopped
from reboard.setup.setup_context import SetupContext
from reboard.setup.stuck_lines import try_lines
from reboard.setup.udev import RULES, present_rules, write_rules
from reboard.table_config import (
    DEFAULT_LISTEN,
    PageConfig,
    StateConfig,
    TableConfig,
    describe,
    load_config,
    parse_config,
)

USUAL_EDITION = "world"
BANK = "bank"

PHONES = tomllib.loads(resources.files("reboard.setup").joinpath("phones.toml").read_text("utf-8"))
"""The config that the package installs: a table that is only phones, which may not join yet."""

Step = Callable[[SetupContext], Awaitable[None]]

PIN_FACTORY = "GPIOZERO_PIN_FACTORY"
"""The environment variable that chooses another pin library, such as ``mock``."""


async def setup(file: Path) -> bool:
    """Run the setup wizard on this machine. Return whether it wrote the config *file*.

    Raises `ReboardError` if *file* is not writable, if this machine has no pins, if a table or safe mode is running, or
    if SIGINT, SIGHUP or SIGTERM stops setup. Raises ``OSError`` if writing fails. Every device is closed at the end.
    """
    machine = Machine()
    _must_be_writable(file, machine.user)
    _must_have_pins(machine)
    with closing(RaspberryPi()) as board, cancelled_by_signals():
        try:
            return await set_up(file, StandardTerminal(), board, machine)
        except asyncio.CancelledError:
            raise ReboardError("setup was stopped, and the config was not written") from None


async def set_up(file: Path, terminal: Terminal, board: Board, machine: Machine) -> bool:
    """Run the setup wizard for *board* at *terminal*. Return whether it wrote the config *file*.

    The service of the table is stopped meanwhile, after a question. Closes *board*.
    """
    prompts = Prompts(terminal)
    document, state = _present(file, prompts)
    try:
        running = await _services_to_stop(machine, state, prompts)
        async with table_stopped(machine, running, before_start=board.close):
            prompts.say("Setup asks about each device and tries it. It writes the config only at the end.")
            if is_root_read_only(machine):
                prompts.say(
                    "The root is read-only, so the config is lost when the Pi is switched off. To keep it, type q, run "
                    "`sudo reboard setup read-only --undo` and `sudo reboot`, and start setup again."
                )
            prompts.say(HOW_TO_ANSWER)
            draft = Draft(document, present_rules(machine))
            context = SetupContext(prompts, board, machine, draft, is_new=document in ({}, PHONES))
            mqtt, write = partial(_unless_only_phones, partial(set_up_mqtt, file)), partial(_write, file)
            await take([_ask_for_devices, *all_steps(), mqtt, write], context)
    except (Back, Skip, Quit):
        prompts.show("\nThe config was not written.")
        return False
    if not running:
        prompts.say("Start the table with `sudo systemctl restart reboard reboard-page`.")
    await _invite(prompts, load_config(file), machine.path(socket_path(state)) if running else None)
    prompts.say("`sudo reboard doctor` checks everything.")
    return True


def _must_be_writable(file: Path, user: str) -> None:
    existing = next(path for path in (file.absolute(), *file.absolute().parents) if path.exists())
    if not os.access(existing, os.W_OK):
        raise ReboardError(
            f"{user} has no permission to write {file}. Run this command with sudo, or name another file with -c"
        )


def _must_have_pins(machine: Machine) -> None:
    if machine.model.startswith("Raspberry Pi") or PIN_FACTORY in os.environ:
        return
    try:
        machine.header()
    except DeviceError:
        raise ReboardError(
            "this machine is not a Raspberry Pi, so it has no pins to try. Run `sudo reboard setup` on the "
            f"Pi{virtual_pi()}"
        ) from None


def _present(file: Path, prompts: Prompts) -> tuple[dict[str, Any], Path]:
    """Return the current config and its state directory. An invalid config counts as an empty one."""
    if not file.exists():
        return {}, StateConfig().directory
    try:
        document, lines = read_toml(file)
        config = parse_config(document, path=file, lines=lines)
    except ConfigError:
        prompts.say(
            f"The current config is invalid (`reboard check -c {file}` shows why). Setup starts with an empty config."
        )
        return {}, state_directory(file)
    return document, config.state.directory


async def _services_to_stop(machine: Machine, state: Path, prompts: Prompts) -> list[str]:
    """Return the services that setup must stop.

    Raises `Quit` if the user does not agree, and `ReboardError` if setup cannot stop what uses the pins.
    """
    running = await running_services(machine)
    if not {TABLE, SAFE} & set(running):
        if await has_table(machine.path(socket_path(state))):
            raise ReboardError(
                "a table is running and uses the pins. Press Ctrl+C where `reboard run` is running, and try again"
            )
        return []
    if machine.user != "root":
        raise ReboardError(
            "the table is running and uses the pins. Run this command with sudo, which stops it meanwhile"
        )
    if not await prompts.yes("The table is running and uses the pins. Stop it until the end of setup?"):
        raise Quit
    return running


def all_steps() -> list[Step]:
    """Return the setup steps: the boot settings, the wires, the edition, each device, and the phones."""
    of_devices: list[Step] = []
    for accessory in accessories().values():
        if not isinstance(accessory, BrokenAccessory):
            of_devices.append(partial(_set_up_accessory, accessory))
            of_devices += [partial(_take_step, accessory, step) for step in accessory.setup_steps()]
    first, of_devices = [_set_boot, _test_lines], [*of_devices, _set_up_speaker]
    only = partial(partial, _unless_only_phones)
    return [*map(only, first), _choose_edition, *map(only, of_devices), _set_up_phones]


async def _ask_for_devices(context: SetupContext) -> None:
    """Ask whether the table is only phones, unless the config has a device."""
    sections = {*accessories(), SPEAKER} - {BANK}
    if not (bank := accessories().get(BANK)) or any(
        context.draft.get(name) for name in (*sections, *(device.label for device in bank.fitted))
    ):
        return
    question = "Is anything connected to this Pi, such as a button, a card reader or a speaker?"
    context.is_only_phones = not await context.prompts.yes(question, context.is_new)
    if context.is_only_phones and context.draft.get(BANK) is None:
        context.put(BANK, {})


async def _unless_only_phones(step: Step, context: SetupContext) -> None:
    if not context.is_only_phones:
        await step(context)


async def take(steps: Sequence[Step], context: SetupContext) -> None:
    """Run *steps* one after the other.

    The answer ``b`` goes back to the previous step that asked a question. Other answers are kept. A skipped step leaves
    the draft unchanged.
    """
    asked: list[int] = []
    place = 0
    while place < len(steps):
        before, questions = context.draft.copy(), context.prompts.questions
        context.begin_step()
        try:
            await steps[place](context)
        except Skip:
            context.draft = before
        except Back:
            context.draft = before
            place = asked.pop() if asked else 0
            continue
        if context.prompts.questions > questions:
            asked.append(place)
        place += 1


async def _set_boot(context: SetupContext) -> None:
    boot, prompts = find_boot_config(context.host), context.prompts
    if not boot or not (changes := boot.changes()):
        return
    prompts.show("\nThe boot settings of the Pi")
    if not os.access(boot.file, os.W_OK):
        prompts.say("Some boot settings are missing. `sudo reboard setup boot` writes them.")
        return
    show(changes, prompts)
    if await make(changes, prompts):
        prompts.say(
            "If you have a display or a card reader on the header, type q now, restart the Pi, and run `sudo reboard "
            "setup` again: they cannot be found before."
        )


async def _choose_edition(context: SetupContext) -> None:
    context.prompts.show("\nThe game")
    present = str(context.draft.get("edition") or USUAL_EDITION)
    editions = {edition.name: edition.title for edition in editions_in_the_box()}
    editions.setdefault(present, "your own")
    context.put("edition", await context.prompts.choose("Which edition do you play?", editions, present))


async def _set_up_accessory(accessory: Accessory[Any], context: SetupContext) -> None:
    title = accessory.title.lower()
    context.prompts.show(f"\nThe {title}")
    required = [device for device in accessory.fitted if device.is_required]
    # without a required device, it is not clear what counts as one
    optional = "" if required else f", with {all_of([device.title for device in accessory.fitted], 'or')}"
    if not await context.has(accessory.name, f"Is there a {title}{optional}?"):
        return
    is_new = context.draft.get(accessory.name) is None
    for device in required:
        try:
            await _try_out(accessory, device, context)
        except Skip:
            if is_new:
                context.prompts.say(f"The {title} needs the {device.title}, so it is left out of the config.")
            raise
    if not required and is_new:
        context.put(accessory.name, {})


async def _take_step(
    accessory: Accessory[Any], step: FittedDevice[Any, Any] | SetupStep, context: SetupContext
) -> None:
    if context.draft.get(accessory.name) is None:
        return
    if isinstance(step, FittedDevice):
        if step.kind.has_heading:
            context.prompts.show(f"\nThe {step.title}")
        if not await context.has(step.label, step.question or f"Is there a {step.title}?"):
            return
    await _try_out(accessory, step, context)


async def _try_out(accessory: Accessory[Any], step: FittedDevice[Any, Any] | SetupStep, context: SetupContext) -> None:
    with _skipped_if_it_fails(f"This step of the {accessory.title.lower()}", context):
        if not isinstance(step, FittedDevice):
            await step(context)
        elif (setting := await step.kind.try_out(step, context)) is not None:
            context.put(step.label, setting)


async def _test_lines(context: SetupContext) -> None:
    with _skipped_if_it_fails("The test of the wires", context):
        await try_lines(context)


@contextmanager
def _skipped_if_it_fails(what: str, context: SetupContext) -> Iterator[None]:
    """If the ``with`` fails, perhaps in the code of a plug-in, explain why, and raise `Skip`. *what* is its subject."""
    try:
        yield
    except (Back, Skip, Quit):
        raise
    except PLUG_IN_ERRORS as error:
        if is_cancelled():
            raise
        cause = f"{error}" if isinstance(error, ReboardError) else f"{failure(error)}. {PLUG_IN_REMEDY}"
        context.prompts.say(f"{what} failed, so it is skipped: {cause}.")
        raise Skip from error


async def _set_up_speaker(context: SetupContext) -> None:
    context.prompts.show("\nThe speaker")
    if await context.has(SPEAKER, "Is there a speaker?") and (section := await try_out_speaker(context)) is not None:
        context.put(SPEAKER, section)


async def _set_up_phones(context: SetupContext) -> None:
    """Ask whether phones may join. If so, the page listens on the network, and players pay with their phones.

    On a table with a keypad or a host, ``GO`` or the host confirms each payment.
    """
    prompts, draft = context.prompts, context.draft
    prompts.show("\nThe phones")
    page = draft.get("page") or {}
    host, _, port = str(page.get("listen", DEFAULT_LISTEN)).rpartition(":")
    is_open = not Listen(host.strip("[]"), int(port)).is_local
    pays = page.get("pay", "off") not in ("off", False)
    may_join = is_open and (pays or draft.get(BANK) is None)
    what = ", to see the game" if draft.get(BANK) is None else ", to see the game and to pay"
    if await prompts.yes(f"May phones in your network join{what}?", context.is_new or may_join) == may_join:
        return
    if may_join or not is_open:
        page = {**page, "listen": f"{'127.0.0.1' if may_join else '0.0.0.0'}:{port}"}
    if draft.get(BANK) is not None:
        is_confirmed = draft.get("bank.keypad") is not None or "pin" in page
        page = {**page, "pay": "off" if may_join else "ask" if is_confirmed else "free"}
    context.put("page", page)


async def _write(file: Path, context: SetupContext) -> None:
    """Show the new config. If the user agrees, write it and the udev rules."""
    prompts, text = context.prompts, config_text(context.draft.document)
    try:
        config = parse_config(tomllib.loads(text), path=file, where="")
    except ConfigError as problem:
        prompts.show(f"\nThis config is invalid. Change one of the last answers:\n{problem}")
        raise Back from None
    prompts.show(f"\n{describe(config)}\n")
    if not await prompts.yes(f"Write this to {file}?"):
        raise Quit
    if kept := replace(file, text.encode()):
        prompts.say(f"A copy of the old config is at {kept}.")
    if context.draft.rules != present_rules(context.host):
        try:
            kept = await write_rules(context.host, context.draft.rules)
        except asyncio.CancelledError:
            raise ReboardError(
                f"setup was stopped. The config was written to {file}, but the names of the readers may not work yet. "
                "Run `reboard setup` again"
            ) from None
        before = f" A copy of the old file is at {kept}." if kept else ""
        prompts.say(f"The names of the readers were written to {RULES}.{before}")
    if context.draft.password and config.mqtt:
        write_password(file.with_name(PASSWORD_NAME), context.draft.password)
    prompts.say(f"The config was written to {file}.")
    if config.mqtt:
        prompts.say(
            "Start the bridge to the broker with `sudo systemctl enable reboard-mqtt` and `sudo systemctl restart "
            "reboard-mqtt`."
        )


async def _invite(prompts: Prompts, config: TableConfig, socket: Path | None) -> None:
    """Show how phones open the page, with the code of the table at the control *socket*, if it is running."""
    try:
        from reboard.web.invitation import invitation_text
    except ImportError:  # a table that is installed without the page
        return
    code = ""
    if socket and config.pay != "off":
        with suppress(ReboardError):  # the doctor says why the table does not answer
            answer: Any = await TableRequests(socket, most_at_once=1).carry_out({"do": JoinCode.do}, by="setup")
            code = answer["code"]
    if text := invitation_text((config.page or PageConfig()).listen, sys.stdout, code):
        prompts.show(f"\n{text}")


def add_arguments(parser: CommandParser, common: CommandParser) -> None:
    """Add the subcommands of ``reboard setup``. Without one of them, the wizard runs."""
    add_commands(parser.add_subparsers(metavar="[WHAT]", dest="what"), common)


def main(args: Namespace) -> bool:
    """Run the setup wizard or a subcommand. Return whether it changed what it should change."""
    return args.set_up_pi(args) if args.what else asyncio.run(setup(args.config))
