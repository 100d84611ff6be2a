"""What passed over a wire, told in words: one file for each language that is spoken on one."""
