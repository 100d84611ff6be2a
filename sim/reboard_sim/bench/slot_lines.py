"""The lines between the card readers and the Pi: what passed over each, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from reboard.config import BankConfig, Id12Config, KeyboardConfig, Pn532Config, Rdm6300Config, SlotConfig
from reboard.parts.slots import id12, rdm6300
from reboard_sim.decoders.chip_frames import ChipFrameDecoder
from reboard_sim.decoders.piece import Piece, as_hex
from reboard_sim.decoders.tag_frames import TagFrameDecoder
from reboard_sim.decoders.typed_keys import TypedKeyDecoder, as_written
from reboard_sim.input_device import Report
from reboard_sim.serial_line import Transmission
from reboard_sim.tape import Tape
from reboard_sim.virtual_pi import VirtualPi


@dataclass(frozen=True)
class SlotLine:
    """The line of one *slot*'s reader, which is a *model*. *decode* tells in pieces what was sent, in order."""

    slot: str
    model: str
    tape: Tape[Any]
    decode: Callable[[Any], Iterable[Piece]]

    def row(self, sent: Transmission | Report) -> dict[str, Any]:
        """What was *sent*, as JSON."""
        pieces = [_lost(sent)] if sent.is_lost else self.decode(sent)
        return {
            "t": sent.t,
            "line": self.slot,
            "model": self.model,
            "by": sent.by if isinstance(sent, Transmission) else "reader",
            "pieces": [asdict(piece) for piece in pieces],
        }


def slot_lines(pi: VirtualPi) -> list[SlotLine]:
    """The lines that a Pi has. The original cards' switches are on pins, and have none."""
    bank = pi.config.bank or BankConfig()
    found = (_line(pi, name, slot) for name, slot in (("left", bank.left), ("right", bank.right)))
    return [line for line in found if line]


def _line(pi: VirtualPi, slot: str, config: SlotConfig | None) -> SlotLine | None:
    match config:
        case Rdm6300Config(port=port):
            return SlotLine(slot, "RDM6300", pi.serial_lines[port].traffic, _tag_frames(rdm6300.FRAME_END))
        case Id12Config(port=port):
            return SlotLine(slot, "ID-12LA", pi.serial_lines[port].traffic, _tag_frames(id12.FRAME_END))
        case Pn532Config(port=port):
            return SlotLine(slot, "PN532", pi.serial_lines[port].traffic, _chip_frames())
        case KeyboardConfig(device=device):
            return SlotLine(slot, "USB reader", pi.input_devices[device].reports, _typed_keys())
        case _:
            return None


def _tag_frames(end: bytes) -> Callable[[Transmission], Iterable[Piece]]:
    decoder = TagFrameDecoder(end)
    return lambda sent: decoder.feed(sent.data)


def _chip_frames() -> Callable[[Transmission], Iterable[Piece]]:
    decoder = ChipFrameDecoder()
    return lambda sent: (decoder.from_chip if sent.by == "reader" else decoder.to_chip)(sent.data)


def _typed_keys() -> Callable[[Report], Iterable[Piece]]:
    decoder = TypedKeyDecoder()
    return lambda sent: decoder.feed(sent.t, sent.changes)


def _lost(sent: Transmission | Report) -> Piece:
    written = as_hex(sent.data) if isinstance(sent, Transmission) else as_written(sent.changes)
    return Piece(written, "lost: nobody reads", is_bad=True)
