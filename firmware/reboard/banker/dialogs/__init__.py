"""What the banker unit can do beside paying: each a dialog on its keypad and display."""
