"""The HTTP server of the table page, and the modules and files that the bench also uses."""

SHARED_STATIC = ("reboard.web", "shared")
"""The package and folder of the files that all pages share, for ``packages`` of Starlette's ``StaticFiles``."""
