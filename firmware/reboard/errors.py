"""What reboard raises. Each class is also the builtin that it is a kind of."""


class ReboardError(Exception):
    """Anything that reboard raises on purpose; its text is a sentence for the person at the table."""


class ConfigError(ReboardError, ValueError):
    """A file of settings cannot be used. The text has one line for each problem: ``file:line: what``."""


class PartError(ReboardError, OSError):
    """A wired part does not answer, or went away. The text names the part, its place and what to look at."""


class DoorError(ReboardError, ConnectionError):
    """The table's door is shut, or what came through it was not understood."""


class NoTableError(DoorError):
    """Nobody answers at the table's door: no table is at work."""


class ForbiddenDoorError(DoorError):
    """The table's door is not open to this user."""


class RequestError(ReboardError, ValueError):
    """A request that this table cannot carry out as things are; the text says why."""


class StateError(ReboardError, OSError):
    """The directory for what outlives a power cut cannot be used. The text says why and what to do."""


class GivenUpError(ReboardError, RuntimeError):
    """The table failed so often that it is not tried again by itself."""
