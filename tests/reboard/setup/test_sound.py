from __future__ import annotations

from reboard.config import SpeakerConfig
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to
from tests.reboard.setup.person import Person, set_up_with

BLOCK = "[block]\nbutton = 17\n"


async def comes_to_the_speaker(person: Person) -> None:
    await comes_to(person, "block")
    await person.answers("question block?", "s")
    await person.answers("a lamp?", "n")
    await person.answers("worm apple?", "n")
    await person.answers("banker unit", "n")
    await person.answers("Is there a speaker?", "y")


def test_each_card_plays_until_one_is_heard(pi: MadeUpMachine) -> None:
    pi.write("/proc/asound/cards", " 0 [vc4hdmi0       ]: vc4-hdmi\n 1 [Device         ]: USB-Audio\n")
    heard = []

    async def acts(person: Person) -> None:
        await comes_to_the_speaker(person)
        await person.answers("plughw:CARD=vc4hdmi0 played a sound. Did you hear it?", "n")
        await person.answers("plughw:CARD=Device played a sound. Did you hear it?", "y")
        heard.append(person.pi.sound_card.heard_between(0, 1e6))
        await person.answers("Write this to", "y")

    config = set_up_with(pi, BLOCK, acts, before=BLOCK).config
    assert config.speaker == SpeakerConfig(device="plughw:CARD=Device")
    assert heard == [True]


def test_the_configs_own_card_plays_first_and_enter_keeps_no_other(pi: MadeUpMachine) -> None:
    pi.write("/proc/asound/cards", " 0 [vc4hdmi0       ]: vc4-hdmi\n 1 [Device         ]: USB-Audio\n")

    async def acts(person: Person) -> None:
        await comes_to_the_speaker(person)
        await person.answers("plughw:CARD=Device played a sound. Did you hear it? y or n? [y]", "n")
        await person.answers("plughw:CARD=vc4hdmi0 played a sound. Did you hear it? y or n? [n]")
        await person.answers("Try once more?", "y")
        await person.answers("plughw:CARD=Device played a sound. Did you hear it? y or n? [y]")
        await person.answers("Write this to", "y")

    before = f'{BLOCK}[speaker]\ndevice = "plughw:CARD=Device"\n'
    config = set_up_with(pi, BLOCK, acts, before=before).config
    assert config.speaker == SpeakerConfig(device="plughw:CARD=Device")


def test_a_card_that_plays_nothing_is_said_with_why(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        person.pi.misbehave("sound", True)
        await comes_to_the_speaker(person)
        await person.sees("there is no sound card: plug it in, or name another one in the config.")
        await person.sees("No other sound card is here")
        await person.answers("Try once more?", "q")

    set_up_with(pi, BLOCK, acts, before=BLOCK)


def test_other_settings_of_the_speaker_stay(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_speaker(person)
        await person.answers("Did you hear it?", "y")
        await person.answers("Write this to", "y")

    config = set_up_with(pi, BLOCK, acts, before=f"{BLOCK}[speaker]\nvolume = 1\n").config
    assert config.speaker == SpeakerConfig(device="plughw:CARD=Device", volume=1)
