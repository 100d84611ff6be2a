"""The player cards for the banker unit, as a PDF to print, cut out and fold."""
