"""The kinds of card readers. Each kind is a module, which `reboard.devices.readers.reader_kind` finds by its name."""
