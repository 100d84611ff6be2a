"""A sound box for reboard."""
