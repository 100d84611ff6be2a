"""The kinds of text displays, a module each."""
