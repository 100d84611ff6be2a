"""What a person at the bench sees of the virtual things, and what the wires do."""

from __future__ import annotations

from typing import Any

from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_table import VirtualTable


def looks_of(table: VirtualTable, t: float) -> dict[str, Any]:
    """The hardware now, at *t* seconds, as JSON. What the config has not is ``None``."""
    pi, config = table.pi, table.config
    wired = {"block": config.block, "bank": config.bank, "apple": config.apple}
    return {
        "t": round(t, 6),
        "powered": table.is_on,
        "switched_on_at": round(table.switched_on_at, 3),
        "accessories": [name for name, section in wired.items() if section],
        "button": bool(config.block and pi.button.is_closed),
        "lamp": bool(config.block and config.block.lamp is not None and pi.lamp.level),
        "lever": "back" if config.apple and pi.lever.is_closed else "rest",
        "motor": _motor(pi) if config.apple and config.apple.motor is not None else None,
        "display": _display(pi) if config.bank and config.bank.display else None,
        "slots": {slot: _card(table, slot) for slot in ("left", "right")},
        "readers": list(pi.slots),
        "taps": [slot for slot in pi.slots if pi.reader(slot).speaks_once],
        "keys": pi.keypad.held if config.bank and config.bank.keypad else [],
        "faults": sorted(table.faults),
    }


def wires_of(table: VirtualTable) -> dict[str, Any]:
    """Every wire that the config uses, by what it is for: its pin, level, duty, and who drives it."""
    return {
        name: {"pin": line.name, "level": int(line.level), "duty": line.duty, "output": line.is_output}
        for name, line in table.pi.wires().items()
    }


def _motor(pi: VirtualPi) -> dict[str, float]:
    motor = pi.motor
    return {"level": round(motor.level, 3), "speed": round(motor.speed, 3), "turns": round(motor.turns, 3)}


def _display(pi: VirtualPi) -> dict[str, Any]:
    lcd = pi.lcd
    return {"on": lcd.is_on, "backlight": pi.backpack.backlight, "lines": lcd.lines(), "dots": lcd.dots()}


def _card(table: VirtualTable, slot: str) -> int | str | None:
    """The card in a slot: its number in the deck, or a stranger's tag."""
    if slot not in table.pi.slots:
        return None
    reader = table.pi.reader(slot)
    if reader.card is None or not table.config.bank:
        return None
    tag, deck = reader.says(reader.card), table.config.bank.cards
    return deck.index(tag) + 1 if tag in deck else reader.card
