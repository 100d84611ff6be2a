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
IMAGE = Path(ARCHITECTURE.image).name
CONFIG = "config"

PI_3 = (
    ("s", "/", "model", "Raspberry Pi 3 Model B Rev 1.2"),
    ("x", "/system", "linux,revision", "a02082"),
)
"""From the device tree of a Pi 3: the type of a value, its node, its name, and the value."""


def kernel() -> Path:
    """The kernel's image. Raises ``ValueError`` for a wrong choice, and ``CalledProcessError``."""
    made_of = (repr(ARCHITECTURE), *CONFIGS, HEADER, Path(__file__), version_of(KERNEL_SOURCE))
    return kept(f"kernel-{ARCHITECTURE.debian}", made_of, _build) / IMAGE


def _build(directory: Path) -> None:
    subprocess.run(["tar", "-xJf", f"/usr/src/{KERNEL_SOURCE}.tar.xz", "-C", directory], check=True)
    source = directory / KERNEL_SOURCE
    shutil.copy(HEADER, source / "drivers/gpio")
    with (source / "drivers/gpio/Makefile").open("a") as makefile:
        makefile.write(f"\nobj-$(CONFIG_GPIO_SIM) += {HEADER.stem}.o\n")
    # the stub of an I²C bus must be a module, and this kernel has none
    kconfig = source / "drivers/i2c/Kconfig"
    text, times = re.subn(r"(config I2C_STUB\n.*\n)\tdepends on m\n", r"\1", kconfig.read_text())
    if times != 1:
        raise ValueError(f"{kconfig} does not describe I2C_STUB as it used to")
    kconfig.write_text(text)
    _configure(source)
    _make(source, f"-j{os.cpu_count()}", IMAGE)
    shutil.copy(source / ARCHITECTURE.image, directory)
    shutil.copy(source / ".config", directory / CONFIG)
    shutil.rmtree(source)


def _configure(source: Path) -> None:
    chosen = source / "chosen.config"
    chosen.write_text("".join(file.read_text() for file in CONFIGS))
    _make(source, f"KCONFIG_ALLCONFIG={chosen}", "allnoconfig")
    wanted = {line for line in chosen.read_text().splitlines() if line.startswith("CONFIG_")}
    if missing := sorted(wanted.difference((source / ".config").read_text().splitlines())):
        raise ValueError(f"this kernel cannot have {', '.join(missing)}: something that they need is not chosen")


def _make(source: Path, *what: str) -> None:
    target = (f"ARCH={ARCHITECTURE.linux}", f"CROSS_COMPILE={ARCHITECTURE.compiler}")
    subprocess.run(["make", "--silent", *target, *what], cwd=source, check=True)


def device_tree(board: str) -> Path:
    """The device tree of QEMU's *board* (options of QEMU), with the name of a Pi. Raises ``CalledProcessError``."""

    def make(directory: Path) -> None:
        file = directory / "raspberry-pi.dtb"
        dump = ["-machine", f"dumpdtb={file}", "-display", "none"]
        subprocess.run([ARCHITECTURE.qemu, *board.split(), *dump], check=True)
        for kind, node, name, value in PI_3:
            subprocess.run(["fdtput", "--auto-path", "--type", kind, file, node, name, value], check=True)

    return kept("device-tree", (qemu_version(), board, Path(__file__)), make) / "raspberry-pi.dtb"


def qemu_version() -> str:
    return subprocess.run([ARCHITECTURE.qemu, "--version"], capture_output=True, text=True, check=True).stdout
