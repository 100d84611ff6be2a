"""The bench: a web page on which a user operates a virtual table, and its server."""
