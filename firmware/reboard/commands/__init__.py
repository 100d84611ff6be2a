"""What `reboard` does, a file for each command that does more than call one function."""
