"""What a table says and takes: its events, requests and states, each declared once, as a class with a docstring.

The control socket, HTTP, MQTT, plug-ins, the OpenAPI description and the tables of the documents take the names, the
limits and the words from it::

    class Drawn(Event, name="block.outcome", is_shared=True):
        \"\"\"The outcome of a press.\"\"\"

        outcome: Kind
        coins: Annotated[int, Between(0, 6), "the number of coins, or 0"]

An annotation has the type of a field, its limits, and its meaning as a text.
"""
