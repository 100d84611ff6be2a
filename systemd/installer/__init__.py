"""The installer: a plan of steps, each told, asked and carried out on a machine. Standard library only."""
