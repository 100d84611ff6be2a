"""The TR-4, a made-up card reader: a plug-in for reboard."""
