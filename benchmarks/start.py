"""The time until `reboard run` is ready, and its memory then, against a bare ``import gpiozero``.

``python benchmarks/start.py [--runs 7]``. On gpiozero's mock pins and with readers that are away, so on any machine.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import print_table

TREE = Path(__file__).resolve().parents[1]
PATIENCE_S = 30.0


def import_s() -> float:
    """Return the seconds of a process that imports gpiozero and ends."""
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", "import gpiozero"], check=True)
    return time.monotonic() - started


def ready(directory: Path) -> tuple[float, float]:
    """Return the seconds until `reboard run` reports to systemd that it is ready, and its memory then, in MB."""
    config = directory / "table.toml"
    text = (TREE / "firmware" / "reboard" / "setup" / "table.toml").read_text(encoding="utf-8")
    config.write_text(text.replace('"/var/lib/reboard"', f'"{directory}"'), encoding="utf-8")
    address = directory / "notify"
    address.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hears:
        hears.bind(str(address))
        hears.settimeout(PATIENCE_S)
        environment = {**os.environ, "NOTIFY_SOCKET": str(address), "GPIOZERO_PIN_FACTORY": "mock"}
        started = time.monotonic()
        daemon = subprocess.Popen(
            [sys.executable, "-m", "reboard", "run", "-c", str(config)], env=environment, stderr=subprocess.DEVNULL
        )
        try:
            while b"READY=1" not in hears.recv(4096):
                pass
            ready_s = time.monotonic() - started
            return ready_s, memory_mb(daemon.pid)
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait(PATIENCE_S)


def memory_mb(pid: int) -> float:
    """Return the memory of a process in MB; 0 without a /proc."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0.0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def main() -> None:
    """Print the table."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as directory:
        ready(Path(directory))  # the first start after a change compiles; no later one does
        pairs = [(import_s(), *ready(Path(directory))) for _ in range(runs)]
    bare_s, ready_s, memory = (median(column) for column in zip(*pairs, strict=True))
    ratio = median(ready_s / bare_s for bare_s, ready_s, _ in pairs)
    rows = [
        ["import gpiozero", f"{bare_s:.2f} s", "1.0", ""],
        ["reboard run, until ready", f"{ready_s:.2f} s", f"{ratio:.1f}", f"{memory:.0f} MB"],
    ]
    print_table("Start", ["process", "median", "ratio", "memory"], rows)


if __name__ == "__main__":
    main()
