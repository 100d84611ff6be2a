"""The kinds of card readers, each a module, which `reboard.devices.readers.installed_readers` finds by its name."""
