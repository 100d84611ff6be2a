"""TOML, read into dataclasses."""
