"""The discovery message for Home Assistant. The tests with the real one show what it makes of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import pytest

from reboard.accessories.accessory import absent_of
from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.entity import Entity
from reboard.accessories.installed import BrokenAccessory, accessories
from reboard.kit import Event, Sensor, Vocabulary
from reboard.languages import languages
from reboard.mqtt.discovery import Discovery
from tests.plugged_in import PLUG_IN, Dragon, installed, packages_in, write_package

EMPTY: dict[str, Any] = {
    key: value for accessory in accessories().values() for key, value in absent_of(accessory).items()
}
"""The state of a table whose accessories do not run."""


def card(number: int, **more: object) -> dict[str, object]:
    return {
        "number": number,
        "balance": 1500,
        "shown": "1500",
        "retired": False,
        "left": False,
        "playing": True,
        **more,
    }


def components(discovery: Discovery, **state: object) -> dict[str, Any]:
    """Return the components by key; those that are to be removed are ``None``."""
    message = json.loads(discovery.message({**EMPTY, **state}))
    assert message["availability_topic"] == "reboard/club/availability"
    found: dict[str, Any] = message["components"]
    return {key: None if component.keys() == {"platform"} else component for key, component in found.items()}


def present(found: Mapping[str, Any]) -> set[str]:
    return {key for key, component in found.items() if component}


def test_a_players_entity_comes_and_goes_and_has_the_players_name() -> None:
    discovery = Discovery("club", ["bank"], "en")
    fixed = present(components(discovery))
    found = components(discovery, cards=[card(1), card(2, name="Anna"), card(3, retired=True), card(4, left=True)])
    players = present(found) - fixed
    assert {found[player]["name"] for player in players} == {"Card 1", "Anna"}
    assert components(discovery, cards=[card(2)]).keys() == found.keys()
    assert present(components(discovery, cards=[card(2)])) - fixed == {"bank_card_2"}
    assert len({component["unique_id"] for component in found.values() if component}) == len(present(found))


def test_a_table_has_only_the_entities_of_its_accessories() -> None:
    assert present(components(Discovery("club", ["block", "apple"], "en"))) == {
        "block_outcome",
        "apple_worms",
        "table_faults",
    }


@pytest.mark.parametrize("language", languages()[1:])
def test_names_are_in_the_language_of_the_table(language: str) -> None:
    def names(of: str) -> set[str]:
        found = components(Discovery("club", accessories(), of), cards=[card(1)])
        return {found[key]["name"] for key in present(found)}

    assert not names("en") & names(language)


class Roared(Event, name="dragon.roared", is_shared=True):
    """It roared."""

    voice: Annotated[Literal["loud", "soft"], Sensor("voice", "Voice")]
    times: int


class Hoard(TypedDict):
    """The hoard, which a thief can take away."""

    is_guarded: Annotated[bool, Sensor("guarded", "Guarded")]


class Lair(TypedDict):
    """The lair."""

    hoard: Hoard | None

    gold: Annotated[int, Sensor("gold", "Gold", icon="mdi:gold")]
    is_asleep: Annotated[bool, Sensor("asleep", "Asleep")]


class Snapshot(TypedDict):
    """The part of the dragon."""

    dragon: Lair | None


class Loud(Dragon):
    """A plug-in with entities, of which some may be broken."""

    vocabulary = Vocabulary(__name__)
    made: Iterable[Any] = [Entity("roars", "sensor", "Roars", "{{ value_json.dragon }}")]

    def entities(self, state: Mapping[str, Any], language: str) -> Iterable[Entity]:
        yield from super().entities(state, language)
        yield from self.made


def test_the_entities_of_a_plug_in() -> None:
    with installed(BANKER_UNIT, Loud()):
        found = components(Discovery("club", ["bank", "dragon"], "en"))
    of_dragon = {
        key: (each["platform"], each["name"], each["state_topic"].rpartition("/")[2], each["value_template"])
        for key, each in found.items()
        if key.startswith("dragon_")
    }
    roared = '{"event_type": value_json.voice, "times": value_json.times}'
    asleep = "{{ None if not value_json.dragon else 'ON' if value_json.dragon.is_asleep else 'OFF' }}"
    without = "None if not value_json.dragon or not value_json.dragon.hoard"
    guarded = f"{{{{ {without} else 'ON' if value_json.dragon.hoard.is_guarded else 'OFF' }}}}"
    assert of_dragon == {
        "dragon_guarded": ("binary_sensor", "Guarded", "state", guarded),
        "dragon_gold": (
            *("sensor", "Gold", "state"),
            "{{ None if not value_json.dragon else value_json.dragon.gold }}",
        ),
        "dragon_asleep": ("binary_sensor", "Asleep", "state", asleep),
        "dragon_voice": (
            *("event", "Voice", "event"),
            f'{{%- if value_json.event == "dragon.roared" -%}}\n{{{{ {roared} | tojson }}}}\n{{%- endif -%}}',
        ),
        "dragon_roars": ("sensor", "Roars", "state", "{{ value_json.dragon }}"),
    }
    assert found["dragon_gold"]["icon"] == "mdi:gold"
    assert found["dragon_voice"]["event_types"] == ["loud", "soft"]


@pytest.mark.parametrize(
    "made",
    [
        1,
        ["roars"],
        [Entity("Roars!", "sensor", "Roars", "")],
        [Entity("roars", "door", "Roars", "")],  # type: ignore[arg-type]
        [Entity("roars", "sensor", "Roars", "", settings={"icon": object()})],
        [Entity("roars", "sensor", "Roars", "", settings={1j: 0})],  # type: ignore[dict-item]
    ],
)
def test_a_broken_plug_in_spoils_no_other(made: Iterable[Any], caplog: pytest.LogCaptureFixture) -> None:
    plug_in = Loud()
    plug_in.made = made
    with installed(plug_in, BANKER_UNIT), caplog.at_level(logging.ERROR):
        discovery = Discovery("club", ["bank", "dragon"], "en")
        found = present(components(discovery))
        components(discovery)
    assert found == present(components(Discovery("club", ["bank"], "en")))
    assert len(caplog.records) == 1


SECRET = """
class Snapshot(TypedDict):
    dragon: Annotated[int, LOCAL, Sensor("gold", "Gold")]
"""
AT_THE_TABLE = """
class Roared(Event, name="dragon.roared"):
    voice: Annotated[Literal["loud", "soft"], Sensor("voice", "Voice")]
"""
WITHOUT_VALUES = """
class Roared(Event, name="dragon.roared", is_shared=True):
    voice: Annotated[str, Sensor("voice", "Voice")]
"""


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (SECRET, "the field 'dragon' of Snapshot has Sensor and LOCAL: remove one of them"),
        (AT_THE_TABLE, "the field 'voice' has a Sensor: its event dragon.roared needs is_shared=True"),
        (WITHOUT_VALUES, "and the field a Literal with its values"),
    ],
)
def test_a_sensor_that_could_have_no_value_is_refused(tmp_path: Path, declared: str, said: str) -> None:
    names = "from typing import Literal, TypedDict\nfrom reboard.kit import LOCAL, Event, Sensor\n"
    write_package(tmp_path, PLUG_IN.replace("@dataclass", f"{names}{declared}\n@dataclass").replace("PLAY", "pass"))
    with packages_in(tmp_path):
        dragon = accessories()["dragon"]
    assert isinstance(dragon, BrokenAccessory)
    assert said in dragon.cause
