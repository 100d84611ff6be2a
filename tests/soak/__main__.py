"""``python -m tests.soak``: evenings without end."""

import sys

from tests.soak.night import main

if __name__ == "__main__":
    sys.exit(main())
