from __future__ import annotations

import sys

import pytest

from reboard.finding import Level, note, wrong
from reboard.parts.sinks.alsa_mixer import MixerControl
from reboard.parts.sinks.choose import open_sink
from reboard_sim.virtual_pi import VirtualPi
from tests.reboard.doctor.made_up import TABLE, MadeUpMachine, examined


def test_a_machine_without_a_sound_card_is_told_so(pi: MadeUpMachine) -> None:
    pi.write("/proc/asound/cards", "--- no soundcards ---\n")
    assert examined(pi)["sound.device"] == wrong(
        "sound.device", "Linux knows no sound card.", "Plug one in; `aplay -l` lists those it knows."
    )


def test_a_device_that_cannot_be_opened_is_told_with_the_reason(pi: MadeUpMachine) -> None:
    found = examined(pi, hands=lambda virtual: virtual.misbehave("sound", True))["sound.device"]
    assert found.level is Level.WRONG
    assert found.what == "There is no sound card: plug it in, or name another one in the config."


AMPLIFIED = TABLE + '[wiring]\nspeaker = "max98357a"\n'


def test_an_amplifier_that_linux_was_not_told_of_is_told_with_its_line(pi: MadeUpMachine) -> None:
    how = (
        "An amplifier on I²S needs a line: "
        "`echo dtoverlay=max98357a,no-sdmode | sudo tee -a /boot/firmware/config.txt`, then `sudo reboot`."
    )
    assert examined(pi, AMPLIFIED, hands=lambda virtual: virtual.misbehave("sound", True))["sound.device"].do == how
    pi.write("/proc/asound/cards", "--- no soundcards ---\n")
    assert examined(pi, AMPLIFIED)["sound.device"].do == how


@pytest.mark.parametrize(
    ("setting", "how"),
    [
        ('device = "plughw:CARD=Other"', "`aplay -L` lists what can stand as device in [speaker]."),
        ('device = "plughw:CARD=MAX98357A"', "An amplifier on I²S needs a line: "),
    ],
)
def test_the_amplifiers_line_is_advised_only_where_its_card_is_wanted(
    pi: MadeUpMachine, setting: str, how: str
) -> None:
    config = AMPLIFIED.replace("[speaker]", f"[speaker]\n{setting}")
    found = examined(pi, config, hands=lambda virtual: virtual.misbehave("sound", True))["sound.device"]
    assert found.do.startswith(how)


def test_a_sound_library_that_is_not_here_is_better_left_out(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VirtualPi, "open_sink", lambda *_: open_sink("simpleaudio", None))
    monkeypatch.setitem(sys.modules, "simpleaudio", None)
    monkeypatch.delitem(sys.modules, "reboard.parts.sinks.one_shot", raising=False)
    found = examined(pi, AMPLIFIED)["sound.device"]
    assert found.what.startswith("The sound library simpleaudio cannot be used here")
    assert found.do == "Leave `library` out of [speaker]: the table then takes one that is here."


@pytest.mark.parametrize("line", ["max98357a,no-sdmode", "max98357a", "hifiberry-dac"])
def test_an_amplifier_that_linux_was_told_of_needs_no_other_line(pi: MadeUpMachine, line: str) -> None:
    pi.write("/boot/firmware/config.txt", f"dtparam=i2c_arm=on\ndtoverlay={line}\n")
    found = examined(pi, AMPLIFIED, hands=lambda virtual: virtual.misbehave("sound", True))["sound.device"]
    assert found.do == "`aplay -L` lists what can stand as device in [speaker]."


def test_a_control_that_is_muted_is_wrong(pi: MadeUpMachine) -> None:
    pi.controls = [MixerControl("PCM", 80, is_muted=True)]
    config = TABLE.replace("[speaker]", '[speaker]\ndevice = "plughw:CARD=Device,DEV=0"')
    assert examined(pi, config)["sound.muted"] == wrong(
        "sound.muted",
        "The sound card's PCM is muted.",
        '`amixer -D hw:Device sset "PCM" 80% unmute`, then `sudo alsactl store`.',
    )


def test_a_control_that_is_turned_down_is_worth_a_note(pi: MadeUpMachine) -> None:
    pi.controls = [MixerControl("Headphone", 12, is_muted=False), MixerControl("Master", 100, is_muted=False)]
    found = examined(pi)["sound.quiet"]
    assert (found.level, found.what) == (Level.NOTE, "The sound card's Headphone is at 12 % only.")


def test_a_table_that_is_mute_is_worth_a_note(pi: MadeUpMachine) -> None:
    assert examined(pi, TABLE.replace("[speaker]", "[speaker]\nvolume = 0"))["sound.volume"] == note(
        "sound.volume", "The table's own volume is 0.", "`.` on the keypad, with no card in, turns it up."
    )


def test_a_table_that_wants_no_sound_needs_no_card(pi: MadeUpMachine) -> None:
    pi.write("/proc/asound/cards", "--- no soundcards ---\n")
    said = examined(pi, TABLE.replace("[speaker]", '[speaker]\nlibrary = "silent"'))
    assert said["sound.device"].what == "The table is silent, as the config wants it."


def test_a_device_that_who_looks_may_not_use_is_not_called_broken(pi: MadeUpMachine) -> None:
    pi.kept_from.add("/dev/snd/pcmC0D0p")
    assert examined(pi)["sound.device"].what == "The sound device was not tried: anna may not use it."
