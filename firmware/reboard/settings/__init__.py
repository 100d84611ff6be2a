"""How a file of settings is read: every problem at once, each with its line; `config` and `edition` use it."""
