"""Circuits of the device kinds: a TOML file with parts and nets, and a module with rules and a drawing, for each."""
