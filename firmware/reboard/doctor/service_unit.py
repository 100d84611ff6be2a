"""The check of the table's service: its state, its access to files, and the faults that the table reports.

``service.installed``: whether the service is installed.
``service.enabled``: whether the table starts with the Pi.
``service.state``: whether the service runs, or why it failed.
``service.restarts``: how often systemd restarted it.
``service.safe``: it cannot play and is in safe mode.
``service.motor``: the motor was not kept off while the Pi was starting.
``service.paths``: the service cannot write or see a path in the config.
``service.answers``: whether the table answers on its control socket.
``service.fault``: other faults that the table reports.
``service.systemd``: there is no systemd.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from reboard.config.reading import DEFAULT_STATE_DIRECTORY
from reboard.devices.speaker import SPEAKER
from reboard.doctor.doctor_context import MOTOR, REINSTALL, DoctorContext, Unit
from reboard.editions.edition import edition_file
from reboard.finding import Finding, fine, note, sentence, wrong

ENDINGS = {
    "exit-code": "it exited with an error",
    "signal": "it was killed",
    "core-dump": "it crashed",
    "watchdog": "it hung, and the watchdog killed it",
    "timeout": "it took too long to start or to stop",
    "oom-kill": "the system ran out of memory and killed it",
    "start-limit-hit": "it failed repeatedly, and systemd has stopped restarting it",
    "protocol": "it never reported that it was ready",
    "resources": "the system could not start it",
}
"""The meaning of each ``Result=`` that systemd reports for a failed service."""

EXITS = {"2": "its config was not valid", "3": "it failed too often, and systemd has stopped restarting it"}
"""The causes of the table's exit codes, keyed by exit code."""

HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
"""The directories that systemd hides from a service if its unit sets ``ProtectHome=``."""

LOG = "`journalctl -u reboard -n 30` shows the latest messages of the service"
INSTALL = f"Run {REINSTALL} to install it."


async def check_service(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check that systemd runs the table, that the table answers, and that the service can access the config's paths."""
    for finding in (*_unit(context), *_paths(context), *_answer(context), *_faults(context)):
        yield finding


def _unit(context: DoctorContext) -> Iterator[Finding]:
    if context.units is None:
        yield note("service.systemd", "systemd is missing or does not answer, so the services were not checked.")
        return
    if context.is_in_safe_mode:
        yield wrong(
            "service.safe",
            "The table cannot play, so safe mode is running: lamp and sound report a fault.",
            f"{LOG}.",
        )
    motor = context.units.get(MOTOR)
    if motor and motor.active == "failed":
        what = "The motor was not kept off while the machine was starting."
        yield wrong("service.motor", what, "`journalctl -b -u reboard-motor` shows why.")
    unit = context.service
    if unit is None:
        yield note(
            "service.installed",
            "The table is not installed as a service, so it does not start with the machine.",
            INSTALL,
        )
        return
    if not unit.is_enabled:
        yield note(
            "service.enabled", "The service does not start with the machine.", "Run `sudo systemctl enable reboard`."
        )
    if unit.is_active:
        yield fine("service.state", "The service is running.")
    elif context.is_half_restored:
        yield wrong("service.state", "The service does not start, because a restore was interrupted.")
    else:
        yield _not_running(unit)
    if unit.restarts:
        times = "once" if unit.restarts == 1 else f"{unit.restarts} times"
        yield note("service.restarts", f"systemd has restarted the service {times}.", f"{LOG}.")


def _paths(context: DoctorContext) -> Iterator[Finding]:
    """Yield a finding for each path in the config that the service cannot write to or cannot see."""
    unit, config = context.service, context.config
    if not unit or not config:
        return
    state = config.state.directory.resolve()
    if not any(state.is_relative_to(path) for path in (DEFAULT_STATE_DIRECTORY, *unit.writable)):
        yield wrong(
            "service.paths",
            f"systemd does not let the service write to {state}, the directory for the ledger.",
            f"Run `sudo install -d -o reboard -g reboard {state}` and `sudo systemctl edit reboard`, add the lines "
            f"[Service] and ReadWritePaths={state}, then run `sudo systemctl restart reboard`.",
        )
    folder = config.speaker.folder if config.speaker else None
    for path in (state, folder, edition_file(config.edition)):
        if path and not unit.sees_homes and any(path.is_relative_to(home) for home in HOMES):
            yield wrong(
                "service.paths",
                f"systemd hides {path} from the service.",
                "Move it to another directory, such as /srv, change its path in the config, then run "
                "`sudo systemctl restart reboard`.",
            )


def _not_running(unit: Unit) -> Finding:
    if unit.active == "failed":
        why = ENDINGS.get(unit.result, f"systemd reports {unit.result}")
        if unit.result == "exit-code":
            why = EXITS.get(unit.exit_status, why)
        # past its limit systemd refuses every start until the failure is reset
        first = "`sudo systemctl reset-failed reboard`, then " if unit.result == "start-limit-hit" else ""
        return wrong(
            "service.state",
            f"The service has failed: {why}.",
            f"{LOG}. To start it, run {first}`sudo systemctl restart reboard`.",
        )
    if unit.active == "activating":
        words = f" It reports: {sentence(unit.status)}" if unit.status else ""
        waits = "is waiting before it restarts" if unit.sub == "auto-restart" else "is still starting"
        return (wrong if unit.sub == "auto-restart" else note)(
            "service.state", f"The service {waits}.{words}", f"{LOG}."
        )
    return note("service.state", "The service is stopped.", "Run `sudo systemctl start reboard`.")


def _answer(context: DoctorContext) -> Iterator[Finding]:
    if context.snapshot:
        yield fine("service.answers", f"The table is running. The edition is {context.snapshot['title']}.")
    elif context.is_in_safe_mode:
        yield note("service.answers", "Safe mode is using the pins and the sound device, so they were not tried.")
    elif context.answer.is_forbidden:
        yield note("service.answers", sentence(context.answer.problem), "Run `sudo reboard doctor` instead.")
    elif context.answer.problem:
        yield wrong("service.answers", sentence(context.answer.problem), "Run `sudo systemctl restart reboard`.")
    else:
        yield note("service.answers", "No table is running, so the devices were tried one by one.")


def _faults(context: DoctorContext) -> Iterator[Finding]:
    """Yield the faults that the table reports for devices without a check of their own."""
    devices = context.config.devices() if context.config else ()
    elsewhere = {SPEAKER, *(device.title for device in devices if device.kind.area)}
    for part, cause in context.faults.items():
        if part not in elsewhere:
            yield wrong("service.fault", f"The table reports a fault in the {part}: {sentence(cause)}", f"{LOG}.")
