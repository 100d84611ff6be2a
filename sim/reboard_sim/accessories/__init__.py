"""The simulated accessories for plays and the bench. Each accessory has a folder."""
