"""Electrical rules for pins: none is used twice, and none has another job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reboard.finding import Finding, all_of, fine, note, wrong
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import gpio_number, header_pin, jobs

WHICH_PIN = 'docs/wiring.md, "Which pin", lists the pins and what each is good for.'


def on_header(net: str) -> str:
    """Return a pin in words: ``GPIO17 (pin 11 of the header)``."""
    return f"{net} (pin {header_pin(net)} of the header)"


def choose_another_pin(users: Sequence[str]) -> str:
    """Return the remedy for settings whose pin is not good."""
    return f"Choose another pin for {all_of(users)}. {WHICH_PIN}"


def used_twice(circuit: Circuit) -> Iterator[Finding]:
    """Find pins that have more than one user."""
    used = circuit.used_pins()
    twice = [net for net in used if len(circuit.users[net]) > 1]
    for net in twice:
        users = circuit.users[net]
        names = " and ".join(user if _is_setting(user) else f"the {user}" for user in users)
        what = f"{on_header(net)} is used by {names}."
        yield wrong("pins.twice", what, choose_another_pin(list(filter(_is_setting, users))))
    if not twice:
        yield fine("pins.twice", f"{len(used)} pins are used, none of them twice.")


def other_jobs(circuit: Circuit) -> Iterator[Finding]:
    """Find pins of the config that the Pi uses for something else."""
    found = False
    for job in jobs():
        used = [net for net in circuit.used_pins() if gpio_number(net) in job.gpios]
        found |= any(_is_setting(user) for net in used for user in circuit.users[net])
        # `used_twice` reports a pin with two users
        named = {net: circuit.users[net][0] for net in used if len(circuit.users[net]) == 1}
        named = {net: user for net, user in named.items() if _is_setting(user)}
        if not named:
            continue
        settings = list(dict.fromkeys(named.values()))
        belong = "also belong" if len(named) > 1 else "also belongs"
        is_taken = any(circuit.of_kind(job.taken_for))
        why = job.why_taken if is_taken else job.why
        what = f"{all_of(list(named))} ({', '.join(settings)}) {belong} to {job.name}: {why}."
        if job.is_on or is_taken:
            yield wrong("pins.job", what, choose_another_pin(settings))
        else:
            yield note("pins.job", what, f"Switch it off: `{job.free}`." if job.free else "")
    if not found:
        yield fine("pins.job", "No pin has another job.")


def _is_setting(user: str) -> bool:
    return "." in user
