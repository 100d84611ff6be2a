"""The hall: a receiver of many tables over an MQTT broker, its store, and its page."""
