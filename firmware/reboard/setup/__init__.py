"""What ``reboard setup`` asks and tries: its prompts, its draft of the config, names for USB readers."""
