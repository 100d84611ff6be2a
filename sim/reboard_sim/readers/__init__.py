"""Virtual card readers, one file for each kind: what a real one says of a card, on good days and on bad ones."""
