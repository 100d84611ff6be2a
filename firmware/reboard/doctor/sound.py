"""The speaker: is there a sound card, does it take what we play, and is it turned down?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from reboard.config import SpeakerConfig
from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.machine import Machine
from reboard.parts.sinks.alsa_mixer import card_of
from reboard.parts.sinks.choose import NAMED_IN_VAIN

CARDS = "/proc/asound/cards"
NO_CARDS = "--- no soundcards ---"

QUIET_PERCENT = 20
"""Below this nobody at a table with children hears anything."""

AMPLIFIER = "dtoverlay=max98357a,no-sdmode"
"""The line by which Linux knows of an I²S amplifier, which nothing else tells it."""

AMPLIFIERS_CARD = "MAX98357A"

KNOWN_BY = (AMPLIFIER.partition(",")[0], "dtoverlay=hifiberry-dac")
"""How the lines begin that do; people use either."""


async def look_at_sound(case: Case) -> AsyncIterator[Finding]:
    """Ask the table if it is at work, and else open the device as the table would."""
    speaker = case.config.speaker if case.config else None
    if speaker is None or speaker.is_silent:
        if case.config:
            yield fine("sound.device", "The table is silent, as the config wants it.")
        return
    if _has_no_card(case.machine):
        how = _line_of_the_amplifier(case) or "Plug one in; `aplay -l` lists those it knows."
        yield wrong("sound.device", "Linux knows no sound card.", how)
        return
    if case.is_at_work:
        yield _told(case, speaker)
    elif not _may_listen(case.machine):
        yield note(
            "sound.device",
            f"The sound device was not tried: {case.machine.user} may not use it.",
            "`sudo reboard doctor` tries it.",
        )
    else:
        yield await case.machine.apart(lambda: _tried(case, speaker))
    for finding in _volumes(case, speaker):
        yield finding


def _has_no_card(machine: Machine) -> bool:
    cards = machine.text(CARDS)
    return NO_CARDS in cards or (not cards and machine.has("/proc/version"))


def _may_listen(machine: Machine) -> bool:
    return all(map(machine.may_use, machine.named("/dev/snd/pcm*")))


def _told(case: Case, speaker: SpeakerConfig) -> Finding:
    if not case.table:
        return note("sound.device", "Whether the sound device works cannot be told: a table may be at work with it.")
    if fault := case.faults.get("speaker"):
        return wrong("sound.device", f"The table at work says: {sentence(fault)}", _what_helps(case, speaker, fault))
    return fine("sound.device", "The table at work has no trouble with its sound device.")


def _what_helps(case: Case, speaker: SpeakerConfig, problem: str) -> str:
    """What to do about a *problem* with the device, though Linux knows some sound card."""
    if problem.startswith(NAMED_IN_VAIN):
        return "Leave `library` out of [speaker]: the table then takes one that is here."
    if (speaker.device is None or AMPLIFIERS_CARD in speaker.device) and (line := _line_of_the_amplifier(case)):
        return line
    return "`aplay -L` lists what can stand as device in [speaker]."


def _line_of_the_amplifier(case: Case) -> str:
    """What is missing for an I²S amplifier that [wiring] speaks of, ``""`` if nothing is."""
    if not (case.is_pi and case.config and case.config.wiring.speaker == "max98357a"):
        return ""
    if any(line.startswith(KNOWN_BY) for line in case.machine.text(case.boot_config).splitlines()):
        return ""
    return f"An amplifier on I²S needs a line: `echo {AMPLIFIER} | sudo tee -a {case.boot_config}`, then `sudo reboot`."


def _tried(case: Case, speaker: SpeakerConfig) -> Finding:
    problems: list[str | None] = []
    with case.machine.hushed():
        sink = case.machine.devices.open_sink(speaker.library, speaker.device)
        sink.start(lambda _: None, problems.append)
        sink.close()  # waits until the device was opened, or could not be
    if problems and problems[-1]:
        return wrong("sound.device", sentence(problems[-1]), _what_helps(case, speaker, problems[-1]))
    return fine("sound.device", f"Sound goes to {sink.description}.")


def _volumes(case: Case, speaker: SpeakerConfig) -> Iterator[Finding]:
    volume = case.table["volume"] if case.table else speaker.volume
    if volume == 0:
        yield note("sound.volume", "The table's own volume is 0.", "`.` on the keypad, with no card in, turns it up.")
    card = card_of(speaker.device)
    for control in case.machine.mixer(speaker.device):
        how = f'`amixer -D {card} sset "{control.name}" 80% unmute`, then `sudo alsactl store`.'
        if control.is_muted:
            yield wrong("sound.muted", f"The sound card's {control.name} is muted.", how)
        elif control.percent < QUIET_PERCENT:
            yield note("sound.quiet", f"The sound card's {control.name} is at {control.percent} % only.", how)
