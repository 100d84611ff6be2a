"""Bank cards to print, cut out and fold."""
