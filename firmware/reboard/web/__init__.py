"""The HTTP server of the table page, and what the bench shares with it."""

SHARED_STATIC = ("reboard.web", "shared")
"""The files that every page has besides its own, as Starlette's ``StaticFiles`` takes them."""
