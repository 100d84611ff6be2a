"""The pieces of the housings as CAD, in build123d: the only modules that need it."""
