"""Card slots: what one does (`slot`), and one file for each kind of reader."""
