"""``table.toml``: what is plugged in where.

Each dataclass is one section of the file and says beside each key how it is read; a key is added by one line here,
one in ``hardware/table.toml`` and one in ``docs/config.md``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from reboard import player_names
from reboard.board import SOUND_LIBRARIES
from reboard.dance import USUAL_S, Pattern, Step
from reboard.edition import (
    MOST_PLAYERS,
    edition_names,
    editions_in_the_box,
    joined_name,
    load_edition,
    split_name,
)
from reboard.errors import ConfigError
from reboard.finding import Finding, note, wrong
from reboard.host_pin import HostPin
from reboard.languages import LANGUAGES
from reboard.odds import MOST_COINS, Odds
from reboard.settings.kinds import ByKind, Choice, Number, Section, Several, Whole, file_path, flag, text
from reboard.settings.pins_and_ports import (
    Listen,
    backpack_address,
    claim_i2c_pins,
    input_device,
    listen,
    motor_pin,
    pin,
    serial_port,
    tag,
)
from reboard.settings.reading import NOWHERE, Reading, called, did_you_mean, read_toml
from reboard.settings.state_directory import USUAL_STATE_DIRECTORY
from reboard.settings.toml_lines import KeyPath, Place
from reboard.settings.wiring import Wiring
from reboard.volume import LOUDEST, USUAL_VOLUME

WEIGHT = Whole(0, 1000)
ODDS = Section(
    Odds, {"coins": Several(WEIGHT, 1, MOST_COINS)} | dict.fromkeys(("laugh", "power_up", "game_over"), WEIGHT)
)
ACCESSORIES = ("block", "apple", "bank")
DEFAULT_LISTEN = Listen("127.0.0.1", 8080)


def edition(reading: Reading, path: KeyPath, value: object, /) -> str:
    """The name of an edition in the box, or the path of an edition's file, made absolute; with its variant, if any."""
    name = text(reading, path, value)
    plain, variant = split_name(name)
    if plain.endswith(".toml"):
        file = file_path(reading, path, plain)
        if not file.is_file():
            raise reading.wrong(path, f"there is no edition file {file}")
        name = joined_name(file, variant)
        try:
            load_edition(name)
        except ConfigError as problems:
            raise reading.wrong(
                path, f"this edition cannot be played: {'; '.join(str(problems).splitlines())}"
            ) from None
        return name
    try:
        return load_edition(name).name
    except ConfigError:
        names = [edition.name for edition in editions_in_the_box()]
        allowed = f"{', '.join(names)}, or the path of a file that ends in .toml"
        raise reading.must_be(path, allowed, name, did_you_mean(name, names)) from None


def player_name(reading: Reading, path: KeyPath, value: object, /) -> str:
    """What a player is called."""
    name = text(reading, path, value)
    if allowed := player_names.must_be(name):
        raise reading.must_be(path, allowed, value)
    reading.claim(f"the name {name}", path)
    return name


def host_pin(reading: Reading, path: KeyPath, value: object, /) -> HostPin:
    """The host's PIN as `reboard pin` prints it. What is wrong is told without repeating it: it may be the PIN."""
    try:
        return HostPin.parse(value if isinstance(value, str) else "")
    except ValueError:
        text = f"{called(path)} must be what `reboard pin` prints: a PIN does not stand here as it is typed"
        raise reading.wrong(path, text) from None


def step(reading: Reading, path: KeyPath, value: object, /) -> Step:
    """One step of a motor's pattern: ``[level, seconds]``, a level that turns it and seconds that can be seen."""
    if not isinstance(value, list) or len(value) != 2:
        raise reading.must_be(path, "[level, seconds]", value)
    level = Number(0.2, 1.0, "of full power")(reading, (*path, 0), value[0])
    return Step(level, Number(0.1, 10.0, "seconds")(reading, (*path, 1), value[1]))


@dataclass(frozen=True, slots=True)
class BlockConfig:
    """``[block]``, the question block; *linked*: the bank books what it brings."""

    button: Annotated[int, pin]
    lamp: Annotated[int | None, pin] = None
    odds: Annotated[Odds, ODDS] = field(default_factory=Odds)
    bag: Annotated[bool, flag] = False
    quiet: Annotated[bool, flag] = False
    linked: Annotated[bool, flag] = False


@dataclass(frozen=True, slots=True)
class AppleConfig:
    """``[apple]``, the worm apple; *pattern* ``None`` is the built-in dance."""

    lever: Annotated[int, pin]
    motor: Annotated[int | None, motor_pin] = None
    seconds: Annotated[float, Number(5, 120, "seconds")] = USUAL_S
    pattern: Annotated[Pattern | None, Several(step, 1, 32)] = None


@dataclass(frozen=True, slots=True)
class Rdm6300Config:
    """An RDM6300 on a serial line. A card is gone when *hold_s* seconds pass without a word of it."""

    reader: Annotated[str, text]
    port: Annotated[str, serial_port]
    hold_s: Annotated[float, Number(0.1, 5.0, "seconds")] = 0.5


@dataclass(frozen=True, slots=True)
class Id12Config:
    """An ID-12LA or ID-20LA on a serial line."""

    reader: Annotated[str, text]
    port: Annotated[str, serial_port]


@dataclass(frozen=True, slots=True)
class Pn532Config:
    """A PN532 on a serial line. A card is gone when it was not found for *hold_s* seconds."""

    reader: Annotated[str, text]
    port: Annotated[str, serial_port]
    hold_s: Annotated[float, Number(0.1, 5.0, "seconds")] = 0.5


@dataclass(frozen=True, slots=True)
class KeyboardConfig:
    """A USB reader that types; *device* is the file in ``/dev/input`` that Linux gives it."""

    reader: Annotated[str, text]
    device: Annotated[str, input_device]


@dataclass(frozen=True, slots=True)
class BumpsConfig:
    """Three microswitches for the original game's cards; *pins* are those that count 1, 2 and 4."""

    reader: Annotated[str, text]
    pins: Annotated[tuple[int, ...], Several(pin, 3, 3)]


LineSlotConfig = Rdm6300Config | Id12Config | Pn532Config | KeyboardConfig
"""A slot whose reader takes no pin."""

SlotConfig = LineSlotConfig | BumpsConfig
"""``bank.left`` and ``bank.right``: what reads the cards, and how it is plugged in."""

SLOT_KINDS: dict[str, Section[SlotConfig]] = {
    "rdm6300": Section(Rdm6300Config),
    "id12": Section(Id12Config),
    "pn532": Section(Pn532Config),
    "keyboard": Section(KeyboardConfig),
    "bumps": Section(BumpsConfig),
}
"""The readers there are, each with the section that tells how it is plugged in."""


CARDS_READ: Mapping[str, str] = {
    "rdm6300": "125 kHz cards (EM4100)",
    "id12": "125 kHz cards (EM4100)",
    "pn532": "13.56 MHz cards (NFC)",
    "bumps": "the original game's cards",
}
"""What each kind of reader reads. Kinds that read the same cards give them the same tags. A USB reader is not here: it
reads one sort of card or the other, and each maker writes the tag in its own way."""


def mixed_readers(left: str, right: str) -> Finding | None:
    """Return what is wrong with these kinds of reader in the two slots, if one card cannot be used in both."""
    kinds = {left, right}
    if len(kinds) == 1 or ("keyboard" not in kinds and CARDS_READ[left] == CARDS_READ[right]):
        return None
    if "keyboard" in kinds and "bumps" not in kinds:
        return note(
            "readers.mixed",
            f"The left slot has the reader {left} and the right slot {right}: they may read different cards, or know "
            "the same card by different tags.",
            "Put one card into one slot after the other. If its number changes, use the same kind of reader in both: "
            "bank.left and bank.right in table.toml.",
        )
    reads = {**CARDS_READ, "keyboard": "electronic cards"}
    return wrong(
        "readers.mixed",
        f"The left slot ({left}) reads {reads[left]}, and the right slot ({right}) reads {reads[right]}: no card works "
        "in both.",
        "Use the same kind of reader in both slots: bank.left and bank.right in table.toml.",
    )


@dataclass(frozen=True, slots=True)
class KeypadConfig:
    """``bank.keypad``: a matrix of sixteen keys, rows from top to bottom, columns from left to right."""

    rows: Annotated[tuple[int, ...], Several(pin, 4, 4)]
    columns: Annotated[tuple[int, ...], Several(pin, 4, 4)]


@dataclass(frozen=True, slots=True)
class DisplayConfig:
    """``bank.display``: two lines of 16 characters."""

    driver: Annotated[str, Choice("hd44780-i2c")]
    bus: Annotated[int, Whole(0, 255)] = 1
    address: Annotated[int, backpack_address] = 0x27


DISPLAY = Section(DisplayConfig, then=lambda reading, path, display: claim_i2c_pins(reading, path, display.bus))


@dataclass(frozen=True, slots=True)
class BankConfig:
    """``[bank]``, the banker unit.

    *cards* are the tags of cards 1, 2, … when they are known beforehand, *names* who plays with them.
    *pot*: the game has a Free Parking pot.
    """

    left: Annotated[SlotConfig | None, ByKind("reader", SLOT_KINDS)] = None
    right: Annotated[SlotConfig | None, ByKind("reader", SLOT_KINDS)] = None
    keypad: Annotated[KeypadConfig | None, Section(KeypadConfig)] = None
    display: Annotated[DisplayConfig | None, DISPLAY] = None
    cards: Annotated[tuple[str, ...], Several(tag, 0, MOST_PLAYERS)] = ()
    names: Annotated[tuple[str, ...], Several(player_name, 0, MOST_PLAYERS)] = ()
    language: Annotated[str, Choice(*LANGUAGES)] = "en"
    pot: Annotated[bool, flag] = False

    @property
    def mixed_readers(self) -> Finding | None:
        """What is wrong with the two kinds of reader, as `mixed_readers` finds it."""
        return mixed_readers(self.left.reader, self.right.reader) if self.left and self.right else None


@dataclass(frozen=True, slots=True)
class SpeakerConfig:
    """``[speaker]``; *library* ``None`` is the best one here, *device* ``None`` the default, *volume* 0 is mute."""

    library: Annotated[str | None, Choice(*SOUND_LIBRARIES)] = None
    device: Annotated[str | None, text] = None
    volume: Annotated[int, Whole(0, LOUDEST)] = USUAL_VOLUME
    folder: Annotated[Path | None, file_path] = None

    @property
    def is_silent(self) -> bool:
        """Whether it wants no sound, so that none of its devices is asked for."""
        return self.library == "silent"


@dataclass(frozen=True, slots=True)
class PageConfig:
    """``[page]``, the table page; *pin* ``None``: nobody is its host, and it can only be read."""

    listen: Annotated[Listen, listen] = DEFAULT_LISTEN
    pin: Annotated[HostPin | None, host_pin] = None


@dataclass(frozen=True, slots=True)
class StateConfig:
    """``[state]``: what outlives a power cut."""

    directory: Annotated[Path, file_path] = USUAL_STATE_DIRECTORY


@dataclass(frozen=True, slots=True)
class TableConfig:
    """The whole file; an accessory, speaker or page that has no section is ``None`` and not built."""

    path: Path
    edition: Annotated[str, edition] = "world"
    block: Annotated[BlockConfig | None, Section(BlockConfig)] = None
    apple: Annotated[AppleConfig | None, Section(AppleConfig)] = None
    bank: Annotated[BankConfig | None, Section(BankConfig)] = None
    speaker: Annotated[SpeakerConfig | None, Section(SpeakerConfig)] = None
    page: Annotated[PageConfig | None, Section(PageConfig)] = None
    wiring: Annotated[Wiring, Section(Wiring)] = field(default_factory=Wiring)
    state: Annotated[StateConfig, Section(StateConfig)] = field(default_factory=StateConfig)


def load_config(path: Path) -> TableConfig:
    """The config in the file *path*. Raises `ConfigError` with one line for each problem, in the order of the file."""
    document, lines = read_toml(path)
    return parse_config(document, path=path, lines=lines)


def parse_config(
    document: Mapping[str, object], *, path: Path, lines: Place = NOWHERE, where: str | None = None
) -> TableConfig:
    """The config that the TOML *document* means; relative paths in it begin where *path* lies.

    Raises `ConfigError` like `load_config`, without the numbers of lines when they are not known. *where* it was said,
    if not in *path*, stands in front of each problem; ``""``: nothing does.
    """
    reading = Reading(path, lines, where=where)
    if not any(name in document for name in ACCESSORIES):
        reading.wrong((), "nothing is plugged in: there is no [block], no [apple] and no [bank]")
    return reading.read(Section(TableConfig, then=_can_be_linked, path=path), document)


def _can_be_linked(reading: Reading, _: KeyPath, config: TableConfig) -> None:
    if not (config.block and config.block.linked):
        return
    linked = ("block", "linked")
    if config.bank is None:
        reading.wrong(linked, "block.linked books on the banker unit's cards, and there is no [bank]")
    if load_edition(config.edition).block is None:
        able = " or ".join(name for name in edition_names() if load_edition(name).block)
        text = f"block.linked needs an edition that says in its [block] what to book, as {able} does, and this is"
        reading.wrong(linked, f"{text} {config.edition}")


def with_setting(document: Mapping[str, Any], dotted_key: str, toml_value: str) -> dict[str, Any]:
    """A copy of *document* with one setting changed: ``block.quiet`` to ``true``, ``edition`` to ``world``.

    A bare word that is no TOML value is taken as a text. Raises `ConfigError` for a value that is neither, and for a
    key inside something that is no section; whether the setting makes sense is `parse_config`'s to say.
    """
    changed = table = dict(document)
    *sections, name = dotted_key.split(".")
    for section in sections:
        table[section] = table = dict(_section(table, section, dotted_key))
    table[name] = _value(toml_value)
    return changed


def without_setting(document: Mapping[str, Any], dotted_key: str) -> dict[str, Any]:
    """A copy of *document* without one setting or section, which may not be there. Raises `ConfigError` likewise."""
    section, _, inner = dotted_key.partition(".")
    changed = dict(document)
    if not inner:
        changed.pop(section, None)
    elif section in changed:
        changed[section] = without_setting(_section(changed, section, dotted_key), inner)
    return changed


def _section(table: Mapping[str, Any], section: str, dotted_key: str) -> Mapping[str, Any]:
    inner = table.get(section, {})
    if not isinstance(inner, dict):
        raise ConfigError(f"{dotted_key}: {section} is no section")
    return inner


def _value(toml_value: str) -> object:
    try:
        parsed = tomllib.loads(f"value = {toml_value}")
    except (ValueError, RecursionError) as error:
        is_a_word = toml_value.strip() and toml_value.isprintable() and toml_value[0] not in "[{\"'"
        if not is_a_word:
            raise ConfigError(f"{toml_value!r} is no TOML value: {error}") from None
        return toml_value
    if len(parsed) > 1:
        raise ConfigError(f"{toml_value!r} is more than one value")
    return parsed["value"]
