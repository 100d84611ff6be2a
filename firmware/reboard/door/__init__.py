"""The table's one local door: its server, its client, and the words that both speak."""
