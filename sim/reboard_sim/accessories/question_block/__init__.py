"""The question block in plays and on the bench."""
