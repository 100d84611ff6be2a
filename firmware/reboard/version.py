"""The version of reboard."""

__version__ = "0.2.0"
