"""The circuits and parts of the card readers, a file for each kind, which is named after it."""
