"""Accessories for scripts, similar to gpiozero's devices: no event loop, no config file, callbacks for events.

Each accessory runs a `Table` with that one accessory, so a script runs the same code as the daemon. Its class is made
from what the accessory declares: arguments are its settings, callbacks its events, attributes its state, and methods
its requests.
"""

from reboard.script.derived import class_names, class_of
from reboard.script.scripted import ScriptedAccessory

__all__ = ["ScriptedAccessory", "class_names", "class_of"]
