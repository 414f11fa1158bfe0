"""Folder of sources without history, read file by file.

Nothing of the folder is run or followed: links stay links, files too large to be sources and files that cannot be read
are left out and named.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from daybreak.core.address import readable
from daybreak.core.errors import UsageError
from daybreak.core.model.changes import Skipped

LARGEST = 8 << 20
"""Bytes of a file that is taken over; a larger one is data."""
MOST_FILES = 20_000
_ASIDE = frozenset({b".git", b".hg", b".svn", b"__pycache__"})


@dataclass(slots=True)
class SourceFolder:
    """One folder while it is read."""

    root: bytes
    shown: str
    skipped: list[Skipped] = field(default_factory=list)
    count: int = 0

    def skip(self, path: bytes, reason: str) -> None:
        """Name a file that is left out."""
        where = path.decode("utf-8", "replace")
        self.skipped.append(Skipped(readable(f"{self.shown}/{where}"), reason))

    def files(self) -> Iterator[tuple[bytes, bytes, bytes]]:
        """(mode, path, content) of every file, in the order of their names."""
        for place, folders, names in os.walk(self.root, onerror=self._closed):
            links = [name for name in folders if os.path.islink(os.path.join(place, name))]  # noqa: PTH114, PTH118
            folders[:] = sorted(name for name in folders if name not in _ASIDE and name not in links)
            for name in sorted((*names, *links)):
                full = os.path.join(place, name)  # noqa: PTH118  bytes: a name need not be text
                path = os.path.relpath(full, self.root)
                found = self._content(full, path)
                if found is not None:
                    yield found[0], path, found[1]

    def _content(self, full: bytes, path: bytes) -> tuple[bytes, bytes] | None:
        try:
            known = os.lstat(full)
            if stat.S_ISLNK(known.st_mode):
                return b"120000", os.readlink(full)  # noqa: PTH115
            if not stat.S_ISREG(known.st_mode):
                self.skip(path, "it is no regular file")
            elif known.st_size > LARGEST:
                self.skip(path, f"it is larger than {LARGEST >> 20} MiB")
            elif self.count >= MOST_FILES:
                self.skip(path, f"the folder has more than {MOST_FILES} files")
            else:
                self.count += 1
                mode = b"100755" if known.st_mode & 0o111 else b"100644"
                with open(full, "rb") as file:  # noqa: PTH123
                    return mode, file.read(LARGEST)
        except OSError as error:
            self.skip(path, f"it cannot be read: {error.strerror}")
        return None

    def _closed(self, error: OSError) -> None:
        self.skip(os.path.relpath(os.fsencode(error.filename), self.root), f"it cannot be read: {error.strerror}")


def source_folder(place: Path, tip: str = "") -> SourceFolder:
    """The folder at `place`, links on the way to it followed; `tip`: what to do when it is none."""
    if not place.exists():
        raise UsageError(f"{readable(str(place))} does not exist.", tip or "Name a folder of sources.")
    if not place.is_dir():
        raise UsageError(f"{readable(str(place))} is not a folder.", "Unpack the archive and name its folder.")
    return SourceFolder(os.fsencode(place.resolve()), place.name or "folder")
