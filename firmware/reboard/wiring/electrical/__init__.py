"""What could not work, or would break something, told from a drawing: one file for each thing to look at."""
