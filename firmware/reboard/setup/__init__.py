"""``reboard setup``: asks what is wired where, tries it, and writes the config; one file for each part."""
