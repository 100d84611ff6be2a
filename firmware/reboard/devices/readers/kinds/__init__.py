"""The kinds of card readers, each a module, which `reboard.devices.readers.reader_kind` finds by its name."""
