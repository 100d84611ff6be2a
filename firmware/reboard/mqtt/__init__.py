"""The bridge between a table and an MQTT broker: topics, messages, the connection, and the delivery of transfers."""
