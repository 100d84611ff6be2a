#!/bin/sh
# The packages in /usr/lib/reboard are for this command only.
export PYTHONPATH=/usr/lib/reboard
exec /usr/bin/python3 -sP -m reboard "$@"
