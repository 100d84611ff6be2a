"""``reboard doctor``: what is the case with this machine and its table, and what to do; one file for each area."""
