"""The speed die in plays."""
