"""The banker unit's entities for Home Assistant. The deal timer is one of the state.

``card_1``: a player's balance. The entities of the other cards are alike.
``leader``: who has most, or has won.
``game``: the game's number.
``last_transfer``: the newest payment, such as ``2M: Bank → Card 1``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reboard.accessories.banker_unit.accounts import Account
from reboard.accessories.entity import Entity
from reboard.editions.edition import MOST_PLAYERS
from reboard.languages import Texts

# In Home Assistant, `get` of a missing key is silent, but `.name` logs a warning. A card has its player's name only if
# the table shares names.
LEADER = """
{%- set playing = value_json.cards | selectattr("playing") | list -%}
{%- set most = playing | map(attribute="balance") | max | default(0) -%}
{%- set first = value_json.ended.ranking | selectattr("place", "eq", 1) if value_json.ended
    else playing | selectattr("balance", "eq", most) -%}
{%- for each in first -%}
{{ ", " if not loop.first }}{{ each.get("name") or "<card> " ~ each.number }}
{%- else -%}None{%- endfor -%}
"""

TRANSFER = """
{%- macro holder(number) -%}
{{ {<accounts>}.get(number) or value_json.cards | selectattr("number", "eq", number) | map(attribute="name") | first
   | default("<card> " ~ number, true) }}
{%- endmacro -%}
{%- set row = value_json.last_transfer -%}
{{ row.shown ~ ": " ~ holder(row["from"]) ~ " → " ~ holder(row["to"]) if row else None }}
"""

GAME_ATTRIBUTES = """
{{ {"edition": (value_json.titles or {}).get("<language>", value_json.title), "minutes_left": value_json.clock,
    "over": value_json.ended is not none} | tojson }}
"""


def entities(state: Mapping[str, Any], language: str) -> Iterator[Entity]:
    """Yield the entities, with the names of the players in the *state* of the table if it has them."""
    say = Texts(language)
    accounts = ", ".join(f'{account}: "{say(account.name.capitalize())}"' for account in Account)
    words = {"card": say("Card"), "language": language, "accounts": accounts}
    present = {card["number"]: card.get("name") for card in state["cards"] if not (card["retired"] or card["left"])}
    for number in range(1, MOST_PLAYERS + 1):
        yield _balance(number, present.get(number) or f"{words['card']} {number}", is_present=number in present)
    yield Entity("leader", "sensor", say("Leader"), _with(LEADER, words), settings={"icon": "mdi:trophy"})
    yield Entity(
        "game",
        "sensor",
        say("Game"),
        "{{ value_json.game }}",
        _with(GAME_ATTRIBUTES, words),
        {"icon": "mdi:dice-multiple"},
    )
    yield Entity(
        "last_transfer",
        "sensor",
        say("Last transfer"),
        _with(TRANSFER, words),
        "{{ (value_json.last_transfer or {}) | tojson }}",
        {"icon": "mdi:cash-fast"},
    )


def _balance(number: int, name: str, *, is_present: bool) -> Entity:
    card = f'(value_json.cards | selectattr("number", "eq", {number}) | first | default({{}}))'
    return Entity(
        f"card_{number}",
        "sensor",
        name,
        f'{{{{ {card}.get("balance") }}}}',
        f'{{{{ {{"card": {number}, "shown": {card}.get("shown")}} | tojson }}}}',
        {"icon": "mdi:cash-multiple", "state_class": "measurement", "suggested_display_precision": 0},
        is_present,
    )


def _with(template: str, filled_in: Mapping[str, str]) -> str:
    """Return *template* with each ``<name>`` replaced."""
    for name, text in filled_in.items():
        template = template.replace(f"<{name}>", text)
    return template.strip()
