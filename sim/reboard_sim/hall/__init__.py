"""A hall of many virtual tables, where families play."""
