"""The worm apple of Wiggly Worms."""
