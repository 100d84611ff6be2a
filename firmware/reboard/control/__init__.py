"""The control socket: its protocol, its server and its client."""
