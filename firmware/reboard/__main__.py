"""The entry point of ``python -m reboard``, which runs the `reboard` command."""

import sys

from reboard.cli import main

sys.exit(main())
