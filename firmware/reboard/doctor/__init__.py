"""``reboard doctor``: the checks of the machine and the table."""
