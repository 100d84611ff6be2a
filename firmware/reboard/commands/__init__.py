"""The commands of `reboard`. A command that only calls one function has no file here."""
