"""Decoders of what passes over a line, in words."""
