"""What a watched project is called in the files of others, and which files name what they need."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.projects import wanted_for

REQUIREMENTS = ("*requirements*.txt", "*requirements*.in", "*pyproject*.toml", "*setup.py", "*setup.cfg")
NEEDS = (*REQUIREMENTS, "*CMakeLists.txt", "*.cmake", "*.gitmodules")
"""Files that say what a project is made with, as git's patterns."""
PINS = (*NEEDS, "*Dockerfile*")
"""An image may pin what the project itself does not need."""


def known_as(repo: str) -> Iterator[str]:
    """The names of a project in lower case: of its repository, its packages and its distributions."""
    wanted = wanted_for([repo])
    for name in (repo.rpartition("/")[2], *sorted(wanted.packages), *sorted(wanted.projects)):
        yield from (name.lower(), name.lower().replace("-", "_"), name.lower().replace("_", "-"))


def spelled(name: str) -> str:
    """A name as a pattern, however its parts are joined: `flash-attn`, `FLASH_ATTN`, `FlashAttn`."""
    return r"[-_.]?".join(map(re.escape, re.split(r"[-_.]", name)))
