"""What is wired to a Pi, wire by wire: the data of the folder ``hardware``, put together for one config."""
