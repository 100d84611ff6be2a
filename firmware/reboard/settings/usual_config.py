"""Where the config is that the service plays with."""

from __future__ import annotations

from pathlib import Path

USUAL_CONFIG = Path("/etc/reboard/table.toml")
