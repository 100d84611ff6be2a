"""The read-only bench of a real table."""
