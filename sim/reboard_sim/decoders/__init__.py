"""Decoders that describe the bytes on a line in words."""
