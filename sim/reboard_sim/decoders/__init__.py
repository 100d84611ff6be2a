"""Decoders that describe the bytes on a line for users."""
