"""``python -m reboard`` is the `reboard` command."""

import sys

from reboard.cli import main

sys.exit(main())
