"""Serving a page over HTTP, whichever it is: the server, its streams of events, and who may ask."""
