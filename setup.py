"""Packaging: pyproject.toml has everything but the long description, README.md with links that work on PyPI."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent
SOURCE = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]

readme = (HERE / "README.md").read_text(encoding="utf-8")
readme = re.sub(r"(!\[[^\]]*\]\()(?![a-z]+:)", rf"\g<1>{SOURCE}/raw/main/", readme)
readme = re.sub(r"(\]\()(?![a-z]+:|#)", rf"\g<1>{SOURCE}/blob/main/", readme)

setup(long_description=readme, long_description_content_type="text/markdown")
