"""The table as a systemd service: daemon, last good config, safe mode and motor-off."""
