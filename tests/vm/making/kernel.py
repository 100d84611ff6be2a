"""The emulated machine's kernel: Debian's own source, our choice of what is in it, and a Pi's header."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.making.cache import kept
from tests.vm.making.packages import KERNEL_SOURCE, version_of

HERE = Path(__file__).resolve().parents[1] / "kernel"
CONFIGS = (HERE / "table.config", HERE / f"{ARCHITECTURE.debian}.config")
HEADER = HERE / "raspberry-pi.c"
SOURCE = Path("/usr/src") / f"{KERNEL_SOURCE}.tar.xz"
IMAGE = Path(ARCHITECTURE.image).name


class KernelError(Exception):
    """The kernel cannot be made as it was asked for."""


def kernel() -> Path:
    """The kernel's image. Raises `KernelError`, and ``CalledProcessError`` after what the compiler has printed."""
    made_of = (repr(ARCHITECTURE), *CONFIGS, HEADER, Path(__file__), version_of(KERNEL_SOURCE))
    return kept(f"kernel-{ARCHITECTURE.debian}", made_of, _build) / IMAGE


def _build(directory: Path) -> None:
    subprocess.run(["tar", "-xJf", SOURCE, "-C", directory], check=True)
    source = directory / KERNEL_SOURCE
    _add_header(source / "drivers" / "gpio")
    _let_be_built_in(source / "drivers" / "i2c" / "Kconfig")
    _configure(source)
    _make(source, f"-j{os.cpu_count()}", IMAGE)
    shutil.copy(source / ARCHITECTURE.image, directory)
    shutil.copy(source / ".config", directory / "config")
    shutil.rmtree(source)


def _add_header(drivers: Path) -> None:
    shutil.copy(HEADER, drivers)
    with (drivers / "Makefile").open("a") as makefile:
        makefile.write(f"\nobj-$(CONFIG_GPIO_SIM) += {HEADER.stem}.o\n")


def _let_be_built_in(kconfig: Path) -> None:
    """The stub of an I²C bus wants to be a module, and this kernel has none."""
    text = kconfig.read_text()
    changed = re.sub(r"(config I2C_STUB\n.*\n)\tdepends on m\n", r"\1", text)
    if changed == text:
        raise KernelError(f"{kconfig} does not describe I2C_STUB as it used to")
    kconfig.write_text(changed)


def _configure(source: Path) -> None:
    chosen = source / "chosen.config"
    chosen.write_text("".join(file.read_text() for file in CONFIGS))
    _make(source, f"KCONFIG_ALLCONFIG={chosen}", "allnoconfig")
    got = (source / ".config").read_text().splitlines()
    wanted = [line for line in chosen.read_text().splitlines() if line.startswith("CONFIG_")]
    if missing := sorted(set(wanted) - set(got)):
        raise KernelError(f"this kernel cannot have {', '.join(missing)}: something that they need is not chosen")


def _make(source: Path, *what: str) -> None:
    target = (f"ARCH={ARCHITECTURE.linux}", f"CROSS_COMPILE={ARCHITECTURE.compiler}")
    subprocess.run(["make", "--silent", *target, *what], cwd=source, check=True)


if __name__ == "__main__":
    print(kernel())
