"""Plays: scripted sessions at a virtual table, with checks."""
