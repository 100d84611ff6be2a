"""The virtual Pi, the plays and the bench: everything below and around the table that is made of software."""
