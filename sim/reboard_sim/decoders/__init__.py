"""Decoders that describe the bytes on a serial line or bus for users."""
