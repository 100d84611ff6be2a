"""Housings: solids that are made of the measures in ``hardware/housings.toml``. All lengths are millimetres."""
