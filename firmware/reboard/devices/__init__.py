"""Device drivers: one module for each kind of device."""
