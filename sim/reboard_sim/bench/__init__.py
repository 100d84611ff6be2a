"""The bench: the page on which a user plays with the virtual table."""
