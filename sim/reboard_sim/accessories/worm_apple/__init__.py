"""The worm apple in plays and on the bench."""
