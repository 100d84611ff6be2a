"""Simulated accessories: what plays and the bench know about each. One folder an accessory."""
