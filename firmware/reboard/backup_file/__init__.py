"""The backup file: all that a table needs to continue its game on another memory card."""
