"""Virtual card readers."""
