"""The commands of `reboard`: a file for each command that does more than call one function."""
