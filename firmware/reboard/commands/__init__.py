"""The modules of the `reboard` commands that are not part of another package."""
