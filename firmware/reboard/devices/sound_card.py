"""The try-out of the speaker in setup, and doctor's check for a sound card that is missing, muted or too quiet.

``sound.device``: whether a sound card takes our format, and Linux knows the amplifier of ``[wiring]``.
``sound.library``: the sound library is missing, or ignores a setting of ``[speaker]``.
``sound.keep_awake``: the sound library ignores ``keep_awake``.
``sound.muted``: the mixer of the sound card is muted.
``sound.quiet``: the mixer of the sound card is below 20 %.
``sound.volume``: the table's volume is 0.
``sound.voice``: the table is to speak, but the program for it is not installed.
"""

from __future__ import annotations

import queue
from collections.abc import AsyncIterator, Iterator
from contextlib import closing

from reboard.board import is_raspberry_pi
from reboard.devices.audio.alsa import card_of, names_of
from reboard.devices.audio.espeak import PROGRAM
from reboard.devices.audio.libraries import LIBRARIES, LIBRARY_UNUSABLE, library_problem
from reboard.devices.audio.streaming import HangingError
from reboard.devices.examination import CheckContext, Host, TryOut, advise, fault_in_use, finding_in_use
from reboard.devices.speaker import LONGEST_TRY_S, SPEAKER, Speaker, SpeakerConfig
from reboard.errors import DeviceError
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.sounds import SoundSet

SOUND = "paid"

WITHOUT_LIBRARY = "Remove `library` from [speaker]: the table then chooses an installed library."

PROGRAM_FOLDERS = ("/usr/local/bin", "/usr/bin")
"""The folders in which the table's service finds programs."""

NO_CARDS = "--- no soundcards ---"
QUIET_PERCENT = 20
"""The volume in percent below which doctor reports a sound card as too quiet to be heard among playing children."""

I2S_AMPLIFIER = "max98357a"
OVERLAY = f"dtoverlay={I2S_AMPLIFIER},no-sdmode"
"""The line of the boot config that sets up an I²S amplifier, which Linux cannot detect."""
OVERLAYS = (f"dtoverlay={I2S_AMPLIFIER}", "dtoverlay=hifiberry-dac")
"""The beginnings of the boot config lines that set up an I²S amplifier: either overlay works."""
AMPLIFIER_CARD = "MAX98357A"
PLUG_IN = "Plug in a sound card. `aplay -l` lists the cards."
RESTART = (
    "The boot settings have the amplifier: run `sudo reboot`, unless the Pi was restarted after they were written."
)
AMPLIFIER_MISTAKES = {
    "nothing": (
        "nothing",
        "SD must not be at ground: connect it to VIN. BCLK belongs on GPIO18 and LRC on GPIO19: an amplifier on which "
        "they are swapped stays silent. Then measure 5 V between VIN and GND, and check the speaker's two wires.",
    ),
    "noise": (
        "a hiss, a crackle or a hum",
        "BCLK belongs on GPIO18, LRC on GPIO19 and DIN on GPIO21: two of them are swapped, or one is loose. GND of the "
        "amplifier must be on the Pi's ground.",
    ),
    "faint": (
        "a faint sound",
        "Open the speaker's volume control, if it has one. GAIN may stay free. A speaker has 4 to 8 ohms.",
    ),
}
"""What a wrongly wired I²S amplifier sounds like, and the remedy (data sheet of the MAX98357A: below 0.16 V at SD it is
off, and it needs a clock of 32, 48 or 64 times LRC at BCLK)."""


async def try_out_speaker(work: TryOut) -> dict[str, object] | None:
    """Play a sound on each sound card until the user hears it, and return the new ``[speaker]`` section.

    ``None`` means that the user gave up and the section stays unchanged.
    """
    known = work.setting(f"{SPEAKER}.device")
    cards: list[list[str | None]] = [[*names_of(f"plughw:CARD={card}")] for card in work.host.sound_cards()]
    for names in cards:
        names.sort(key=lambda device: device != known)
    cards.sort(key=lambda names: known not in names)
    while True:
        for names in cards or [[None]]:
            device, fault = await _play(work, names)
            name = device or "the default device"
            if fault:
                work.prompts.say(sentence(fault))
            # Enter at each question must not choose a card that the user did not hear
            elif await work.prompts.yes(f"{name} played a sound. Did you hear it?", default=device == known):
                return {**(work.setting(SPEAKER) or {}), **({"device": device} if device else {})}
        if any(AMPLIFIER_CARD in name for names in cards for name in names if name):
            await advise(work.prompts, "What do you hear from the amplifier?", AMPLIFIER_MISTAKES)
        else:
            work.prompts.say(
                "There is no other sound card: check the speaker's plug, and the volume control on the speaker."
            )
        if not await work.prompts.yes("Try again?"):
            return None


async def _play(work: TryOut, names: list[str | None]) -> tuple[str | None, str | None]:
    """Play a sound under the first of a card's *names* that works. Return that name, or the first one and its fault."""
    first_fault: str | None = None
    for device in names:
        with work.host.without_stderr():
            sink = work.board.open_sink(work.setting(f"{SPEAKER}.library"), device)
            with closing(Speaker(SoundSet.built_in(), sink)) as speaker:
                fault = await speaker.tried(SOUND)
        if fault is None:
            return device, None
        first_fault = first_fault or fault
    return names[0], first_fault


def speaker_findings(config: SpeakerConfig | None) -> Iterator[Finding]:
    """Yield the findings on ``[speaker]`` that need no sound device."""
    if config is None or config.is_silent or config.library is None:
        return
    if problem := library_problem(config.library, config.device):
        is_certain = isinstance(problem, DeviceError) or is_raspberry_pi()
        what = f"{LIBRARY_UNUSABLE} {config.library} cannot be used on this machine: {problem}"
        yield (wrong if is_certain else note)("sound.library", sentence(what), WITHOUT_LIBRARY)
    if config.keep_awake and LIBRARIES[config.library].opens_each_sound:
        what = f"`keep_awake` in [speaker] has no effect, because {config.library} opens the device for each sound."
        yield note("sound.keep_awake", what, WITHOUT_LIBRARY)


async def check_speaker(config: SpeakerConfig | None, amplifier: str, context: CheckContext) -> AsyncIterator[Finding]:
    """Yield the findings on the sound device and on the volume.

    If a table is using the device, the findings are from its report. Otherwise, the check opens the device. *amplifier*
    is the setting ``speaker`` in ``[wiring]``.
    """
    if config is None or config.is_silent:
        yield fine("sound.device", "The table is silent, as set in the config.")
        return
    for finding in speaker_findings(config):
        yield finding
        if finding.name == "sound.library":
            return
    if config.voice and not any(context.host.has(f"{folder}/{PROGRAM}") for folder in PROGRAM_FOLDERS):
        do = f"Run `sudo apt install {PROGRAM}`, or remove `voice` from [speaker]."
        yield wrong("sound.voice", f"The table cannot speak, because {PROGRAM} is not installed.", do)
    overlay = _missing_overlay(amplifier, context)
    if _has_no_card(context.host):
        is_amplifier = context.is_pi and amplifier == I2S_AMPLIFIER
        yield wrong("sound.device", "Linux has found no sound card.", overlay or (RESTART if is_amplifier else PLUG_IN))
        return
    if context.is_in_use:
        fault = fault_in_use(SPEAKER, context)
        yield finding_in_use("sound.device", SPEAKER, context, _what_helps(config, overlay, fault))
    elif not all(map(context.host.may_use, context.host.named("/dev/snd/pcm*"))):
        what = f"The sound device was not tried: {context.host.user} has no permission to use it."
        yield note("sound.device", what, "Run `sudo reboard doctor` to try it.")
    else:
        yield await context.host.in_thread(lambda: _opened(config, overlay, context.host))
    for finding in _volumes(config, context):
        yield finding


def _has_no_card(host: Host) -> bool:
    cards = host.text("/proc/asound/cards")
    return NO_CARDS in cards or (not cards and host.has("/proc/version"))


def _missing_overlay(amplifier: str, context: CheckContext) -> str:
    """Return how to add the missing boot setting for the I²S amplifier; ``""`` if none is missing."""
    if not context.is_pi or amplifier != I2S_AMPLIFIER:
        return ""
    if any(line.startswith(OVERLAYS) for line in context.host.text(context.boot_config).splitlines()):
        return ""
    return "An I²S amplifier needs a boot setting: run `sudo reboard setup boot`, then `sudo reboot`."


def _what_helps(config: SpeakerConfig, overlay: str, fault: str) -> str:
    if fault.startswith(LIBRARY_UNUSABLE):
        return WITHOUT_LIBRARY
    if overlay and (config.device is None or AMPLIFIER_CARD in config.device):
        return overlay
    return "Check `device` in [speaker]: `aplay -L` lists the possible names."


def _opened(config: SpeakerConfig, overlay: str, host: Host) -> Finding:
    reports: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    with host.without_stderr():
        sink = host.devices.open_sink(config.library, config.device)
        sink.start(lambda _: None, reports.put)
        try:
            fault = reports.get(timeout=LONGEST_TRY_S)
        except queue.Empty:
            fault = str(HangingError(sink.description))
        sink.close()
    if fault:
        return wrong("sound.device", sentence(fault), _what_helps(config, overlay, fault))
    return fine("sound.device", f"Sound goes to {sink.description}.")


def _volumes(config: SpeakerConfig, context: CheckContext) -> Iterator[Finding]:
    volume = context.snapshot["volume"] if context.snapshot else config.volume
    if volume == 0:
        how = (
            "Remove all cards and press `.` on the keypad, or set `volume` in [speaker] to a number from 1 to 4 and "
            "restart reboard."
        )
        yield note("sound.volume", "The table's own volume is 0.", how)
    card = card_of(config.device)
    for control in context.host.mixer(config.device):
        how = f'Run `amixer -D {card} sset "{control.name}" 80% unmute`, then `sudo alsactl store`.'
        if control.is_muted:
            yield wrong("sound.muted", f"The sound card's control {control.name} is muted.", how)
        elif control.percent < QUIET_PERCENT:
            yield note("sound.quiet", f"The sound card's control {control.name} is only at {control.percent} %.", how)
