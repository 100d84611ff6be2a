"""What is told of the till, as JSON."""

from __future__ import annotations

from reboard.banker.till import Till


def snapshot(till: Till) -> dict[str, object]:
    """The game and its clock, its cards and latest transfers (newest first), and the editions to choose from."""
    return {
        "game": till.game,
        "ended": till.ended and till.ended.as_json(till.names, till.edition.money),
        "clock": till.clock,
        "cards": [
            {
                "number": number,
                "balance": balance,
                "shown": till.edition.money.shown(balance),
                "name": till.names.of(number),
                "retired": number in till.retired,
            }
            for number, balance in sorted(till.balances.items())
        ],
        "pot": {"balance": till.pot, "shown": till.edition.money.shown(till.pot)} if till.has_pot or till.pot else None,
        "transfers": [transfer.as_json() for transfer in till.latest],
        "editions": [
            {"name": edition.name, "title": edition.title, "titles": edition.titles} for edition in till.editions()
        ],
    }
