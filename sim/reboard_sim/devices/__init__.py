"""The virtual devices, with one module for each kind."""
