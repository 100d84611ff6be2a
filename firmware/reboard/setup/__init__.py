"""``reboard setup``: asks about each device, tries it, and writes the config."""
