"""The accessories, each in its own folder."""
