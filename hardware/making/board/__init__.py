"""The carrier board: from the wiring data and ``hardware/board/board.toml`` to the files that a manufacturer takes."""
