"""The daemon under systemd."""
