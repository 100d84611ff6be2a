"""The parts of ``reboard setup``: its prompts, its draft of the config, and names for USB readers."""
