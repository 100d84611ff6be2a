"""What can misbehave on request, each by one name that plays, the bench and the tests share."""

from __future__ import annotations

from collections.abc import Mapping

FAULTS: Mapping[str, str] = {
    "reader left": "the left slot's reader is pulled out of its socket",
    "reader right": "the right slot's reader is pulled out of its socket",
    "noise left": "garbage on the left reader's serial line, between and inside frames",
    "noise right": "garbage on the right reader's serial line, between and inside frames",
    "flicker left": "the left reader misses a card that lies still, now and then",
    "flicker right": "the right reader misses a card that lies still, now and then",
    "bounce": "every switch bounces for 20 ms instead of 2",
    "chatter block": "the block's button opens and closes by itself while it is held",
    "stuck block": "the block's button does not move",
    "chatter lever": "the lever's contact opens and closes by itself while it is held",
    "stuck lever": "the lever's contact does not move",
    "display": "the display's plug is loose: nobody answers on the bus",
    "sound": "the sound device is pulled out",
    "disk full": "the disk has no room for another byte",
    "disk read-only": "the disk lets nobody write",
    "disk failing": "the disk says that it could not save what it was given, and may have saved it all the same",
    "disk slow": "the disk takes 5 s for everything that is saved",
    "disk damaged": "random bytes are in the ledger's file whenever the plug has been pulled",
    "clock": "the calendar is set back by a year",
}
"""Every fault, and what is then the case."""
