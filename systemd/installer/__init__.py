"""The installer: a plan of steps, each shown, confirmed and carried out. Standard library only."""
