"""Serving a page over HTTP, whichever it is: the server, its streams of events, and who may ask."""

SHARED_STATIC = ("reboard.web", "static")
"""The package and folder of what every page has besides its own files, as Starlette's ``StaticFiles`` takes it."""
