"""Programs on the bench: a user's own, unchanged Python program on the virtual Pi."""
