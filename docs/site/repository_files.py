"""A hook of MkDocs: the site has the documents under their paths in the repository, so their links hold on both."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

REPOSITORY = Path(__file__).parents[2]
# the documents, their pictures, and the files that they link
SHOWN = (
    "*.md",
    "LICENSE",
    "docs/site/*.css",
    "docs/site/*.js",
    "docs/**/*.md",
    "docs/**/*.png",
    "docs/*.json",
    "examples/*.py",
    "examples/**/*.md",
    "hardware/**/*.md",
    "hardware/LICENSE",
    "hardware/board/gerbers.zip",
    "hardware/**/*.csv",
    "hardware/**/*.3mf",
    "hardware/**/*.pdf",
    "hardware/**/*.png",
    "hardware/**/*.step",
    "hardware/**/*.stl",
    "hardware/**/*.svg",
    "hardware/**/*.toml",
    "firmware/reboard/accessories/accessory.py",
    "firmware/reboard/board.py",
    "firmware/reboard/cards/cards.toml",
    "firmware/reboard/devices/device.py",
    "firmware/reboard/netlist/parts.toml",
    "firmware/reboard/script/accessories.py",
    "firmware/reboard/setup/table.toml",
    "firmware/reboard/web/shared/icon.svg",
    "systemd/card/*",
    "tests/vm/inside/agent.py",
    "tests/vm/kernel/raspberry-pi.c",
    "tests/vm/kernel/table.config",
)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Return the theme's files and, instead of those in docs/, the repository's."""
    shown = sorted({path for pattern in SHOWN for path in REPOSITORY.glob(pattern)})
    return Files(
        [file for file in files if file.src_dir != config.docs_dir]
        + [File.generated(config, str(path.relative_to(REPOSITORY)), abs_src_path=str(path)) for path in shown]
    )
