"""Sound output: a mixer, a sink with a thread, and one module for each sound library."""
