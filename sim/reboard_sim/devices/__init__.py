"""The virtual devices. Each kind of device has a module."""
