"""Virtual devices: one module a kind."""
