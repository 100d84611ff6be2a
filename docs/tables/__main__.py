"""``python -m docs.tables``: write the tables of the documents, and the schema of the messages over MQTT."""

from docs.tables import DOCUMENTS, MQTT_SCHEMA, filled
from reboard.mqtt import schema

for document in DOCUMENTS:
    document.write_text(filled(document.read_text("utf-8")), "utf-8")
MQTT_SCHEMA.write_text(schema.text(), "utf-8")
