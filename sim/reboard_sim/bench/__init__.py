"""The bench: the page where a person works the virtual parts by hand."""
