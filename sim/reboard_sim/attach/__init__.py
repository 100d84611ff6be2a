"""The bench of a real table, which it shows without controlling it."""
