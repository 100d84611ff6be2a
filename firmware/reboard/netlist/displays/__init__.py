"""The parts of the text displays, a file for each kind, which is named after it."""
