"""The table page: a process of its own that knows the table only through its door."""
