"""A virtual switch that stays as the user leaves it."""

from __future__ import annotations

from reboard_sim.devices import contact

FORMS = (contact.SET,)
FAULTS = contact.FAULTS
opened = contact.opened
