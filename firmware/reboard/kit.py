"""The public names for accessories of your own.

``docs/your-own-accessory.md`` builds one. `Accessory` has everything else that an accessory can have.
"""

from __future__ import annotations

from reboard.accessories.accessory import Accessory, Devices, OtherSections, RunningAccessory, TableContext
from reboard.accessories.banker_unit.vocabulary import Pay, ReadBank, Undo
from reboard.accessories.banker_unit.vocabulary import Snapshot as BankState
from reboard.accessories.chart import Chart, Look
from reboard.accessories.entity import Entity
from reboard.accessories.game_accessory import Game, GameAccessory
from reboard.accessories.installed import sound_name
from reboard.accessories.shared_requests import ShowLines
from reboard.aiotools import first_of
from reboard.board import Board
from reboard.config.kinds import ByKind, Choice, Number, Section, Several, Whole, file_path, flag
from reboard.config.kinds import text as text_setting
from reboard.config.pins_and_ports import motor_pin, pin
from reboard.config.reading import KeyPath, Reader, Reading, Unreadable
from reboard.devices.buzzer import BUZZER
from reboard.devices.contact import BUTTON, LEVER
from reboard.devices.device import Absent, DeviceKind, FittedDevice
from reboard.devices.display import DISPLAY, DISPLAY_SECTION
from reboard.devices.displays.display_controller import DisplayConfig
from reboard.devices.encoder import ENCODER, ENCODER_SETTING, EncoderConfig
from reboard.devices.examination import CheckContext, SetupStep, TryOut
from reboard.devices.glyphs import glyph
from reboard.devices.keypad import KEYPAD, KeypadConfig
from reboard.devices.lamp import LAMP
from reboard.devices.matrix import MATRIX, MATRIX_SETTING, MatrixConfig
from reboard.devices.motor import MOTOR, Pattern, Step, step
from reboard.devices.readers.card_slot import CARD_SLOT
from reboard.devices.readers.card_tags import tag
from reboard.devices.readers.reader_kind import SLOT_KINDS, SlotConfig
from reboard.devices.rgb_led import RGB_LED, RGB_LED_SETTING, RgbLedConfig
from reboard.devices.ring import RING, RING_SETTING, RingConfig
from reboard.devices.servo import SERVO
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import DeviceError, ReboardError, Rejection, RequestError, Why
from reboard.events import DeviceEvent, Emit, Fault, Recovered
from reboard.finding import Finding, fine, note, wrong
from reboard.labels import Labels, OutcomeKind
from reboard.languages import Texts
from reboard.record import Record
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
    "BankState",
    "Between",
    "Board",
    "ByKind",
    "Chart",
    "CheckContext",
    "Choice",
    "DeviceError",
    "DeviceEvent",
    "DeviceKind",
    "Devices",
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
    "Pay",
    "ReadBank",
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
    "Undo",
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
