"""KiCad 9: that of this machine, or one in a Debian trixie root that is made once and kept in the user's cache."""

from __future__ import annotations

import glob
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
"""The place of this project inside the root."""
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
cp -n {share}/template/*-lib-table ~/.config/kicad/9.0/
"""
"""Without the tables, KiCad warns about each library."""
FETCHED = f"{MODELS}/fetched.txt"
FETCH_MODELS = r"""
cd /tmp
apt-get -qq update
apt-get -qq download kicad-packages3d
mkdir -p /usr/share/kicad/3dmodels
set +e
dpkg-deb --fsys-tarfile kicad-packages3d_*.deb | tar -x -C / --wildcards {patterns} 2>tar.txt
unpacked=${{PIPESTATUS[0]}}
set -e
rm kicad-packages3d_*.deb
# some footprints name models that the package does not have
if [ "$unpacked" != 0 ] || grep -v 'Not found in archive\|Exiting with failure' tar.txt; then
    cat tar.txt
    exit 1
fi
echo {names} >>/{fetched}
"""


class KicadError(Exception):
    """A command of KiCad failed, or found violations."""


class Kicad:
    """Runs KiCad's commands. Makes the root if this machine has no KiCad 9, which needs root, mmdebstrap and 1.5 GB."""

    def __init__(self) -> None:
        installed = _installed()
        self.root = Path("/") if installed else ROOT
        self.share = installed.resolve().parents[1] / "share/kicad" if installed else Path("/usr/share/kicad")
        if not installed and not (ROOT / "usr/bin/kicad-cli").exists():
            _make_root()
        for name in ("symbols", "footprints", "template"):
            if not self.library(name).is_dir():
                raise KicadError(f"KiCad's {name} are missing: {self.library(name)} is no folder. Install them.")

    def library(self, name: str) -> Path:
        """Return the folder of KiCad's ``symbols`` or ``footprints``."""
        return self.root / self.share.relative_to("/") / name

    def path(self, path: Path) -> Path:
        """Return how KiCad sees a *path* of this project."""
        return path if self.root == Path("/") else INSIDE / path.relative_to(TREE)

    def run(self, script: str) -> str:
        """Run a shell *script* where KiCad is, and return its output. Raises `KicadError` if it fails."""
        script = f"cd {self.path(TREE)}\n{FIRST.format(share=self.share)}{script}"
        if self.root == Path("/"):
            command = ["bash", "-euo", "pipefail", "-c", script]
        else:  # a mount namespace of its own: nothing stays mounted
            command = ["unshare", "--mount", "sh", "-c", CHROOT, "sh", str(self.root), str(TREE), script]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise KicadError(f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout

    def fetch_models(self, footprints: Iterable[str]) -> None:
        """Fetch the 3D models of *footprints*, such as ``Package_SO:SOIC-8``, and print which there are not.

        All of KiCad's would take 4.9 GB.
        """
        wanted = set()
        for footprint in footprints:
            library, _, name = footprint.partition(":")
            text = (self.library("footprints") / f"{library}.pretty" / f"{name}.kicad_mod").read_text(encoding="utf-8")
            wanted |= set(re.findall(r'\(model "\$\{KICAD9_3DMODEL_DIR\}/(.+?)\.\w+"', text))
        fetched = self.root / FETCHED
        missing = sorted(wanted - set(fetched.read_text(encoding="utf-8").split() if fetched.exists() else ()))
        if missing and self.root != Path("/"):
            patterns = " ".join(f"'*/{name}.*'" for name in missing)
            self.run(FETCH_MODELS.format(patterns=patterns, names=" ".join(missing), fetched=FETCHED))
        models = self.library("3dmodels")
        if without := [name for name in sorted(wanted) if not list(models.glob(f"{glob.escape(name)}.*"))]:
            print(f"without a 3D model: {', '.join(name.rpartition('/')[2] for name in without)}")


def _installed() -> Path | None:
    if not (found := shutil.which("kicad-cli")):
        return None
    version = subprocess.run([found, "version"], capture_output=True, text=True, check=False).stdout
    return Path(found) if version.startswith("9.") else None


def _make_root() -> None:
    if not shutil.which("mmdebstrap") or os.geteuid():
        raise KicadError(
            "The board needs KiCad 9: install it, or run this as root with mmdebstrap (apt install mmdebstrap)."
        )
    CACHE.mkdir(parents=True, exist_ok=True)
    half_made = ROOT.with_suffix(".new")
    shutil.rmtree(half_made, ignore_errors=True)
    options = ["--variant=apt", f"--include={PACKAGES}", '--aptopt=Apt::Install-Recommends "false"']
    if subprocess.run(["mmdebstrap", *options, "trixie", str(half_made)], check=False).returncode:
        raise KicadError("mmdebstrap could not make a Debian with KiCad 9: its messages are above.")
    half_made.rename(ROOT)
