"""A source for `bundle:///path/to/file.bundle`: a history that comes as a file, where no network reaches its server."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit


def bring(address: str, folder: Path) -> None:
    """Leave a git repository at `folder`, which is kept from run to run: made the first time, brought up to date after."""
    path = unquote(urlsplit(address).path)
    if folder.exists():
        command = ["git", "-C", str(folder), "fetch", "--quiet", "--no-auto-gc", path, "+refs/*:refs/*"]
    else:
        command = ["git", "clone", "--quiet", "--mirror", path, str(folder)]
    subprocess.run(command, check=True, capture_output=True)
