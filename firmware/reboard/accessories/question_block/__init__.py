"""The question block of Monopoly Super Mario Celebration."""
