"""The virtual card readers. Each kind of reader has a module."""
