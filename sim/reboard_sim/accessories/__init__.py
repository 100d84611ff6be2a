"""The simulated accessories for plays and the bench, with one folder for each accessory."""
