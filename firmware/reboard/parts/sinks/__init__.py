"""Sinks: the last step of a sound, from our mixer into one library's stream; one file a library."""
