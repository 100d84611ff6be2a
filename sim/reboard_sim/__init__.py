"""The simulator: the virtual Pi, the plays and the bench."""
