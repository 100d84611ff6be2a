"""Readers that convert a TOML config into dataclasses."""
