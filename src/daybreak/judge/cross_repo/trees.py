"""The tree of one commit in a mirror, looked into without a checkout: which files hold a word, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from pathlib import Path, PurePosixPath

from msgspec import Struct

from daybreak.core.errors import GitError
from daybreak.core.file_cache import Found
from daybreak.core.git_program import Git
from daybreak.findings.blobs import contents
from daybreak.findings.languages.pins import is_package
from daybreak.findings.paths import manifest

_FILE_MODES = (b"100644", b"100755")
_UNREAD = b"unable to read"


class Opened(Struct, frozen=True):
    """A mirror that can be looked into."""

    path: Path
    found: Found | None = None
    """What was found in its trees before."""


@dataclass(slots=True)
class Tree:
    """Made for one commit; patterns are as git takes them: `*.py`, a star stands for folders too."""

    git: Git
    opened: Opened
    commit: str
    _unread: set[bytes] = field(default_factory=set)
    _blobs: Mapping[str, str] = field(default_factory=dict)

    @property
    def unread(self) -> int:
        """Files that could not be searched."""
        return len(self._unread)

    def lines_with(self, words: Sequence[str], patterns: Sequence[str]) -> list[str]:
        """Lines of these files that hold one of the words, in whatever case."""
        return self._searched(("-i", "-h"), words, patterns).decode("utf-8", "replace").split("\n")

    def holding(self, words: Sequence[str], patterns: Sequence[str]) -> list[str]:
        """Paths of these files that hold one of the words, sorted."""
        return self._paths(self._searched(("-l", "-z"), words, patterns))

    def using(
        self, signs: Sequence[str], patterns: Sequence[str], needed: Sequence[frozenset[str]]
    ) -> tuple[list[str], int]:
        """Paths of these files that hold one of the signs and all words of one set, sorted; and how many with a sign
        could not be read.
        """
        asked = ("using", self.commit, *sorted(signs), "", *patterns, "", *sorted(" ".join(sorted(w)) for w in needed))
        kept = self._kept(asked)
        if kept is not None:
            return [path for path in kept.decode("utf-8", "surrogateescape").split("\0") if path], 0
        with_sign = self._paths(self._grep(("-l", "-z"), signs, patterns))
        read = list(self.texts(with_sign))
        found = [path for path, text in read if any(all(word in text for word in one) for one in needed)]
        lost_ones = len(with_sign) - len(read)
        if not lost_ones:
            self._keep(asked, "\0".join(found).encode("utf-8", "surrogateescape"))
        return found, lost_ones

    def matching(self, patterns: Sequence[str]) -> list[str]:
        """Paths of these files, sorted."""
        wanted = re.compile("|".join(translate(pattern) for pattern in patterns if not pattern.startswith(":")))
        return sorted(path for path in self._files() if wanted.match(path))

    def nested(self, paths: Sequence[str]) -> set[str]:
        """Those of these files that are of a package within the folder of another one: who installs that never reads them."""
        manifests = [path for path in self._files() if manifest(path) in ("pyproject", "setup")] if paths else []
        packages = {PurePosixPath(path).parent for path, text in self.texts(manifests) if is_package(path, text)}
        return {path for path in paths if len(packages.intersection(PurePosixPath(path).parents)) > 1}

    def texts(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(path, text) of those that are there and not too large."""
        asked = dict.fromkeys(paths)
        blobs = self._files() if asked else {}
        known = [path for path in asked if path in blobs]
        found = dict(contents(self.git, self.opened.path, (blobs[path] for path in known)))
        return ((path, found[blobs[path]]) for path in known if blobs[path] in found)

    def _paths(self, answer: bytes) -> list[str]:
        start = len(self.commit) + 1
        found = (row[start:].decode("utf-8", "replace") for row in answer.split(b"\0"))
        return sorted({path for path in found if path and "\ufffd" not in path})

    def _searched(self, how: Sequence[str], words: Sequence[str], patterns: Sequence[str]) -> bytes:
        if not words:
            return b""
        asked = (*how, self.commit, *words, "", *patterns)
        kept = self._kept(asked)
        if kept is None:
            kept = self._grep(how, words, patterns)
            self._keep(asked, kept)
        return kept

    def _kept(self, asked: Sequence[str]) -> bytes | None:
        """The answer of an earlier run."""
        return self.opened.found.get(asked) if self.opened.found else None

    def _keep(self, asked: Sequence[str], answer: bytes) -> None:
        """An answer that lacks something is asked for again by the next run: it may have come by then."""
        if self.opened.found and not self._unread:
            self.opened.found.put(asked, answer)

    def _grep(self, how: Sequence[str], words: Sequence[str], patterns: Sequence[str]) -> bytes:
        given = "".join(f"{word}\n" for word in words).encode()
        asked = ("grep", "-I", "-F", "--no-color", "--full-name", *how, "-f", "-", self.commit, "--", *patterns)
        with self.git.stream(*asked, at=self.opened.path, stdin=given) as stream:
            rows = stream.output.read()
            code = stream.finish()
            stream.errors.seek(0)
            unread = {line for line in stream.errors if _UNREAD in line}  # git may say it twice
            if code not in (0, 1) and (code < 0 or not unread):
                raise GitError(f"git grep failed: {stream.last_words()}")
        self._unread |= unread
        return rows

    def _files(self) -> Mapping[str, str]:
        """Path -> blob of every regular file."""
        if not self._blobs:
            rows = self.git.run("ls-tree", "-r", "-z", "--full-tree", self.commit, at=self.opened.path).split(b"\0")
            told = [row.partition(b"\t") for row in rows if row[:6] in _FILE_MODES]
            self._blobs = {path.decode("utf-8", "replace"): head.split()[2].decode() for head, _, path in told}
        return self._blobs
