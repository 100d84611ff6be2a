"""The HTTP server of the table page, and its parts that the bench shares."""

SHARED_STATIC = ("reboard.web", "shared")
"""The folder of the files that all pages share, in the form of Starlette's ``StaticFiles``."""
