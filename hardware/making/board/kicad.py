"""KiCad 9: that of this machine, or one in a Debian trixie root that is made once and kept in the user's cache."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reboard-hardware"
ROOT = CACHE / "trixie"
PACKAGES = "kicad,kicad-symbols,kicad-footprints,python3-numpy"
TREE = Path(__file__).parents[3]
INSIDE = Path("/reboard")
"""Where this project is inside the root."""
MODELS = "usr/share/kicad/3dmodels"

CHROOT = """
set -e
mkdir -p "$1/reboard"
mount -t proc proc "$1/proc"
mount --bind /dev "$1/dev"
mount --bind "$2" "$1/reboard"
exec chroot "$1" bash -euo pipefail -c "$3"
"""
FIRST = """
export LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD"
mkdir -p ~/.config/kicad/9.0
cp -n /usr/share/kicad/template/*-lib-table ~/.config/kicad/9.0/
"""
"""Without the tables, KiCad warns about each library."""
FETCHED = f"{MODELS}/fetched.txt"
FETCH_MODELS = """
cd /tmp
apt-get -qq update
apt-get -qq download kicad-packages3d
mkdir -p /usr/share/kicad/3dmodels
dpkg-deb --fsys-tarfile kicad-packages3d_*.deb | tar -x -C / --wildcards {patterns} || true
rm kicad-packages3d_*.deb
echo {names} >>/{fetched}
"""


class KicadError(Exception):
    """A command of KiCad failed, or found violations."""


class Kicad:
    """Runs KiCad's commands. Makes the root if this machine has no KiCad 9, which needs root, mmdebstrap and 1.5 GB."""

    def __init__(self) -> None:
        self.root = Path("/") if _is_installed() else ROOT
        if not (self.root / "usr/bin/kicad-cli").exists():
            _make_root()

    def library(self, name: str) -> Path:
        """Return the folder of KiCad's ``symbols`` or ``footprints``."""
        return self.root / "usr/share/kicad" / name

    def path(self, path: Path) -> Path:
        """Return how KiCad sees a *path* of this project."""
        return path if self.root == Path("/") else INSIDE / path.relative_to(TREE)

    def run(self, script: str) -> str:
        """Run a shell *script* where KiCad is, and return its output. Raises `KicadError` if it fails."""
        script = f"cd {self.path(TREE)}\n{FIRST}{script}"
        if self.root == Path("/"):
            command = ["bash", "-euo", "pipefail", "-c", script]
        else:  # a mount namespace of its own: nothing stays mounted
            command = ["unshare", "--mount", "sh", "-c", CHROOT, "sh", str(self.root), str(TREE), script]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise KicadError(f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout

    def fetch_models(self, footprints: Iterable[str]) -> None:
        """Fetch the 3D models of *footprints*, such as ``Package_SO:SOIC-8``. All of them would take 4.9 GB."""
        wanted = set()
        for footprint in footprints:
            library, _, name = footprint.partition(":")
            text = (self.library("footprints") / f"{library}.pretty" / f"{name}.kicad_mod").read_text(encoding="utf-8")
            wanted |= set(re.findall(r'\(model "\$\{KICAD9_3DMODEL_DIR\}/(.+?)\.\w+"', text))
        fetched = self.root / FETCHED  # some footprints name models that the package does not have
        missing = sorted(wanted - set(fetched.read_text(encoding="utf-8").split() if fetched.exists() else ()))
        if missing and self.root != Path("/"):
            patterns = " ".join(f"'*/{name}.*'" for name in missing)
            self.run(FETCH_MODELS.format(patterns=patterns, names=" ".join(missing), fetched=FETCHED))


def _is_installed() -> bool:
    if not (found := shutil.which("kicad-cli")):
        return False
    version = subprocess.run([found, "version"], capture_output=True, text=True, check=False).stdout
    return version.startswith("9.")


def _make_root() -> None:
    if not shutil.which("mmdebstrap") or os.geteuid():
        raise KicadError(
            "The board needs KiCad 9: install it, or run this as root with mmdebstrap (apt install mmdebstrap)."
        )
    CACHE.mkdir(parents=True, exist_ok=True)
    half_made = ROOT.with_suffix(".new")
    shutil.rmtree(half_made, ignore_errors=True)
    options = ["--variant=apt", f"--include={PACKAGES}", '--aptopt=Apt::Install-Recommends "false"']
    subprocess.run(["mmdebstrap", *options, "trixie", str(half_made)], check=True)
    half_made.rename(ROOT)
