"""Text displays: the interface of their controllers, and a module for each."""
