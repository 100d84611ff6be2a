"""Packaging that pyproject.toml cannot say: where an editable install looks.

setuptools answers a layout with two roots (``firmware/`` and ``sim/``) with an import hook, which type
checkers and editors cannot follow. A plain path file naming both roots does the same and everybody reads it.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command import editable_wheel as editable

HERE = Path(__file__).resolve().parent


class PathFileEditableWheel(editable.editable_wheel):
    """An editable wheel that holds one ``.pth`` file with our two source roots.

    setuptools has no public way to ask for one. Should a future one have no private way either, it does as it likes.
    """

    def _select_strategy(self, name: str, tag: str, build_lib: object) -> object:
        path_file = getattr(editable, "_StaticPth", None)
        if path_file is None:
            return super()._select_strategy(name, tag, build_lib)
        return path_file(self.distribution, name, [HERE / "firmware", HERE / "sim"])


setup(cmdclass={"editable_wheel": PathFileEditableWheel})
