from __future__ import annotations

from reboard.devices.readers.input_device import EV_KEY, EV_SYN, KEY_ENTER
from reboard.devices.readers.keyboard import SYN_DROPPED
from reboard_sim.board.input_device import Change
from reboard_sim.decoders.card_readers import Piece, TypedKeyDecoder
from reboard_sim.devices.readers.keyboard import HELD, KEY_Z, line_of, stroke


def told(*reports: tuple[Change, ...]) -> list[Piece]:
    decoder = TypedKeyDecoder()
    return [piece for place, changes in enumerate(reports) for piece in decoder.feed(place / 100, changes)]


def test_each_key_is_reported_and_enter_names_the_card() -> None:
    pieces = told(*line_of("0012852999"))
    assert [piece.means for piece in pieces] == [*"0012852999", "Enter: card 0012852999"]
    assert not any(piece.is_bad for piece in pieces)
    assert pieces[2].written == "MSC 4 458754, KEY 2 1, SYN 0 0, MSC 4 458754, KEY 2 0, SYN 0 0"


def test_typed_keys_without_a_card_are_reported_as_bad() -> None:
    assert told(stroke(KEY_ENTER)) == [Piece(told(stroke(KEY_ENTER))[0].written, "Enter: no card", is_bad=True)]
    assert told(stroke(KEY_Z))[0].means == "not a key of a card number"
    assert told(((EV_KEY, 2, HELD),))[0].is_bad
    assert told(((EV_SYN, SYN_DROPPED, 0), (EV_SYN, 0, 0)))[0].means == "the kernel lost keys"
    assert told(stroke(42))[0] == Piece(told(stroke(42))[0].written, "Shift")
