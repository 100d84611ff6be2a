"""The banker unit of Monopoly Here & Now: The World Edition."""
