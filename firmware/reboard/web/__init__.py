"""The HTTP server of the table page, and the modules and files that the bench also uses."""
