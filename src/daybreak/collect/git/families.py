"""Families of tags: which of a repository's releases are alive, which is the highest, and which folder each family ships.

A project may number parts of itself (`gateway-v0.3.1`, `tokio-util-0.7.19`), may have numbered itself otherwise years
ago, and may tag every commit (`b5501`). A family is what stands before the number; the living one that carries no name,
or that of the repository, is the project's own, and every other one belongs to the folder that it ships.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePosixPath

from msgspec import Struct

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git

PASSING = re.compile(r"nightly|snapshot|[.-]dev", re.IGNORECASE)
"""Tags of builds that come and go: nobody would call them the release that holds a commit."""
ALIVE = 540 * 86400
"""Seconds without a tag after which a family is history, where another one has newer ones."""
_TAG = re.compile(
    r"(?P<part>(?:[A-Za-z][\w.+-]{0,60}?[-_/@]|[A-Za-z]{1,20}?)?)[vV]?(?P<version>\d{1,9}(?:\.\d{1,9}){1,5})(?P<rest>[\w.+-]{0,40})"
)
_COUNTED = re.compile(r"(?P<part>[A-Za-z]{1,10}[-_]?)(?P<version>\d{1,9})(?P<rest>)")
_COUNTED_LEAST = 10
"""Fewer tags of a letter and a number are no way of numbering releases."""
_POST = re.compile(r"[._-]?(?:post|p)\.?(\d{1,9})|[._-](?:final|ga|release|stable)()", re.IGNORECASE)
_PRE = re.compile(
    r"[._-]?(?:rc|a|b|alpha|beta|pre|preview|canary|m|cr|next|test)(?:[._-]?(\d{1,9}))?(?:[._-]?\d{1,9})?",
    re.IGNORECASE,
)
_PLAIN = frozenset({"release", "releases", "version", "ver", "rel", "v", "r", "tag", "tags"})
"""Names that say of a tag what every tag is."""
_ASIDE = re.compile(r"(?:^|/)(?:tests?|docs?|\.github|benchmarks?|examples?)/|\.(?:md|rst|lock)$|(?:^|/)\.[^/]+$")
_DEEPEST = 4
_MANIFESTS = ("*pyproject.toml", "*setup.py", "*setup.cfg", "*Cargo.toml", "*package.json")

Key = tuple[tuple[int, ...], int, int]


class Tag(Struct, frozen=True):
    """One tag that is named like a release or a candidate of one."""

    name: str
    family: str
    """What it numbers; empty for the project itself."""
    prefix: str
    """What stands before the number, as it is written."""
    key: Key
    """By it the tags of a family are in order: numbers, candidates before their release, posts behind it."""
    made: int = 0

    @property
    def candidate(self) -> bool:
        return self.key[1] == 0


@lru_cache(maxsize=20_000)
def parsed(name: str) -> Tag | None:
    """What a tag's name says; None for one that names no version, and for builds that come and go."""
    if len(name) > 160 or PASSING.search(name):
        return None
    found = _TAG.fullmatch(name) or _COUNTED.fullmatch(name)
    if found is None:
        return None
    rest, numbers = found["rest"], tuple(map(int, found["version"].split(".")))
    post, pre = _POST.fullmatch(rest), _PRE.fullmatch(rest)
    if rest and post is None and pre is None:
        return None
    state = (0, int(pre[1] or 0)) if rest and post is None and pre else (1, int(post[1] or 0) if post else -1)
    part = found["part"]
    family = part.strip("-_/@").lower()
    key = (*numbers, *(0,) * (6 - len(numbers))), *state
    return Tag(name, "" if family in _PLAIN or len(family) == 1 else family, part, key)


def is_final(name: str | None) -> bool:
    """A release, and no candidate of one."""
    tag = parsed(name) if name else None
    return name is not None and not (tag and tag.candidate)


class Families(Struct, frozen=True):
    """The families of a repository's tags as of a moment."""

    main: str | None
    """The project's own; None where it has none."""
    tags: Mapping[str, tuple[Tag, ...]]
    """Living families, each from its lowest version to its highest."""

    def newest(self, family: str | None) -> Tag | None:
        """Its highest release, of those not long before its last one; a family of candidates alone has the highest of
        these.
        """
        known = self.tags.get(family, ()) if family is not None else ()
        return next((tag for tag in reversed(known) if not tag.candidate), known[-1] if known else None)

    def candidates(self, family: str | None) -> list[Tag]:
        """Candidates of what comes after its highest release, the highest first."""
        known, last = self.tags.get(family, ()) if family is not None else (), self.newest(family)
        return [tag for tag in reversed(known) if tag.candidate and last is not None and tag.key > last.key]

    @property
    def parts(self) -> tuple[str, ...]:
        """Families beside the project's own."""
        return tuple(name for name in self.tags if name != self.main)


def families(dated: Iterable[tuple[int, str]], repo: str, pattern: str = "") -> Families:
    """Of tags with the time each was made; `pattern`: those that its config says are the releases."""
    found: dict[str, list[Tag]] = {}
    for made, name in dated:
        tag = parsed(name) if not pattern or fnmatchcase(name, pattern) else None
        if tag is not None:
            one = Tag(name, "" if pattern else tag.family, tag.prefix, tag.key, made)
            found.setdefault(one.family, []).append(one)
    found = {name: tags for name, tags in found.items() if _counts(tags)}
    last = max((tag.made for tags in found.values() for tag in tags), default=0)
    living = {name: _living(tags) for name, tags in found.items() if _last(tags) >= last - ALIVE}
    return Families(_main(living, repo), living)


def _counts(tags: Sequence[Tag]) -> bool:
    return len(tags) >= _COUNTED_LEAST or any("." in tag.name or tag.prefix.lower() in _PLAIN for tag in tags)


def _last(tags: Sequence[Tag]) -> int:
    return max(tag.made for tag in tags)


def _living(tags: Sequence[Tag]) -> tuple[Tag, ...]:
    """Those made in its last years: a numbering that was given up may have had the higher numbers."""
    since = _last(tags) - ALIVE
    return tuple(sorted((tag for tag in tags if tag.made >= since), key=lambda tag: (tag.key, tag.name)))


def _main(living: Mapping[str, Sequence[Tag]], repo: str) -> str | None:
    own = repo.rpartition("/")[2].lower()
    if "" in living or own in living:
        return "" if "" in living else own
    named = [name for name in living if len(living) == 1 or not _words(own).isdisjoint(_words(name))]
    # one project released for several languages: what all of them are built from is in the releases of each
    named = named or [name for name in living if name in _LANGUAGES]
    return max(named, key=lambda name: len(living[name]), default=None)


_LANGUAGES = frozenset({"py", "python", "rs", "rust", "js", "node", "nodejs", "java", "go", "cpp"})


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", name.lower()))


# --- Which folder a family ships ---------------------------------------------------------------------------------------


def folders(git: Git, mirror: Path, commit: str, known: Families) -> dict[str, tuple[str, ...]]:
    """Part -> folders that its tags are releases of, each with a slash at its end; of a part without one, none."""
    if not known.parts:
        return {}
    try:
        rows = git.run("ls-tree", "-d", "-r", "-z", "--name-only", commit, at=mirror).decode("utf-8", "replace")
    except GitError:
        return {}
    there = [path for path in rows.split("\0") if path and path.count("/") < _DEEPEST]
    return {
        name: _named(name, there) or _built(git, mirror, commit, known.tags[name][-1].prefix) for name in known.parts
    }


def _named(family: str, there: Sequence[str]) -> tuple[str, ...]:
    """The folders nearest the root that carry its name."""
    wanted = f"-{'-'.join(re.findall(r'[a-z0-9]+', family))}-"
    found: dict[tuple[int, bool], list[str]] = {}
    for path in there:
        name = f"-{'-'.join(re.findall(r'[a-z0-9]+', PurePosixPath(path).name.lower()))}-"
        if wanted in name and not _ASIDE.search(f"{path}/"):
            found.setdefault((path.count("/"), name != wanted), []).append(f"{path}/")
    return tuple(found[min(found)]) if found and wanted != "--" else ()


def _built(git: Git, mirror: Path, commit: str, prefix: str) -> tuple[str, ...]:
    """Folders whose manifest names the tags that it takes its version from."""
    try:
        rows = git.run("grep", "-l", "-z", "-F", "-e", prefix, commit, "--", *_MANIFESTS, at=mirror)
    except GitError:
        return ()
    paths = (row.partition(":")[2].rpartition("/")[0] for row in rows.decode("utf-8", "replace").split("\0") if row)
    return tuple(sorted({f"{path}/" for path in paths if path}))


def family_of(paths: Iterable[str], main: str | None, shipped: Mapping[str, Sequence[str]]) -> str | None:
    """The family that releases a change of these files: a part's, where all of it lies in that part."""
    every = list(paths)
    ours = [path for path in every if not _ASIDE.search(path)] or every
    for name, places in shipped.items():
        if ours and places and all(path.startswith(tuple(places)) for path in ours):
            return name
    return main
