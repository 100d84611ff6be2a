"""A config in plain words: what is plugged in where, as a maker would say it before switching on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reboard.config import (
    AppleConfig,
    BankConfig,
    BlockConfig,
    BumpsConfig,
    Id12Config,
    KeyboardConfig,
    PageConfig,
    Pn532Config,
    Rdm6300Config,
    SlotConfig,
    SpeakerConfig,
    TableConfig,
)
from reboard.languages import LANGUAGES
from reboard.odds import Odds


def describe(config: TableConfig) -> str:
    """One line for each thing that the config speaks of, its name first."""
    return "\n".join(f"{name:<15} {words}" for name, words in _lines(config))


def _lines(config: TableConfig) -> Iterator[tuple[str, str]]:
    yield "edition", config.edition
    yield "question block", _block(config.block) if config.block else "not built"
    yield "worm apple", _apple(config.apple) if config.apple else "not built"
    if config.bank:
        yield from _bank(config.bank)
    else:
        yield "banker unit", "not built"
    yield "speaker", _speaker(config.speaker) if config.speaker else "none: the table is silent"
    page = config.page or PageConfig()
    yield "page", f"http://{page.listen}"
    if page.pin:
        yield "host", "whoever knows the PIN may change the table from the page"
    yield "state", f"kept in {config.state.directory}"


def _block(block: BlockConfig) -> str:
    odds = "the rule book's odds" if block.odds == Odds() else "odds of your own"
    return ", ".join(
        [
            f"button on pin {block.button}",
            _on_pin("lamp", block.lamp),
            odds + (", drawn from a bag" if block.bag else ""),
            *(["quiet: the lamp tells"] if block.quiet else []),
            *(["linked: the bank books what it brings"] if block.linked else []),
        ]
    )


def _apple(apple: AppleConfig) -> str:
    dance = "the usual dance" if apple.pattern is None else f"a dance of {len(apple.pattern)} steps"
    return f"lever on pin {apple.lever}, {_on_pin('motor', apple.motor)}, {apple.seconds:g} s, {dance}"


def _bank(bank: BankConfig) -> Iterator[tuple[str, str]]:
    yield "left slot (+)", _slot(bank.left)
    yield "right slot (-)", _slot(bank.right)
    keypad, display = bank.keypad, bank.display
    yield "keypad", f"rows on {_pins(keypad.rows)}, columns on {_pins(keypad.columns)}" if keypad else "none"
    yield "display", f"{display.driver} on bus {display.bus} at 0x{display.address:02X}" if display else "none"
    yield "cards", f"{len(bank.cards)} known beforehand" if bank.cards else "each gets the next number when first seen"
    if bank.names:
        yield "names", ", ".join(bank.names)
    if bank.language != LANGUAGES[0]:
        yield "language", bank.language
    if bank.pot:
        yield "pot", "fines and taxes can go into a Free Parking pot"


def _slot(slot: SlotConfig | None) -> str:
    match slot:
        case None:
            return "none"
        case Rdm6300Config(port=port, hold_s=hold_s) | Pn532Config(port=port, hold_s=hold_s):
            return f"{slot.reader} on {port}, a card is gone after {hold_s:g} s"
        case Id12Config(port=port):
            return f"{slot.reader} on {port}, a card is in from one tap to the next"
        case KeyboardConfig(device=device):
            return f"{slot.reader} on {device}, a card is in from one tap to the next"
        case BumpsConfig(pins=pins):
            return f"{slot.reader} on {_pins(pins)}"


def _speaker(speaker: SpeakerConfig) -> str:
    library = speaker.library or "the best library here"
    folder = f", own sounds from {speaker.folder}" if speaker.folder else ""
    missing = " (there is no such folder now)" if speaker.folder and not speaker.folder.is_dir() else ""
    return f"{library} on {speaker.device or 'the default device'}, volume {speaker.volume} of 4{folder}{missing}"


def _on_pin(name: str, pin: int | None) -> str:
    return f"no {name}" if pin is None else f"{name} on pin {pin}"


def _pins(pins: Sequence[int]) -> str:
    return f"pins {', '.join(map(str, pins))}"
