"""Card readers."""
