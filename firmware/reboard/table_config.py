"""The config file ``table.toml``: its sections, and functions that read and describe a config."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, get_args

from reboard.accessories.accessory import Accessory, devices_of
from reboard.accessories.installed import BrokenAccessory, accessories
from reboard.accessories.shared_requests import BookOutcome
from reboard.accessories.table_vocabulary import NAME, OTHER_SECTIONS, PhonePay
from reboard.config.host_pin import HostPin
from reboard.config.kinds import Choice, Number, Section, Several, file_path, flag, text
from reboard.config.mqtt import MqttConfig, together
from reboard.config.pins_and_ports import Listen, host_name, ip_address, listen
from reboard.config.reading import (
    DEFAULT_STATE_DIRECTORY,
    NOWHERE,
    KeyPath,
    Lines,
    Reader,
    Reading,
    Unreadable,
    called,
    did_you_mean,
    read_toml,
)
from reboard.devices.device import FittedDevice
from reboard.devices.speaker import SpeakerConfig
from reboard.editions.edition import edition_names, editions_in_the_box, joined_name, load_edition, split_name
from reboard.errors import PLUG_IN_ERRORS, ConfigError, failure
from reboard.record import Record, replace

log = logging.getLogger(__name__)

DEFAULT_LISTEN = Listen("127.0.0.1", 8080)
MOST_NAMES = 20


def edition(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the name of a built-in edition or the path of an edition file, each with or without a variant.

    The path becomes absolute.
    """
    name = text(reading, path, value)
    plain, variant = split_name(name)
    if plain.endswith(".toml"):
        file = file_path(reading, path, plain)
        if not file.is_file():
            raise reading.wrong(path, f"there is no edition file {file}: correct the path")
        name = joined_name(file, variant)
        try:
            load_edition(name)
        except ConfigError as problems:
            raise reading.wrong(path, f"the edition file is invalid: {'; '.join(str(problems).splitlines())}") from None
        return name
    try:
        return load_edition(name).name
    except ConfigError:
        names = [edition.name for edition in editions_in_the_box()]
        allowed = f"one of {', '.join(names)}, or the path of a file that ends in .toml"
        raise reading.must_be(path, allowed, name, did_you_mean(name, names)) from None


def host_pin(reading: Reading, path: KeyPath, value: object, /) -> HostPin:
    """Read the hash of the host's PIN. The error message does not quote the value, which may be the PIN itself."""
    try:
        return HostPin.parse(value if isinstance(value, str) else "")
    except ValueError:
        text = f"{called(path)} must be a hash of the PIN: replace this line with the line that `reboard pin` prints"
        raise reading.wrong(path, text) from None


class _PayChoice(Choice):
    """The reader of `PhonePay`, of which earlier versions had only ``true`` and ``false``."""

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> str:
        return super().__call__(reading, path, ("off", "ask")[value] if isinstance(value, bool) else value)


class PageConfig(Record):
    """The section ``[page]`` for the table page."""

    listen: Annotated[
        Listen,
        listen,
        "address and port: `127.0.0.1` is this machine, `0.0.0.0` your network; IPv6 in `[brackets]`",
    ] = DEFAULT_LISTEN
    names: Annotated[
        tuple[str, ...],
        Several(host_name, 1, MOST_NAMES),
        'other host names of the page, such as `["table.example.org"]`; the page refuses requests for unknown ones',
    ] = ()
    proxy: Annotated[
        str | None,
        ip_address,
        "IP address of a [reverse proxy](http.md#behind-a-reverse-proxy) on whose `X-Forwarded-For` the page relies",
    ] = None
    pin: Annotated[
        HostPin | None,
        host_pin,
        "the line that `reboard pin` prints. A user with the PIN is [the host](page.md#the-host). Left out: no host",
    ] = None
    pay: Annotated[
        PhonePay,
        _PayChoice(*get_args(PhonePay)),
        '[payments from a phone](banker.md#payments-from-a-phone): `"ask"`, `GO` or the host confirms each; `"free"`, '
        'players pay at once; `"off"`, none',
    ] = "off"
    power: Annotated[
        bool,
        flag,
        "`true`, as in the package's config: the host can [shut down and restart](page.md#the-host) the Pi",
    ] = False


class StateConfig(Record):
    """The section ``[state]``: the directory of the ledger and of the last good config."""

    directory: Annotated[Path, file_path, "folder of the ledger and of all other data that survives power-off"] = (
        DEFAULT_STATE_DIRECTORY
    )


class Wiring(Record):
    """The section ``[wiring]``. *devices* has its tables, keyed by name."""

    pi: Annotated[
        str,
        Choice("zero-w", "zero-2-w", "3", "4", "5"),
        'the model of the Pi; `"zero-w"` was only checked, never tried',
    ] = "zero-2-w"
    power: Annotated[
        str,
        Choice("plug", "poe-hat"),
        'what feeds the Pi; a `"poe-hat"` covers the header unless that is a long one',
    ] = "plug"
    supply_a: Annotated[
        float | None,
        Number(0.5, 10.0, "amperes"),
        "what the supply or the PoE hat can deliver; more than 3 (2.5 for a Pi 3, 5 for a Pi 5) counts as that. "
        "Left out: as recommended for that Pi; 2.5 for a PoE hat",
    ] = None
    speaker: Annotated[
        str,
        Choice("usb", "max98357a", "hdmi", "jack"),
        'its connection; `"max98357a"` is the I²S amplifier on 18, 19 and 21, `"jack"` is on a Pi 3 and 4',
    ] = "usb"
    speaker_ohm: Annotated[float, Number(1.0, 100.0, "ohms"), "impedance of a speaker on the amplifier"] = 4.0
    devices: Mapping[str, Any] = field(default_factory=dict)

    def of(self, device: FittedDevice[Any, Any]) -> Any:
        return self.devices.get(device.wiring) or device.drawn_wiring()


class TableConfig(Record):
    """The content of the config file. The table has only the accessories and the speaker that have a section."""

    path: Path
    edition: Annotated[
        str,
        edition,
        'the boxed game, an [edition or variant](editions.md) such as `"world/quick"`, or the path of your own `.toml`',
    ] = "world"
    sections: dict[str, Any] = field(default_factory=dict)
    speaker: Annotated[SpeakerConfig | None, Section(SpeakerConfig)] = None
    page: Annotated[PageConfig | None, Section(PageConfig)] = None
    mqtt: Annotated[MqttConfig | None, Section(MqttConfig, then=together)] = None
    wiring: Annotated[Wiring, Section(Wiring)] = field(default_factory=Wiring)
    state: Annotated[StateConfig, Section(StateConfig)] = field(default_factory=StateConfig)
    document: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The parsed TOML."""

    def section(self, name: str) -> Any:
        return self.sections.get(name)

    def with_section(self, name: str, section: object) -> TableConfig:
        return replace(self, sections={**self.sections, name: section})

    def accessory(self, name: str) -> Accessory[Any]:
        """Return the accessory with the section *name*, or a stand-in if it fails with this section."""
        section = self.sections[name]
        return section if isinstance(section, BrokenAccessory) else accessories()[name]

    @property
    def pay(self) -> PhonePay:
        """How players pay with their phones."""
        return self.page.pay if self.page else PageConfig.pay

    @property
    def language(self) -> str:
        """The code of the language in which the table speaks to its players, such as ``de``. The default is English."""
        for section in self.sections.values():
            language = getattr(section, "language", None)
            if isinstance(language, str):
                return language
        return "en"

    def devices(self, kind: str | None = None) -> Iterator[FittedDevice[Any, Any]]:
        """Yield the devices in the config. With *kind*, yield only the devices of this kind."""
        for name, section in self.sections.items():
            for device in devices_of(self.accessory(name), section):
                if device.config is not None and kind in (None, device.kind.name):
                    yield device


class _WiringSection(Section[Wiring]):
    """The reader of ``[wiring]``. With *is_incomplete*, it ignores the tables of unknown devices."""

    def __init__(self, *, is_incomplete: bool) -> None:
        super().__init__(Wiring)
        self._is_incomplete = is_incomplete

    @cached_property
    def _devices(self) -> Mapping[str, Reader[object]]:
        devices = (device for accessory in accessories().values() for device in accessory.fitted)
        return {each.wiring: each.kind.wiring for each in devices if each.kind.wiring}

    @cached_property
    def keys(self) -> Mapping[str, Reader[object]]:
        return {**super().keys, **self._devices}

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> Wiring:
        if self._is_incomplete and isinstance(value, dict):
            value = {key: each for key, each in value.items() if key in self.keys or not isinstance(each, dict)}
        return super().__call__(reading, path, value)

    def make(self, **read: Any) -> Wiring:
        devices = {name: read.pop(name) for name in self._devices if name in read}
        return super().make(**read, devices=devices)


class TableSection(Section[TableConfig]):
    """The reader of a config file, with the common sections and a section for each installed accessory.

    A table in *document* that no installed accessory reads is the section of one that is not installed.
    """

    def __init__(self, path: Path, document: Mapping[str, object] = MappingProxyType({})) -> None:
        super().__init__(TableConfig, then=_validate, path=path)
        missing = {name: _missing(name) for name in _unknown_tables(document, {*accessories(), *OTHER_SECTIONS})}
        self.accessories: Mapping[str, Accessory[Any]] = {**accessories(), **missing}
        is_incomplete = any(isinstance(self.accessories.get(name), BrokenAccessory) for name in document)
        common = {**self.keys, "wiring": _WiringSection(is_incomplete=is_incomplete)}
        sections = {name: _AccessorySection(accessory) for name, accessory in self.accessories.items()}
        self.keys = {"edition": common.pop("edition"), **sections, **common}

    def make(self, **read: Any) -> TableConfig:
        sections = {name: read.pop(name) for name in self.accessories if name in read}
        return super().make(**read, sections=sections)


def _unknown_tables(document: Mapping[str, object], known: Collection[str]) -> list[str]:
    """Return the names of the tables in *document* that are not *known*, except mistyped ones."""
    unused = [name for name in known if name not in document]
    return [
        name
        for name, value in document.items()
        if isinstance(value, dict) and name not in known and NAME.fullmatch(name) and not did_you_mean(name, unused)
    ]


def _missing(name: str) -> BrokenAccessory:
    cause = f"no installed accessory is called {name}, only {', '.join(accessories())}"
    return BrokenAccessory(name, cause, f"Install its package, or remove [{name}]")


class _AccessorySection:
    """The reader of an accessory's section. If the accessory fails, it returns a `BrokenAccessory`."""

    def __init__(self, accessory: Accessory[Any]) -> None:
        self._accessory = accessory

    @property
    def keys(self) -> Mapping[str, Any] | None:
        return getattr(self._accessory.section, "keys", None)

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> object:
        accessory = self._accessory
        try:
            section = accessory.section(reading, path, value)
            for device in devices_of(accessory, section):
                if device.config is not None:
                    device.check_config(device.config, device.label)
            described = [*accessory.describe(section)]
            if not all(isinstance(text, str) for pair in described for text in pair):
                raise TypeError(f"describe() must yield pairs of texts, not {described!r:.100}")
        except Unreadable:
            raise
        except PLUG_IN_ERRORS as error:
            return _broken(accessory, error)
        return section


def _broken(accessory: Accessory[Any], error: BaseException) -> BrokenAccessory:
    broken = BrokenAccessory(accessory.name, f"the accessory {accessory.name} fails with this config: {failure(error)}")
    log.error("%s", broken.cause, exc_info=error)
    return broken


def load_config(path: Path) -> TableConfig:
    """Load the config file *path*. Raises `ConfigError` with one line for each problem, in the order of the file."""
    document, lines = read_toml(path)
    return parse_config(document, path=path, lines=lines)


def parse_config(
    document: Mapping[str, object], *, path: Path, lines: Lines = NOWHERE, where: str | None = None
) -> TableConfig:
    """Return the config in the TOML *document*, in which paths are relative to the folder of *path*.

    Raises `ConfigError` like `load_config`, with line numbers if *lines* has them. If *where* is given, each problem
    begins with *where* instead of *path*. If *where* is ``""``, no problem names a file or line.
    """
    reading, section = Reading(path, lines, where=where), TableSection(path, document)
    if not any(name in document for name in section.accessories):
        *names, last = (f"no [{name}]" for name in accessories())
        reading.wrong((), f"the table has no accessory: there is {', '.join(names)} and {last}. Add one of them")
    return replace(reading.read(section, document), document=document)


def described_devices(config: TableConfig) -> Mapping[str, Any]:
    """Return the config's TOML without the section ``[state]`` and without ``[page]``, which has the host's PIN."""
    named = ("edition", *config.sections, "speaker", "wiring")
    return {name: config.document[name] for name in named if name in config.document}


def _validate(reading: Reading, _: KeyPath, config: TableConfig) -> None:
    for name, section in config.sections.items():
        try:
            config.accessory(name).validate(reading, section, config)
        except PLUG_IN_ERRORS as error:
            config.sections[name] = _broken(accessories()[name], error)
            continue
        if getattr(section, "linked", False):
            _validate_linked(reading, accessories()[name], config)


def _validate_linked(reading: Reading, accessory: Accessory[Any], config: TableConfig) -> None:
    linked = (accessory.name, "linked")
    setting = ".".join(linked)
    if not any(BookOutcome.do in config.accessory(name).vocabulary.requests for name in config.sections):
        reading.wrong(linked, f"{setting} needs a banker unit: add a section [bank], or remove {setting}")
    if not _books(config.edition, accessory):
        able = [name for name in edition_names() if _books(name, accessory)]
        needs = f"{setting} needs an edition with [outcomes.{accessory.name}], but {config.edition} has none"
        choice = f"set edition to {' or '.join(able)}" if able else "write an edition of your own"
        reading.wrong(linked, f"{needs}: {choice}, or remove {setting}")


def _books(edition: str, accessory: Accessory[Any]) -> bool:
    booked = {each for each in accessory.vocabulary.outcomes if each.is_booked}
    return load_edition(edition).outcomes.get(accessory.name, {}).keys() >= booked


def describe(config: TableConfig) -> str:
    """Return a description of the config for users, with a line for each device or setting."""
    return "\n".join(f"{name:<15} {words}" for name, words in _lines(config))


def _lines(config: TableConfig) -> Iterator[tuple[str, str]]:
    if config.speaker is None:
        yield "speaker", "none: the table is silent. Add the section [speaker] to hear it"
    yield "edition", config.edition
    for name in {**accessories(), **config.sections}:
        if name in config.sections:
            yield from config.accessory(name).describe(config.sections[name])
        else:
            yield accessories()[name].title.lower(), "not in the config"
    if config.speaker is not None:
        yield "speaker", config.speaker.describe()
    page = config.page or PageConfig()
    yield "page", ", ".join([f"http://{page.listen}", *page.names])
    if page.proxy:
        yield "proxy", f"the proxy at {page.proxy} says from which address a request comes"
    if page.pin:
        yield "host", "a user who knows the PIN can change the table from the page"
    if page.pay != "off":
        confirmed = "a user at the table confirms it" if page.pay == "ask" else "their own money moves at once"
        yield "pay", f"players can pay on the page; {confirmed}"
    if page.power:
        yield "power", "the host can shut down and restart this machine from the page, if the system allows it"
    if config.mqtt:
        names = "with the players' names" if config.mqtt.share_names else "without the players' names"
        what = f"published at the broker {config.mqtt.address} as {config.mqtt.table_name}, {names}"
        requests = "; clients of the broker can change the table" if config.mqtt.requests else ""
        yield "mqtt", f"{what}{requests}"
    yield "state", f"kept in {config.state.directory}"
