"""Sound output: a mixer, a sink on a thread, and one module for each sound library."""
