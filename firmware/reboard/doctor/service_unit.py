"""The check of the table's service: its state, its access to files, and the faults that the table reports."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from reboard.config.reading import DEFAULT_STATE_DIRECTORY
from reboard.devices.speaker import SPEAKER
from reboard.doctor.doctor_context import MOTOR, DoctorContext, Unit
from reboard.editions.edition import edition_file
from reboard.finding import Finding, fine, note, sentence, wrong

ENDINGS = {
    "exit-code": "it ended with an error",
    "signal": "it was killed",
    "core-dump": "it crashed",
    "watchdog": "it hung, and was ended by the watchdog",
    "timeout": "it took too long to start or to stop",
    "oom-kill": "the memory was full, and it was killed",
    "start-limit-hit": "it failed to start repeatedly, and systemd does not start it again",
    "protocol": "it never reported that it was ready",
    "resources": "the system could not start it",
}
"""The meaning of each ``Result=`` that systemd reports for a failed service."""

EXITS = {"2": "its config is not valid", "3": "it failed too often, and systemd does not start it again"}
"""The meaning of the table's exit codes that doctor explains."""

HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
"""The directories that systemd hides from a service whose unit has ``ProtectHome=``."""

LOG = "`journalctl -u reboard -n 30` shows its last messages"
INSTALL = "`sudo make install`, in reboard's folder, makes it one."


async def check_service(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether systemd runs the table, the table answers, and the service has access to the config's paths."""
    for finding in (*_unit(context), *_paths(context), *_answer(context), *_faults(context)):
        yield finding


def _unit(context: DoctorContext) -> Iterator[Finding]:
    if context.units is None:
        yield note("service.systemd", "systemd is missing, or does not answer: the table does not start by itself.")
        return
    if context.is_in_safe_mode:
        yield wrong(
            "service.safe", "The table failed too often, and safe mode runs: lamp and sound ask for help.", f"{LOG}."
        )
    motor = context.units.get(MOTOR)
    if motor and motor.active == "failed":
        what = "The motor was not held off while the machine started."
        yield wrong("service.motor", what, "`journalctl -b -u reboard-motor` says why.")
    unit = context.service
    if unit is None:
        yield note(
            "service.installed", "The table is not installed as a service: it does not start with the machine.", INSTALL
        )
        return
    if not unit.is_enabled:
        yield note("service.enabled", "The service does not start with the machine.", "`sudo systemctl enable reboard`")
    if unit.is_active:
        yield fine("service.state", "The service runs.")
    else:
        yield _not_running(unit)
    if unit.restarts:
        times = "once" if unit.restarts == 1 else f"{unit.restarts} times"
        yield note("service.restarts", f"systemd had to restart it {times}.", f"{LOG}.")


def _paths(context: DoctorContext) -> Iterator[Finding]:
    """Yield a fault for each path in the config that the service cannot write or cannot see."""
    unit, config = context.service, context.config
    if not unit or not config:
        return
    state = config.state.directory.resolve()
    if not any(state.is_relative_to(path) for path in (DEFAULT_STATE_DIRECTORY, *unit.writable)):
        yield wrong(
            "service.paths",
            f"The service may not write to {state}, where the config has the ledger.",
            f"`sudo systemctl edit reboard`, with the lines [Service] and ReadWritePaths={state}; then "
            "`sudo systemctl restart reboard`.",
        )
    folder = config.speaker.folder if config.speaker else None
    for path in (state, folder, edition_file(config.edition)):
        if path and not unit.sees_homes and any(path.is_relative_to(home) for home in HOMES):
            yield wrong(
                "service.paths", f"The service cannot see {path.parent}.", "Put it elsewhere, such as into /srv."
            )


def _not_running(unit: Unit) -> Finding:
    if unit.active == "failed":
        why = ENDINGS.get(unit.result, f"systemd reports {unit.result}")
        if unit.result == "exit-code":
            why = EXITS.get(unit.exit_status, why)
        # past its limit systemd refuses every start until the failure is reset
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


def _answer(context: DoctorContext) -> Iterator[Finding]:
    if context.snapshot:
        yield fine("service.answers", f"The table runs, and plays {context.snapshot['title']}.")
    elif context.is_in_safe_mode:
        yield note("service.answers", "Safe mode uses the pins and the sound device: they were not tried.")
    elif context.answer.is_forbidden:
        yield note("service.answers", sentence(context.answer.problem), "`sudo reboard doctor` may ask the table.")
    elif context.answer.problem:
        yield wrong("service.answers", sentence(context.answer.problem), "`sudo systemctl restart reboard`")
    else:
        yield note("service.answers", "No table runs: its devices were tried one by one.")


def _faults(context: DoctorContext) -> Iterator[Finding]:
    """Yield the table's faults of devices that no other check covers."""
    devices = context.config.devices() if context.config else ()
    elsewhere = {SPEAKER, *(device.title for device in devices if device.kind.area)}
    for part, cause in context.faults.items():
        if part not in elsewhere:
            yield wrong("service.fault", f"The table reports a fault of the {part}: {sentence(cause)}", f"{LOG}.")
