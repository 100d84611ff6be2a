"""The boxed games. Each is one TOML file; a new one needs no code."""
