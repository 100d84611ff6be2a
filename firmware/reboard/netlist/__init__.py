"""Parts, nets and the pins of the header."""
