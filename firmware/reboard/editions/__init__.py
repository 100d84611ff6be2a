"""The built-in editions, each a TOML file, and the code that reads editions."""
