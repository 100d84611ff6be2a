"""The boxed games: one TOML file each, and nothing else to write for a new one."""
