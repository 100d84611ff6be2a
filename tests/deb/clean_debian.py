"""A clean Debian trixie whose systemd runs in namespaces of its own, without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tests.vm.making.cache import kept

RELEASE = "trixie"
PACKAGES = ("systemd-sysv", "udev", "dbus", "polkitd")
"""Packages of every Raspberry Pi OS."""

MOCK = "[Service]\nEnvironment=GPIOZERO_PIN_FACTORY=mock\nPrivateUsers=no\n"
"""For all of our units: pins in memory, and no user namespace inside the test's."""

BOOT = """
set -e
mount --make-rprivate / && mount --bind "$0" "$0" && cd "$0"
mount -t proc proc proc && mount -t sysfs -o ro sysfs sys && mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run && mount -t tmpfs tmpfs dev && mkdir dev/pts dev/shm
for file in null zero full random urandom; do touch dev/$file && mount --bind /dev/$file dev/$file; done
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts && ln -s pts/ptmx dev/ptmx
exec chroot . env --ignore-environment container=other PATH=/usr/sbin:/usr/bin /lib/systemd/systemd
"""
NAMESPACES = ("--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup", "--kill-child")
BOOT_S = 60.0
COMMAND_S = 240.0

ASK = """
import json, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect("/run/reboard/table.sock")
    line.sendall(sys.argv[1].encode() + b"\\n")
    print(line.makefile().readline())
"""


def clean_root(directory: Path, package: Path) -> Path:
    """Unpack a Debian in *directory* that has what *package* depends on, and nothing of ours but the mock pins."""
    field = subprocess.run(["dpkg-deb", "--field", package, "Depends"], capture_output=True, text=True, check=True)
    needs = {need.split("|")[0].split("(")[0].split(":")[0].strip() for need in field.stdout.split(",")}
    return root_with(directory, "clean-debian", {*needs, *PACKAGES})


def root_with(directory: Path, name: str, packages: Collection[str]) -> Path:
    """Unpack a Debian in *directory* that has *packages* and the mock pins. *name* is its name in the cache."""

    def make(cache: Path) -> None:
        include = f"--include={','.join(sorted(packages))}"
        subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", include, RELEASE, cache / "root.tar"], check=True)

    archive = kept(name, (RELEASE, *sorted(packages), Path(__file__)), make) / "root.tar"
    root = directory / "root"
    root.mkdir()
    subprocess.run(["tar", "--extract", "--file", archive, "--directory", root, "--exclude=./dev/*"], check=True)
    drop_in = root / "etc/systemd/system/reboard.service.d/mock.conf"
    for unit in ("", "-page", "-safe"):
        place = drop_in.parents[1] / f"reboard{unit}.service.d" / drop_in.name
        place.parent.mkdir(parents=True)
        place.write_text(MOCK)
    return root


class CleanDebian:
    """A running system with its files in *root*."""

    def __init__(self, root: Path) -> None:
        self.root = root
        unified = Path("/sys/fs/cgroup/unified")
        self._cgroup = (unified if unified.is_dir() else unified.parent) / f"reboard-test-{os.getpid()}"
        self.start()

    def start(self) -> None:
        """Start systemd, and wait until it has started everything."""
        self._cgroup.mkdir()
        enter = (
            f"echo $$ > {self._cgroup}/cgroup.procs && exec unshare {' '.join(NAMESPACES)} sh -c '{BOOT}' {self.root}"
        )
        self._outside = subprocess.Popen(["sh", "-c", enter], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        ends = time.monotonic() + BOOT_S
        while self.run("systemctl", "is-system-running", "--wait").stdout.strip() not in ("running", "degraded"):
            assert time.monotonic() < ends, "systemd does not start"
            time.sleep(0.2)

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command inside; standard error is a part of its output."""
        children = Path(f"/proc/{self._outside.pid}/task/{self._outside.pid}/children")
        systemd = children.read_text().strip() or "none"
        enter = ["nsenter", f"--target={systemd}", "--all", "--root", "--wd"]
        environment = {"PATH": "/usr/sbin:/usr/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.run([*enter, *command], env=environment, text=True, timeout=COMMAND_S, check=False, **options)

    def must(self, *command: str | Path) -> str:
        """Run a command inside that must succeed, and return its output."""
        done = self.run(*command)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def ask(self, do: str, **arguments: object) -> Any:
        """Make a request on the control socket, and return what is answered."""
        answer = json.loads(self.must("python3", "-c", ASK, json.dumps({"id": 1, "do": do, **arguments})))
        return answer["ok"]

    def files(self) -> set[str]:
        """All files and directories but those in memory and the logs, and of apt's and dpkg's own."""
        names = self.must("find", "/", "-xdev").splitlines()
        others = ("/var/log/", "/var/cache/", "/var/lib/apt/", "/var/lib/dpkg/", "/var/lib/systemd/", "/tmp/")
        return {name for name in names if not name.startswith(others)}

    def stop(self) -> None:
        """Kill everything inside, as a power cut does."""
        self._outside.kill()
        self._outside.wait()
        ends = time.monotonic() + BOOT_S
        while "populated 1" in (self._cgroup / "cgroup.events").read_text() and time.monotonic() < ends:
            time.sleep(0.1)
        for group, _, _ in os.walk(self._cgroup, topdown=False):
            Path(group).rmdir()

    def await_end(self) -> None:
        """Wait until the system restarts or switches off, which only ends it here."""
        self._outside.wait(COMMAND_S)
        self.stop()

    def close(self) -> None:
        if self._cgroup.is_dir():
            self.stop()
        shutil.rmtree(self.root)
