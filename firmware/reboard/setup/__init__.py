"""The modules of ``reboard setup``: prompts, the draft of the config, and permanent names for USB devices."""
