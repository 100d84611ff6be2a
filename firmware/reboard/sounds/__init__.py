"""Our own sounds, composed by code and kept as WAV files."""
