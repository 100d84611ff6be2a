"""The public names for accessories of your own, with an accessory whose behaviour is one coroutine.

``docs/your-own-accessory.md`` builds one. `Accessory` has everything else that an accessory can have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from reboard.accessories.accessory import Accessory, OtherSections, RunningAccessory, TableContext, no_device
from reboard.accessories.chart import Chart, Look
from reboard.accessories.entity import Entity
from reboard.accessories.installed import sound_folders
from reboard.accessories.shared_requests import ShowLines
from reboard.aiotools import first_of
from reboard.board import Board
from reboard.config.kinds import ByKind, Choice, Number, Section, Several, Whole, file_path, flag
from reboard.config.kinds import text as text_setting
from reboard.config.pins_and_ports import motor_pin, pin
from reboard.config.reading import KeyPath, Reader, Reading, Unreadable
from reboard.devices.buzzer import BUZZER
from reboard.devices.contact import BUTTON, LEVER
from reboard.devices.device import Absent, CheckContext, DeviceKind, FittedDevice, SetupStep, TryOut
from reboard.devices.display import DISPLAY, DISPLAY_SECTION
from reboard.devices.displays.display_controller import DisplayConfig
from reboard.devices.encoder import ENCODER, ENCODER_SETTING, EncoderConfig
from reboard.devices.glyphs import glyph
from reboard.devices.keypad import KEYPAD, KeypadConfig
from reboard.devices.lamp import LAMP
from reboard.devices.matrix import MATRIX, MATRIX_SETTING, MatrixConfig
from reboard.devices.motor import MOTOR, Pattern, Step, step
from reboard.devices.readers.card_slot import CARD_SLOT
from reboard.devices.readers.card_tags import tag
from reboard.devices.readers.installed_readers import SLOT_KINDS
from reboard.devices.readers.reader import Reception
from reboard.devices.readers.reader_kind import SlotConfig
from reboard.devices.rgb_led import RGB_LED, RGB_LED_SETTING, RgbLedConfig
from reboard.devices.ring import RING, RING_SETTING, RingConfig
from reboard.devices.servo import SERVO
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import DeviceError, ReboardError, Rejection, RequestError, Why, in_brackets, running_place
from reboard.events import DeviceEvent, Emit, Fault, Recovered
from reboard.finding import Finding, fine, note, wrong
from reboard.labels import Labels, OutcomeKind
from reboard.languages import Texts
from reboard.record import Record
from reboard.sounds import SoundSet
from reboard.vocabulary.declared import Event, Request, Waits
from reboard.vocabulary.limits import LOCAL, Between, Keys, Length, Matches, Sensor
from reboard.vocabulary.vocabulary import Vocabulary

__all__ = [
    "BUTTON",
    "BUZZER",
    "CARD_SLOT",
    "DISPLAY",
    "DISPLAY_SECTION",
    "ENCODER",
    "ENCODER_SETTING",
    "KEYPAD",
    "LAMP",
    "LEVER",
    "LOCAL",
    "MATRIX",
    "MATRIX_SETTING",
    "MOTOR",
    "RGB_LED",
    "RGB_LED_SETTING",
    "RING",
    "RING_SETTING",
    "SERVO",
    "SLOT_KINDS",
    "Absent",
    "Accessory",
    "Between",
    "Board",
    "ByKind",
    "Chart",
    "CheckContext",
    "Choice",
    "DeviceError",
    "DeviceEvent",
    "DeviceKind",
    "DisplayConfig",
    "Edition",
    "Emit",
    "EncoderConfig",
    "Entity",
    "Event",
    "Fault",
    "Finding",
    "FittedDevice",
    "Game",
    "GameAccessory",
    "KeyPath",
    "KeypadConfig",
    "Keys",
    "Labels",
    "Length",
    "Look",
    "Matches",
    "MatrixConfig",
    "Number",
    "OtherSections",
    "OutcomeKind",
    "Pattern",
    "Reader",
    "Reading",
    "ReboardError",
    "Record",
    "Recovered",
    "Rejection",
    "Request",
    "RequestError",
    "RgbLedConfig",
    "RingConfig",
    "RunningAccessory",
    "Section",
    "Sensor",
    "SetupStep",
    "Several",
    "ShowLines",
    "SlotConfig",
    "Speaker",
    "Step",
    "TableContext",
    "Texts",
    "TryOut",
    "Unreadable",
    "Vocabulary",
    "Waits",
    "Whole",
    "Why",
    "file_path",
    "fine",
    "first_of",
    "flag",
    "glyph",
    "motor_pin",
    "note",
    "pin",
    "sound_name",
    "step",
    "tag",
    "text_setting",
    "wrong",
]

C = TypeVar("C")


def sound_name(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the name of a sound: a built-in one, or one that an accessory brings."""
    return Choice(*SoundSet.built_in(sound_folders()).names)(reading, path, value)


class _Devices(SimpleNamespace):
    """The devices of a game. The error for a misspelt one names the others."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(no_device(name, vars(self)))


class Game(RunningAccessory, Generic[C]):
    """A running `GameAccessory`, which its coroutine `GameAccessory.play` gets.

    `state` is the accessory's part of the snapshot: a dictionary of values that can be encoded as JSON. The page shows
    it, and plays check it.
    """

    def __init__(
        self, accessory: GameAccessory[C], config: C, devices: Mapping[str, Any], context: TableContext
    ) -> None:
        self.config = config
        """The section of the config file."""
        self.devices = _Devices(**devices)
        """The open devices, as attributes with the names of their settings: ``game.devices.lamp``."""
        self.state: dict[str, Any] = {}
        self.context = context
        """The table: its board, times and requests to other accessories."""
        self.speaker: Speaker = context.speaker
        self.emit: Emit = context.emit
        self.random: Random = context.randomness(accessory.name)
        self.has_fault = False
        """Whether a device of the table has a fault."""
        self._accessory = accessory

    @property
    def rules(self) -> Edition:
        """The edition of the config."""
        return self.context.edition

    async def book(self, outcome: str, times: int = 1) -> None:
        """Have the bank book *outcome* as `TableContext.book` does. Raises `RequestError` for one not declared."""
        if outcome not in (outcomes := self._accessory.vocabulary.outcomes):
            why = f"{self._accessory.name} has no outcome {outcome!r}, but {', '.join(outcomes) or 'none'}"
            raise RequestError(f"{why}{in_brackets(running_place())}")
        await self.context.book(outcome, times)

    async def run(self, started: Callable[[], None]) -> None:
        started()
        await self._accessory.play(self)
        module = type(self._accessory).__module__
        raise ReboardError(f"play() returned ({module}): it must wait until it is cancelled")

    def snapshot(self) -> Mapping[str, object]:
        return {self._accessory.name: self.state}

    async def request(self, request: Request) -> object:
        return await self._accessory.answer(self, request)

    @property
    def readers(self) -> Mapping[str, Reception]:
        heard = {noun: getattr(driver, "heard", None) for noun, driver in vars(self.devices).items()}
        return {f"{self._accessory.name}.{noun}": each for noun, each in heard.items() if isinstance(each, Reception)}

    def show_fault(self, part: str | None) -> None:
        self.has_fault = part is not None


class GameAccessory(Accessory[C]):
    """An accessory whose behaviour is the coroutine `play`. A subclass has `name`, `title`, `section` and `fitted`.

    A table can run several instances of its game one after the other, so keep the state in the `Game`, not in ``self``.
    """

    async def play(self, game: Game[C]) -> None:
        """Play until cancelled. If `play` returns or fails, the table reports a fault and calls it again."""
        raise NotImplementedError(f"{type(self).__name__} needs a coroutine play()")

    async def answer(self, game: Game[C], request: Request) -> object:
        """Carry out a *request* that the vocabulary declares, and return its answer.

        The answer has values that can be encoded as JSON. Raises `ReboardError`, such as `RequestError`.
        """
        raise RequestError(f"there is no request {request.do!r}")

    def running(self, config: C, devices: Mapping[str, Any], context: TableContext) -> Game[C]:
        return Game(self, config, devices, context)
