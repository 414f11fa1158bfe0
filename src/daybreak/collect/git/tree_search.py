"""Trees of commits in a mirror: their files, and where in them some lines or names stand.

A tree is asked twice at most: for the files of the same paths, and for the few lines that did not stand in those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from daybreak.collect.git.standing import Text
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git

_MAX_FILE = 2 << 20
_PATHS = 400
PATTERNS = 40
"""Lines that one search of a tree asks for."""
ELSEWHERE = 60
"""Files in which they are looked for."""
_UNSHIPPED = tuple(
    f":(exclude,top){name}/*" for name in ("tests", "test", "docs", "benchmarks", "benchmark", "examples")
)
"""Where nobody's code moves from: half of a tree, that need not be searched."""
_MEDIA = tuple(
    f":(exclude,top,icase)*.{end}" for end in ("png", "jpg", "jpeg", "gif", "svg", "pdf", "mp4", "webp", "ipynb")
)
"""What holds no names, and is left out of many a clone for its size: one that is missing hides the answer of all others."""
_MANIFESTS = ("*requirements*.txt", "requirements/*", "*pyproject*.toml", "setup.py", "setup.cfg")


_Place = tuple[str, int, str]


class Tree:
    """The tree of one commit in a mirror; what cannot be read is not there, and `whole` says so."""

    def __init__(self, git: Git, mirror: Path, commit: str, complaints: list[str] | None = None) -> None:
        """`complaints`: gets what git says beside an answer, which may be there the next time."""
        self._git, self._mirror, self.commit, self._complaints = git, mirror, commit, complaints
        self._texts: dict[str, Text | None] = {}
        self.homes: dict[str, str] = {}
        """Path that it has not -> where it has what stands there later."""
        self.whole = True
        self._expected: dict[tuple[str, frozenset[str]], list[_Place]] = {}

    def load(self, paths: Iterable[str]) -> None:
        """Read these files at once."""
        wanted = [p for p in dict.fromkeys(paths) if p not in self._texts and "\n" not in p and "\ufffd" not in p]
        for at in range(0, len(wanted), _PATHS):
            some = wanted[at : at + _PATHS]
            found = files_of(self._git, self._mirror, [(self.commit, path) for path in some])
            self.whole = self.whole and len(found) == len(some)
            self._texts.update((path, text) for (_, path), text in found.items())

    def text(self, path: str) -> Text | None:
        """A file that was loaded, or what stands elsewhere in its place; None when the tree has neither."""
        return self._texts.get(path) or self._texts.get(self.homes.get(path, path))

    def holding(self, lines: Iterable[str], endings: Iterable[str]) -> list[str]:
        """Files, with one of these endings, that hold one of the lines."""
        asked = sorted(set(lines), key=lambda line: (-len(line), line))[:PATTERNS]
        if not asked:
            return []
        where = (*(f"*{end}" for end in sorted(set(endings))), *_UNSHIPPED)
        try:
            rows = self._searched(("-l", "-z"), where, asked)
        except GitError:
            self.whole = False
            return []
        found = [row.partition(":")[2] for row in rows.decode("utf-8", "surrogateescape").split("\0") if row]
        return found[:ELSEWHERE]

    def pins(self, names: Sequence[str]) -> list[str]:
        """Rows of manifests that hold one of these names, but of what is for tests, pages and measurements alone."""
        asked = [word for name in sorted(set(names)) for word in ("-e", name)]
        try:
            how = ("grep", "-h", "-i", "-I", "-F", *asked, self.commit, "--", *_MANIFESTS, *_UNSHIPPED)
            return self._git.run(*how, at=self._mirror).decode("utf-8", "replace").split("\n") if asked else []
        except GitError:
            return []

    def words(self, asked: Sequence[str]) -> set[str] | None:
        """Those of some names that stand anywhere in the tree, in one search; None where it cannot be searched."""
        if not asked:
            return set()
        try:
            rows = self._searched(("-h", "-o", "-w"), (".", *_UNSHIPPED, *_MEDIA), asked)
        except GitError:
            return None
        found = set(rows.decode("utf-8", "replace").split("\n"))
        # Of two names that begin at one place, git prints the longer: of `one-two` and `one`, the first.
        return {name for name in asked if any(name == row or name in row.split("-") for row in found)}

    def spelled(self, asked: Sequence[str]) -> set[str] | None:
        """Those of some names in small letters that stand anywhere in the tree, in tests and pages too, in whatever letters,
        with or without a dash, within a longer word too; None where it cannot be searched.
        """
        forms = {form: name for name in asked for form in (name, *(name.replace("-", x) for x in ("", "_", " ")))}
        try:
            rows = self._searched(("-h", "-o", "-i"), (".", *_MEDIA), sorted(forms)) if asked else b""
        except GitError:
            return None
        found = rows.decode("utf-8", "replace").lower().split("\n")
        return {name for form, name in forms.items() if any(form in row for row in found)}

    def naming(self, asked: Sequence[str], endings: Iterable[str]) -> list[str] | None:
        """Lines that hold one of some names, of files with one of these endings; None where it cannot be searched."""
        try:
            rows = self._searched(("-h", "-w"), (*(f"*{end}" for end in sorted(endings)), *_UNSHIPPED), asked)
        except GitError:
            return None
        return rows.decode("utf-8", "replace").split("\n")

    def places(self, asked: Sequence[str], endings: Iterable[str]) -> list[_Place] | None:
        """Path, number and text of lines that hold one of some words; None where the tree cannot be searched."""
        ends = frozenset(endings)
        if len(asked) == 1 and (asked[0], ends) in self._expected:
            return self._expected[asked[0], ends]
        return self._places(asked, ends)

    def expect(self, asked: Sequence[str], endings: Iterable[str]) -> None:
        """The places of each of these words will be asked for: the tree is searched once for all of them."""
        ends = frozenset(endings)
        rows = self._places(asked, ends) if len(asked) > 1 else None
        self._expected |= (
            {(word, ends): [row for row in rows if word in row[2]] for word in asked} if rows is not None else {}
        )

    def _places(self, asked: Sequence[str], endings: Iterable[str]) -> list[_Place] | None:
        try:
            rows = self._searched(("-n",), tuple(f"*{end}" for end in sorted(endings)), asked)
        except GitError:
            return None
        found = (
            row.removeprefix(f"{self.commit}:").split(":", 2) for row in rows.decode("utf-8", "replace").split("\n")
        )
        return [(row[0], int(row[1]), row[2]) for row in found if len(row) > 2 and row[1].isdigit()]

    def _searched(self, how: Sequence[str], where: Sequence[str], words: Sequence[str]) -> bytes:
        """What git finds in the tree; asked for no word it would take the commit for one."""
        if not words:
            return b""
        form, given = _pattern(words)
        command = ("grep", *how, "-I", form, "-f", "-", self.commit, "--", *where)
        with self._git.stream(*command, at=self._mirror, stdin=given.encode()) as stream:
            rows, code, told = stream.output.read(), stream.finish(), stream.last_words()
            stream.errors.seek(0)
            lines = stream.errors.read().decode("utf-8", "replace").splitlines()
        if self._complaints is not None:
            self._complaints += [line for line in lines if line]
        if code not in (0, 1) or (code and told):
            raise GitError(f"git grep failed: {told}", code=code)
        return rows


def lacked(complaints: Sequence[str]) -> list[str] | None:
    """The objects that git complained it cannot read; None where it said anything else, or too much to be asked for again."""
    found = [_UNREADABLE.search(one) for one in complaints]
    names = {one[1] for one in found if one}
    return sorted(names) if all(found) and len(names) <= _PATHS else None


def still_lacks(git: Git, mirror: Path, objects: Sequence[str]) -> bool:
    """Whether none of these objects has come meanwhile."""
    try:
        asked = "".join(f"{one}\n" for one in objects).encode()
        rows = git.run("cat-file", "--batch-check", at=mirror, stdin=asked).decode().splitlines() if objects else []
    except GitError:
        return False
    return rows == [f"{one} missing" for one in objects]


def _pattern(words: Sequence[str]) -> tuple[str, str]:
    """How git is asked for some words: of many plain ones it tries each at every line, minutes for hundreds in a large
    tree; one expression of them all it reads once.
    """
    if len(words) <= _FEW:
        return "-F", "".join(f"{word}\n" for word in words)
    return "-E", "|".join(_SPECIAL.sub(r"\\\g<0>", word) for word in words) + "\n"


_FEW = 8
_UNREADABLE = re.compile(r": unable to read ([0-9a-f]{40,64})$")
_SPECIAL = re.compile(r"[][.*+?(){}|^$\\]")


def files_of(git: Git, mirror: Path, asked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Text | None]:
    """Files by commit and path, as many as are read at once; None for one that is not there."""
    some = asked[:_PATHS]
    names = "".join(f"{commit}:{path}\n" for commit, path in some).encode("utf-8", "surrogateescape")
    try:
        answer = git.run("cat-file", "--batch", at=mirror, stdin=names) if some else b""
    except GitError:
        return {}
    texts = (None if raw is None else Text(raw.decode("utf-8", "replace")) for raw in _batched(answer))
    return dict(zip(some, texts, strict=False))


def _batched(answer: bytes) -> Iterator[bytes | None]:
    """The contents that `cat-file --batch` gives, in the order asked; None for what is missing, no file or too large."""
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        words = answer[at:end].rsplit(b" ", 2)
        at = end + 1
        if len(words) < 3 or not words[2].isdigit():
            yield None  # `… missing`
            continue
        size = int(words[2])
        yield answer[at : at + size] if words[1] == b"blob" and size <= _MAX_FILE else None
        at += size + 1
