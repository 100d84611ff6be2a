"""The libraries that programs import to reach a Pi's devices, on the virtual Pi: one module for each library."""
