"""The RC522, a module with an MFRC522 on the SPI bus: an NFC reader (13.56 MHz) that is asked for a card."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from reboard.aiotools import until_multiple_of
from reboard.board import Devices
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import FittedDevice
from reboard.devices.examination import TryOut
from reboard.devices.readers.iso14443 import CARDS, DamagedError, NoAnswerError, find_uid, tag_of
from reboard.devices.readers.mfrc522 import ChipError, Mfrc522
from reboard.devices.readers.presence import HOLD_S, PolledTag
from reboard.devices.readers.reader import Slot
from reboard.devices.readers.reader_kind import FileReader, SlotConfig
from reboard.devices.readers.reader_port import RETRY_S
from reboard.devices.spi_bus import SWITCH_ON, SpiConfig, cause_of, claim_spi_pins
from reboard.errors import ReboardError
from reboard.events import Emit
from reboard.languages import translatable

MODEL = "RC522"

LOOK_S = 0.1
"""The time between two looks for a card, in seconds. The readers of a bus take turns in it: two fields at once feed
each other's cards, and take twice the current from the Pi's 3.3 V."""

FIELD_S = 0.005
"""The time that a card may take to start after the field was switched on, in seconds (ISO/IEC 14443-3)."""

RESTS_AFTER_S = 60.0
"""The time without a card or a key after which a slot rests, in seconds: as the banker unit sleeps."""

LOOK_AT_REST_S = 2.5
"""The time between two looks of a slot at rest, in seconds: as often as the service feeds systemd's watchdog."""

RESET_EVERY = 10
"""The number of looks after which the chip is reset, besides those after which a card or the chip did not answer."""

MOST_LOST = 3
"""The number of looks in a row without the chip that cause a fault. Noise can disturb one or two."""

DAMAGED = translatable(
    "a card at the {} answers, but its answers arrive damaged: put in one card at a time, and keep metal and the other "
    "reader a hand's breadth away from its antenna"
)


class Rc522Config(SpiConfig, SlotConfig):
    """The config of an RC522."""

    @property
    def pins(self) -> Mapping[str, int]:
        """The pins of the bus."""
        return {"miso": 9, **super().pins}


_turns: WeakKeyDictionary[Devices, asyncio.Lock] = WeakKeyDictionary()
"""The lock of each board's SPI bus, which a reader has while its field is on."""


class Rc522(Slot):
    """A slot with an RC522.

    The description includes the name of the chip once it has answered. A look that hears a damaged answer does not
    count as a removal. A random UID, such as a phone's, belongs to no card.
    """

    _presence: PolledTag

    def __init__(self, config: Rc522Config, name: str, board: Devices, emit: Emit) -> None:
        super().__init__(PolledTag(HOLD_S), emit, name)
        self._config, self._board = config, board
        self._chip_name = ""
        self._close_bus: Callable[[], None] | None = None
        self._chip: Mfrc522 | None = None
        self._task: asyncio.Task[None] | None = None
        self._touched = asyncio.Event()
        self._rests_at = 0.0
        self._is_at_rest = False
        self._turn = _turns.setdefault(board, asyncio.Lock())
        self._lost = self._looks = 0

    @property
    def description(self) -> str:
        chip = f" ({self._chip_name})" if self._chip_name else ""
        return f"{MODEL}{chip} on {self._config.file}"

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        super().start(inserted, removed)
        self.touched()
        self._task = self._loop.create_task(self._run(), name=self.description)

    def touched(self) -> None:
        self._rests_at = self._loop.time() + RESTS_AFTER_S
        self._touched.set()

    def close(self) -> None:
        if self._task:
            self._task.cancel()
        if self._chip:
            with suppress(OSError):
                self._chip.end()
        self._release()
        super().close()

    def _release(self) -> None:
        close, self._close_bus, self._chip = self._close_bus, None, None
        if close:
            close()

    async def _run(self) -> None:
        while True:
            await self._pause()
            try:
                async with self._turn:
                    await self._look()
            except (OSError, ReboardError) as error:
                was_open = self._chip is not None
                self._release()
                self._fault.set(cause_of(error, self._config) if isinstance(error, OSError) else str(error))
                self._presence.missed()
                if not was_open:
                    await asyncio.sleep(RETRY_S)

    async def _pause(self) -> None:
        """Wait until the next look. At rest, it is at the same time as the other reader's, to wake the Pi only once."""
        while True:
            self._is_at_rest = self._loop.time() >= self._rests_at and not self._presence.is_missed
            if not self._is_at_rest:
                await asyncio.sleep(until_multiple_of(LOOK_S))
                return
            self._touched.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(until_multiple_of(LOOK_AT_REST_S)):
                    await self._touched.wait()
                    continue
            return

    async def _look(self) -> None:
        chip, before = self._opened(), self.tag
        if self._looks % RESET_EVERY == 0 or self._presence.is_missed or self._lost:
            chip.set_up()
        self._looks += 1
        chip.begin()
        tag = None
        try:
            await self._wait(chip, FIELD_S)
            self._chip_name = chip.check()
            tag = tag_of(await find_uid(partial(self._ask, chip)))
        except NoAnswerError:
            pass
        except DamagedError:
            self._count(dropped=1)
            self._presence.damaged()
            if self.heard.is_unreadable:
                self._fault.set(DAMAGED.format(self.description))
            return
        except ChipError as error:
            self._count(dropped=1)
            self._lost += 1
            self._presence.missed()
            if self._lost >= MOST_LOST:
                self._fault.set(translatable(f"the {MODEL} on {self._config.file} {error}"))
            return
        finally:
            if self._chip is chip:  # a slot that was closed meanwhile has ended it: a closed bus would raise OSError
                chip.end()
        self._lost = 0
        self._count(frames=1)
        self._fault.set(None)
        if tag is None:
            self._presence.missed()
        else:
            self.heard.card(tag)
            self._presence.seen(tag)
        if self.tag != before:
            self.touched()

    def _count(self, *, frames: int = 0, dropped: int = 0) -> None:
        self.heard.count(self.heard.frames + frames, self.heard.dropped + dropped)

    async def _ask(self, chip: Mfrc522, frame: bytes, bits: int = 0) -> bytes:
        await self._wait(chip, chip.send(frame, bits=bits))
        answer = chip.receive()
        self.heard.add(answer)
        return answer

    async def _wait(self, chip: Mfrc522, seconds: float) -> None:
        if self._is_at_rest:
            chip.wait(seconds)
        else:
            await asyncio.sleep(seconds)

    def _opened(self) -> Mfrc522:
        if self._chip is None:
            spi = self._board.open_spi(self._config.bus, self._config.chip_select)
            self._close_bus, self._chip, self._looks = spi.close, Mfrc522(spi), 0
        return self._chip


class Rc522Kind(FileReader[Rc522Config]):
    """The kind of RC522 readers."""

    name = "rc522"
    title = "RC522 (NFC)"
    order = 35
    cards = CARDS
    config = Rc522Config
    answers = True
    setting, folder, subsystem, pattern = "file", "/dev", "spidev", "/dev/spidev0.[01]"
    if_no_file = f"An {MODEL} needs the SPI bus, which is off: {SWITCH_ON}."
    groups = {"spi": "the SPI buses"}  # noqa: RUF012

    def open(self, config: Rc522Config, name: str, board: Devices, emit: Emit) -> Rc522:
        return Rc522(config, name, board, emit)

    def check_config(self, reading: Reading, path: KeyPath, config: Rc522Config) -> None:
        claim_spi_pins(reading, path, config, is_shared=True)

    def pins(self, config: Rc522Config) -> Mapping[str, int]:
        return config.pins

    def describe(self, config: Rc522Config) -> str:
        return f"{config.reader} on {config.file}, a card is removed after {HOLD_S:g} s"

    def example(self, side: str) -> str:
        return f'{{ reader = "{self.name}", chip_select = {int(side != "left")} }}'

    def at(self, file: str) -> Rc522Config:
        return Rc522Config(self.name, chip_select=int(file[-1]))

    async def setting_at(self, file: str, device: FittedDevice[Any, Any], work: TryOut) -> dict[str, object]:
        return {"chip_select": self.at(file).chip_select}


KIND = Rc522Kind()
