"""Plays: scripted sessions with checks."""
