"""The version of reboard, the commit from which it was built, and where its source is."""

from importlib.metadata import metadata
from time import gmtime, strftime

__version__ = "0.2.0"

COMMIT = "$Format:%ct %H %(describe:tags=true,match=v*)$"
"""The commit: its time in seconds since 1970, its hash, and the newest tag before it.

`git archive`, which makes GitHub's ZIPs, writes it here because of .gitattributes. So does ``make deb`` in the package.
"""


def build(commit: str = COMMIT) -> str:
    """Return the version with its *commit*, such as ``0.2.0+git20261129223000.2439c879``.

    That of a release has no commit. Nor has that of a working copy and of a wheel, which do not know it.
    """
    seconds, _, rest = commit.partition(" ")
    full_hash, _, tag = rest.partition(" ")
    if not seconds.isdecimal() or tag == f"v{__version__}":
        return __version__
    return f"{__version__}+git{strftime('%Y%m%d%H%M%S', gmtime(int(seconds)))}.{full_hash[:8]}"


def source_address() -> str:
    """Return the address of reboard's source, from the metadata of its package, or ``""``."""
    urls: dict[str, str] = dict(url.split(", ", 1) for url in metadata("reboard").get_all("Project-URL") or ())
    return urls.get("Source", "")
