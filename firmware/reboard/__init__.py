"""New electronics for old board games."""

from reboard.version import __version__

__all__ = ["__version__"]
