"""The banker unit in plays and on the bench."""
