"""The service: is the table at work, does it stay so, and what does it say?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from reboard.doctor.case import Case
from reboard.doctor.units import MOTOR, Unit
from reboard.edition import edition_file
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.settings.state_directory import USUAL_STATE_DIRECTORY

ENDINGS = {
    "exit-code": "it ended with an error",
    "signal": "it was killed",
    "core-dump": "it crashed",
    "watchdog": "it hung, and was ended by the watchdog",
    "timeout": "it took too long to start or to stop",
    "oom-kill": "the memory was full, and it was killed",
    "start-limit-hit": "it did not even begin, again and again, and is started no more",
    "protocol": "it never said that it was ready",
    "resources": "the system could not start it",
}
"""What systemd calls a failure, and what it means."""

EXITS = {"2": "its config cannot be played with", "3": "it failed too often, and is started no more"}
"""What the table's own exit statuses mean."""

HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
"""What systemd hides from a service with ProtectHome=."""

LOG = "`journalctl -u reboard -n 30` shows its last words"
INSTALL = "`sudo make install`, in reboard's folder, makes it one."


async def look_at_service(case: Case) -> AsyncIterator[Finding]:
    """Does systemd run it, and does it answer at its door?"""
    for finding in (*_unit(case), *_paths(case), *_door(case), *_faults(case)):
        yield finding


def _unit(case: Case) -> Iterator[Finding]:
    if case.units is None:
        yield note("service.systemd", "systemd is not here, or does not answer: nobody starts the table by itself.")
        return
    if case.is_in_safe_mode:
        yield wrong("service.safe", "The table has given up, and lamp and sound call for help.", f"{LOG}.")
    motor = case.units.get(MOTOR)
    if motor and motor.active == "failed":
        what = "The motor was not held still while the machine started."
        yield wrong("service.motor", what, "`journalctl -b -u reboard-motor` tells why.")
    unit = case.service
    if unit is None:
        yield note("service.installed", "The table is no service: it does not start with the machine.", INSTALL)
        return
    if not unit.is_enabled:
        yield note("service.enabled", "The service does not start with the machine.", "`sudo systemctl enable reboard`")
    if unit.is_active:
        yield fine("service.state", "The service is at work.")
    else:
        yield _not_at_work(unit)
    if unit.restarts:
        times = "once" if unit.restarts == 1 else f"{unit.restarts} times"
        yield note("service.restarts", f"It had to be restarted {times} since it was started.", f"{LOG}.")


def _paths(case: Case) -> Iterator[Finding]:
    """Does the service get at what the config names?"""
    unit, config = case.service, case.config
    if not unit or not config:
        return
    state = config.state.directory.resolve()
    if not any(state.is_relative_to(path) for path in (USUAL_STATE_DIRECTORY, *unit.writable)):
        yield wrong(
            "service.paths",
            f"The service may not write to {state}, where the config wants the ledger.",
            f"`sudo systemctl edit reboard`, with the lines [Service] and ReadWritePaths={state}; then "
            "`sudo systemctl restart reboard`.",
        )
    folder = config.speaker.folder if config.speaker else None
    for path in (state, folder, edition_file(config.edition)):
        if path and not unit.sees_homes and any(path.is_relative_to(home) for home in HOMES):
            yield wrong(
                "service.paths", f"The service sees nothing in {path.parent}.", "Put it elsewhere, such as into /srv."
            )


def _not_at_work(unit: Unit) -> Finding:
    if unit.active == "failed":
        why = ENDINGS.get(unit.result, f"systemd calls it {unit.result}")
        if unit.result == "exit-code":
            why = EXITS.get(unit.exit_status, why)
        # past its own limit systemd refuses every start until the failure is forgotten
        first = "`sudo systemctl reset-failed reboard`, then " if unit.result == "start-limit-hit" else ""
        return wrong(
            "service.state", f"The service has failed: {why}.", f"{LOG}; {first}`sudo systemctl restart reboard`."
        )
    if unit.active == "activating":
        words = f" It says: {sentence(unit.status)}" if unit.status else ""
        waits = "waits before it tries again" if unit.sub == "auto-restart" else "is still starting"
        return (wrong if unit.sub == "auto-restart" else note)(
            "service.state", f"The service {waits}.{words}", f"{LOG}."
        )
    return note("service.state", "The service is stopped.", "`sudo systemctl start reboard`")


def _door(case: Case) -> Iterator[Finding]:
    if case.table:
        yield fine("service.door", f"The table answers at its door; it plays {case.table['title']}.")
    elif case.is_in_safe_mode:
        yield note("service.door", "Safe mode has the pins and the sound device: they were left alone.")
    elif case.door.is_forbidden:
        yield note("service.door", sentence(case.door.problem), "`sudo reboard doctor` asks the table.")
    elif case.door.problem:
        yield wrong("service.door", sentence(case.door.problem), "`sudo systemctl restart reboard`")
    else:
        yield note("service.door", "No table is at work: its parts were looked at one by one.")


def _faults(case: Case) -> Iterator[Finding]:
    looked_at_elsewhere = ("display", "speaker", "left slot", "right slot")
    for part, cause in case.faults.items():
        if part not in looked_at_elsewhere:
            yield wrong("service.fault", f"The table says of the {part}: {sentence(cause)}", f"{LOG}.")
